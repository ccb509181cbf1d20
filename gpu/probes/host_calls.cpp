#include <chrono>

#include "gpu/launch_probes.hpp"
#include "gpu/probes/timed_calls.hpp"
#include "gpu/stream.hpp"
#include "gpu/streams/host_pace.hpp"
#include "gpu/streams/task_kernels.hpp"

namespace tasktwin::gpu {

namespace {

using namespace std::chrono_literals;

constexpr int kRounds = 20;
constexpr int kCallsARound = 20;  // so few that the kernel outlasts them
constexpr Duration kKernelTime = 2'000'000ns;

TaskGraph one_kernel() {
  Task task;
  task.cost.time = kKernelTime;
  TaskGraphBuilder builder;
  builder.add_task("kernel", task);
  return std::move(builder).build();
}

template <class Call>
double median_of_calls(Call call) {
  std::vector<double> times;
  for (int i = 0; i < kRounds * kCallsARound; ++i) times.push_back(host_time_ns(call));
  return median(times);
}

double clock_time() {
  constexpr int kReadings = 1000;
  std::vector<double> times;
  for (int round = 0; round < kRounds; ++round) {
    times.push_back(host_time_ns([] {
      for (int i = 0; i < kReadings; ++i) static_cast<void>(std::chrono::steady_clock::now());
    }));
  }
  return median(times) / kReadings;
}

}  // namespace

HostCallTimes probe_host_calls() {
  const TaskGraph graph = one_kernel();
  const Machine machine;
  const Design design = named_design("cuda-streams");
  const RunOptions options;
  TaskKernels kernels({graph, machine, design, options});
  const StreamRun run = kernels.describe(RunMode::kPlain);
  const Stream stream;
  const Event event;
  StreamPace().find_processor();

  std::vector<double> queries;
  std::vector<double> functions;
  for (int round = 0; round < kRounds; ++round) {
    kernels.reset(stream);
    launch_task(run, {}, stream);
    check(cudaGetLastError(), "launching a probe");
    check(cudaEventRecord(event, stream), "recording an event");
    for (int i = 0; i < kCallsARound; ++i) {
      cudaError_t status = cudaSuccess;
      const double time = host_time_ns([&] { status = cudaEventQuery(event); });
      if (status == cudaErrorNotReady) {
        queries.push_back(time);
      } else {
        check(status, "asking for an event");
      }
    }
    for (int i = 0; i < kCallsARound; ++i)
      functions.push_back(host_time_ns([&] {
        check(cudaLaunchHostFunc(
                  stream, [](void*) {}, nullptr),
              "adding a host function");
      }));
    stream.synchronize();
  }
  if (queries.empty()) throw RunError("probing host calls: every event had come before it was asked for");

  HostCallTimes times;
  times.event_query_ns = median(queries);
  times.host_function_ns = median(functions);
  times.event_sync_ns = median_of_calls([&] { check(cudaEventSynchronize(event), "waiting for an event"); });
  times.stream_sync_ns = median_of_calls([&] { check(cudaStreamSynchronize(stream), "waiting for a stream"); });
  times.device_sync_ns = median_of_calls([] { check(cudaDeviceSynchronize(), "waiting for the GPU"); });
  times.clock_ns = clock_time();
  return times;
}

}  // namespace tasktwin::gpu
