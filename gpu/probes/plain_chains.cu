#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "gpu/cuda/device_buffer.hpp"
#include "gpu/cuda/graph_handle.hpp"
#include "gpu/cuda/memory_order.cuh"
#include "gpu/cuda/stream_handle.hpp"
#include "gpu/host/timed_calls.hpp"
#include "gpu/probes/launch_probes.hpp"

namespace tasktwin::gpu {

namespace {

constexpr const char* kWhat = "probing chains of plain kernels";
constexpr unsigned kThreads = 128;
constexpr int kKernels = 200;
constexpr int kRuns = 3;
constexpr std::uint64_t kBodyNs = 30'000;  // so that the host is ahead in a stream

struct Stamps {
  std::uint64_t started;
  std::uint64_t ended;
};

__global__ void plain(Stamps* stamps, int at) {
  const std::uint64_t started = global_timer();
  while (global_timer() - started < kBodyNs) {
  }
  if (threadIdx.x == 0) stamps[at] = {started, global_timer()};
}

__global__ void nothing() {}

constexpr unsigned kFewBlocks = 1024;
constexpr unsigned kManyBlocks = 8192;

/// A kernel, of kKernels one after the other in a graph, each of `blocks` empty blocks; median of the runs.
double kernel_ns(const Stream& stream, unsigned blocks) {
  constexpr int kEmpty = kKernels - 2;
  const DeviceBuffer<Stamps> stamps(2, kWhat);
  const CudaGraph graph;
  std::vector<cudaGraphNode_t> last;
  Stamps* to = stamps.data();
  const auto stamp = [&](int at) {
    void* arguments[] = {&to, &at};
    last.assign(1, add_block_node(graph, reinterpret_cast<const void*>(plain), kThreads, arguments, last, kWhat));
  };
  stamp(0);
  for (int i = 0; i < kEmpty; ++i) {
    cudaKernelNodeParams parameters{};
    parameters.func = reinterpret_cast<void*>(nothing);
    parameters.gridDim = dim3(blocks);
    parameters.blockDim = dim3(kThreads);
    void* none[] = {nullptr};
    parameters.kernelParams = none;
    cudaGraphNode_t node = nullptr;
    check(cudaGraphAddKernelNode(&node, graph, last.data(), last.size(), &parameters), kWhat);
    last.assign(1, node);
  }
  stamp(1);
  const ExecutableGraph executable(graph);
  std::vector<double> times;
  for (int run = 0; run <= kRuns; ++run) {
    check(cudaGraphLaunch(executable, stream), kWhat);
    stream.synchronize();
    const std::vector<Stamps> seen = stamps.to_host(kWhat);
    if (run > 0) times.push_back(static_cast<double>(seen[1].started - seen[0].ended) / kEmpty);
  }
  return median(times);
}

/// Median of the runs' means of ended to started.
template <class Launch>
double gap_ns(const DeviceBuffer<Stamps>& stamps, const Stream& stream, Launch launch) {
  std::vector<double> gaps;
  for (int run = 0; run <= kRuns; ++run) {
    launch();
    stream.synchronize();
    const std::vector<Stamps> seen = stamps.to_host(kWhat);
    double sum = 0;
    for (std::size_t i = 1; i < seen.size(); ++i) sum += static_cast<double>(seen[i].started - seen[i - 1].ended);
    if (run > 0) gaps.push_back(sum / (kKernels - 1));  // the first loads the kernel
  }
  return median(gaps);
}

}  // namespace

PlainChainTimes probe_plain_chains() {
  const Stream stream;
  const DeviceBuffer<Stamps> stamps(kKernels, kWhat);
  const CudaGraph graph;
  std::vector<cudaGraphNode_t> last;
  for (int i = 0; i < kKernels; ++i) {
    Stamps* to = stamps.data();
    void* arguments[] = {&to, &i};
    last.assign(1, add_block_node(graph, reinterpret_cast<const void*>(plain), kThreads, arguments, last, kWhat));
  }
  const ExecutableGraph executable(graph);
  PlainChainTimes times;
  times.graph_gap_ns = gap_ns(stamps, stream, [&] { check(cudaGraphLaunch(executable, stream), kWhat); });
  times.stream_gap_ns = gap_ns(stamps, stream, [&] {
    for (int i = 0; i < kKernels; ++i) plain<<<1, kThreads, 0, stream>>>(stamps.data(), i);
    check(cudaGetLastError(), kWhat);
  });
  times.block_ns = (kernel_ns(stream, kManyBlocks) - kernel_ns(stream, kFewBlocks)) / (kManyBlocks - kFewBlocks);
  return times;
}

}  // namespace tasktwin::gpu
