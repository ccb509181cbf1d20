#include <vector>

#include "gpu/cuda/stream_handle.hpp"
#include "gpu/host/timed_calls.hpp"
#include "gpu/operations/allocators/malloc_memory.hpp"
#include "gpu/probes/launch_probes.hpp"
#include "gpu/task_kernels/task_kernels.hpp"
#include "models/runtimes/runtimes.hpp"

namespace tasktwin::gpu {

namespace {

constexpr double kKernelNs = 40e6;
constexpr double kBlockedNs = 5e6;  ///< no call that does not block takes as long
constexpr int kMostLaunches = 100'000;
constexpr int kRounds = 5;
constexpr std::int64_t kBytes = 64 << 20;
constexpr std::uint32_t kLong = 0;
constexpr std::uint32_t kEmpty = 1;

TaskGraph two_kernels() {
  TaskGraphBuilder builder;
  builder.add_task("long", {.cost = {.time = Duration{static_cast<std::int64_t>(kKernelNs)}}});
  builder.add_task("empty", {});
  return std::move(builder).build();
}

class BesideKernelProbe {
 public:
  BesideKernelTimes measure() {
    kernels_.reset(stream_);
    launch(kEmpty, stream_);
    std::vector<double> launches;
    std::vector<double> mallocs;
    std::vector<double> frees;
    std::vector<double> left;
    for (int round = 0; round < kRounds; ++round) {
      launches.push_back(fill());
      void* memory = nullptr;
      launch(kLong, stream_);
      mallocs.push_back(host_time_ns([&] { memory = device_malloc(kBytes); }));
      if (memory == nullptr) throw RunError("probing calls beside a kernel: the GPU's memory does not suffice");
      left.push_back(kKernelNs - mallocs.back());
      frees.push_back(host_time_ns([&] { check(cudaFree(memory), "freeing GPU memory"); }));
      check(cudaDeviceSynchronize(), "waiting for the GPU");
    }
    return {static_cast<int>(median(launches)), median(mallocs), median(frees), median(left)};
  }

 private:
  void launch(std::uint32_t task, cudaStream_t stream) const {
    launch_task(run_, {.task = task}, stream);
    check(cudaGetLastError(), "launching a probe");
  }

  int fill() const {
    launch(kLong, stream_);
    int count = 0;
    while (count < kMostLaunches && host_time_ns([this] { launch(kEmpty, stream_); }) < kBlockedNs) ++count;
    check(cudaDeviceSynchronize(), "waiting for the GPU");
    return count;
  }

  TaskGraph graph_ = two_kernels();
  Machine machine_;
  Design design_ = named_design("cuda-streams");
  RunOptions options_;
  TaskKernels kernels_{ExecutorInputs{graph_, machine_, design_, options_}};
  StreamRun run_ = kernels_.describe(RunMode::kPlain);
  Stream stream_;
};

}  // namespace

BesideKernelTimes probe_beside_kernel() { return BesideKernelProbe().measure(); }

}  // namespace tasktwin::gpu
