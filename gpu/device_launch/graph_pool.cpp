#include "gpu/device_launch/graph_pool.hpp"

#include <algorithm>
#include <limits>

namespace tasktwin::gpu {

namespace {

constexpr std::uint32_t kSchedulers = 8;  // all of them in places alike: once in 128 times
constexpr int kTimings = 3;               // of each, the first of which loads its code

cudaGraphExec_t uploaded(const ExecutableGraph& graph, cudaStream_t stream) {
  check(cudaGraphUpload(graph, stream), "uploading a graph");
  return graph;
}

}  // namespace

GraphPool::GraphPool(GraphRun run, const Footprint& block, cudaStream_t stream) : handles_(kMostGraphLaunches, "the graphs") {
  run.slots = handles_.data();
  std::vector<cudaGraphExec_t> handles;
  slots_.reserve(kMostGraphLaunches);
  schedulers_.reserve(kSchedulers);
  for (std::uint32_t slot = 0; slot < kMostGraphLaunches; ++slot) {
    if (slot % (kMostGraphLaunches / kSchedulers) == 0) {
      CudaGraph graph;
      add_scheduler_node(graph, run);
      uploaded(schedulers_.emplace_back(graph, cudaGraphInstantiateFlagDeviceLaunch), stream);
    }
    CudaGraph graph;
    add_batch_node(graph, run, block, slot);
    handles.push_back(uploaded(slots_.emplace_back(graph, cudaGraphInstantiateFlagDeviceLaunch), stream));
  }
  check(cudaMemcpyAsync(handles_.data(), handles.data(), handles_.bytes(), cudaMemcpyHostToDevice, stream), "naming the graphs");
  check(cudaStreamSynchronize(stream), "uploading the graphs");
  quickest_ = find_quickest(run, stream);
}

/// By launches of batches without tasks.
std::size_t GraphPool::find_quickest(const GraphRun& run, cudaStream_t stream) const {
  static_assert(kNoTask == 0xffffffffu);  // bytes alike
  check(cudaMemsetAsync(run.batches, 0xff, std::size_t{kMostGraphLaunches} * run.batch * sizeof *run.batches, stream), "emptying batches");
  GraphState asked{};
  asked.is_timed = 1;
  std::vector<std::uint32_t> times(schedulers_.size(), std::numeric_limits<std::uint32_t>::max());
  for (int timing = 0; timing < kTimings; ++timing) {
    for (std::size_t i = 0; i < schedulers_.size(); ++i) {
      check(cudaMemcpyAsync(run.state, &asked, sizeof asked, cudaMemcpyHostToDevice, stream), "timing launches");
      check(cudaGraphLaunch(schedulers_[i], stream), "timing launches");
      GraphState timed{};
      check(cudaMemcpyAsync(&timed, run.state, sizeof timed, cudaMemcpyDeviceToHost, stream), "timing launches");
      check(cudaStreamSynchronize(stream), "timing launches");
      check(static_cast<cudaError_t>(timed.failure), "timing launches");
      times[i] = std::min(times[i], timed.launch_ns);
    }
  }
  return static_cast<std::size_t>(std::ranges::min_element(times) - times.begin());
}

}  // namespace tasktwin::gpu
