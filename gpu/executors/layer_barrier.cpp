#include "gpu/executors.hpp"

#include <algorithm>

#include "gpu/persistent/launch/persistent_executor.hpp"
#include "gpu/persistent/layer_barrier/layer_barrier_kernel.hpp"
#include "models/checks/list_order.hpp"
#include "models/policies/layers.hpp"

namespace tasktwin::gpu {

namespace {

/// What the workers run, and in which layer each task is.
struct LayeredLists {
  std::vector<std::size_t> layers;  ///< by TaskId
  FrozenSchedule lists;             ///< one a worker, by layer
};

/// The graph as it would be without the edges that no task waits for.
TaskGraph without(const TaskGraph& graph, const RunOptions& options) {
  TaskGraphBuilder builder;
  for (std::size_t i = 0; i < graph.size(); ++i) builder.add_task(std::string(graph.name(task_id(i))), {.layer = graph[task_id(i)].layer});
  for (std::size_t i = 0; i < graph.size(); ++i) {
    for (const TaskId successor : graph.successors(task_id(i))) {
      if (!options.ignores(task_id(i), successor)) builder.add_edge(task_id(i), successor);
    }
  }
  return std::move(builder).build();
}

/// Any lists will do that have every task once: in the order of layers they cannot deadlock.
LayeredLists layered_lists(const ExecutorInputs& inputs) {
  const RunOptions& options = inputs.options;
  LayeredLists layered;
  layered.layers = layers_of(options.ignored_edges.empty() ? inputs.graph : without(inputs.graph, options));
  layered.lists = options.lists ? *options.lists : frozen_schedule(inputs.graph, inputs.machine, inputs.design, options.replayed);
  const std::size_t workers = worker_cores(inputs.design, inputs.machine).size();
  check_lists(inputs.graph, inputs.design, layered.lists, workers);
  layered.lists.resize(workers);
  sort_by_layer(layered.lists, layered.layers);
  return layered;
}

/// Frozen per-worker lists in the order of layers, with a barrier of all workers between one layer and the next. The
/// simulated twin is sim/wirings/layer_barrier.cpp. Its constants are memory.read_latency and
/// barriers.leave and arrive, measured by verify/calibration/mechanisms/barriers.cpp. A layer's `ready` is stamped by the worker that opens
/// it, before that worker's own arrival counts as published.
class LayerBarrierExecutor final : public PersistentExecutor {
 public:
  explicit LayerBarrierExecutor(const ExecutorInputs& inputs) : LayerBarrierExecutor(inputs, layered_lists(inputs)) {}

 private:
  LayerBarrierExecutor(const ExecutorInputs& inputs, LayeredLists layered)
      : PersistentExecutor(inputs),
        layers_(std::move(layered.layers)),
        layer_count_(static_cast<std::uint32_t>(*std::ranges::max_element(layers_) + 1)),
        arrived_(layer_count_, "the barriers"),
        open_(LayerGates::word_count(workers()) * LayerGates::kWordStride, "the open layers"),
        opened_at_(layer_count_, "the barriers' stamps") {
    std::vector<std::uint32_t> first{0};
    std::vector<std::uint32_t> layers;
    std::vector<DeviceTask> in_order;
    for (const auto& list : layered.lists) {
      for (const TaskId task : list) {
        in_order.push_back(device_graph().host_tasks[index(task)]);
        layers.push_back(static_cast<std::uint32_t>(layers_[index(task)]));
      }
      first.push_back(static_cast<std::uint32_t>(in_order.size()));
    }
    first_ = {std::span<const std::uint32_t>(first), "the workers' lists"};
    tasks_ = {std::span<const DeviceTask>(in_order), "the workers' lists"};
    layers_by_place_ = {std::span<const std::uint32_t>(layers), "the workers' lists"};
    // What never becomes ready keeps its layer closed; nothing holds the first one back.
    for (const TaskId task : inputs.options.never_released) closed_layer_ = static_cast<std::uint32_t>(layers_[index(task)]);
  }

  void reset(cudaStream_t stream) override {
    check(cudaMemsetAsync(arrived_.data(), 0, arrived_.bytes(), stream), "resetting the barriers");
    check(cudaMemsetAsync(open_.data(), 0, open_.bytes(), stream), "resetting the barriers");
    check(cudaMemsetAsync(opened_at_.data(), 0, opened_at_.bytes(), stream), "resetting the barriers");
  }

  void launch(const PersistentRun& run, cudaStream_t stream) override {
    launch_layer_barrier(run,
                         {.first = first_.data(),
                          .tasks = tasks_.data(),
                          .layers = layers_by_place_.data(),
                          .gates = {.arrived = arrived_.data(),
                                    .words = open_.data(),
                                    .workers = workers(),
                                    .layers = layer_count_,
                                    .closed_layer = closed_layer_},
                          .opened_at = opened_at_.data()},
                         stream);
  }

  void add_observations(RunResult& result, std::uint64_t origin) override {
    const std::vector<std::uint64_t> opened = opened_at_.to_host("the barriers' stamps");
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      TaskTimes& times = result.timeline.tasks[i];
      times.ready = layers_[i] == 0 ? TimePoint{} : from_stamp(opened[layers_[i]], origin);
      if (is_present(times.dispatched)) times.dispatched = std::max(times.dispatched, times.ready);
    }
  }

  std::string explain_waits() const override {
    const std::vector<std::uint32_t> open = open_.to_host("the open layers");
    const std::uint32_t layer = *std::ranges::max_element(open) + 1;
    if (layer >= layer_count_) return "";
    const std::uint32_t arrived = arrived_.to_host("the barriers")[layer - 1];
    return "\n  layer " + std::to_string(layer) + " of 0 to " + std::to_string(layer_count_ - 1) +
           " has not opened: " + std::to_string(arrived) + " of " + std::to_string(workers()) +
           " workers are through with the one before it";
  }

  std::vector<std::size_t> layers_;  ///< by TaskId
  std::uint32_t layer_count_;
  std::uint32_t closed_layer_ = 0;
  DeviceBuffer<std::uint32_t> first_;
  DeviceBuffer<DeviceTask> tasks_;
  DeviceBuffer<std::uint32_t> layers_by_place_;
  DeviceBuffer<std::uint32_t> arrived_;
  DeviceBuffer<std::uint32_t> open_;
  DeviceBuffer<std::uint64_t> opened_at_;
};

}  // namespace

std::unique_ptr<Executor> make_layer_barrier(const ExecutorInputs& inputs) { return std::make_unique<LayerBarrierExecutor>(inputs); }

}  // namespace tasktwin::gpu
