#include <chrono>

#include "gpu/cuda/stream_handle.hpp"
#include "gpu/host/timed_calls.hpp"
#include "gpu/probes/launch_probes.hpp"
#include "gpu/streams/host_pace.hpp"

namespace tasktwin::gpu {

namespace {

constexpr int kRounds = 20;
constexpr int kCalls = 400;

template <class Call>
double median_of_calls(Call call) {
  std::vector<double> times;
  times.reserve(kCalls);
  for (int i = 0; i < kCalls; ++i) times.push_back(host_time_ns(call));
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
  const Stream stream;
  const Event event;
  StreamPace().find_processor();

  check(cudaEventRecord(event, stream), "recording an event");
  stream.synchronize();

  HostCallTimes times;
  times.event_sync_ns = median_of_calls([&] { check(cudaEventSynchronize(event), "waiting for an event"); });
  times.stream_sync_ns = median_of_calls([&] { check(cudaStreamSynchronize(stream), "waiting for a stream"); });
  times.device_sync_ns = median_of_calls([] { check(cudaDeviceSynchronize(), "waiting for the GPU"); });
  times.clock_ns = clock_time();
  return times;
}

}  // namespace tasktwin::gpu
