#include "gpu/executors/static_queues.hpp"

#include "gpu/persistent/persistent_executor.hpp"
#include "gpu/persistent/static_queues_kernel.hpp"
#include "gpu/persistent/worker_lists.hpp"
#include "gpu/persistent/worker_queues_executor.hpp"

namespace tasktwin::gpu {

namespace {

/// Frozen per-worker lists; workers decrement and wait on counters.
class StaticQueuesExecutor final : public PersistentExecutor {
 public:
  explicit StaticQueuesExecutor(const ExecutorInputs& inputs) : StaticQueuesExecutor(inputs, worker_lists(inputs)) {}

 private:
  StaticQueuesExecutor(const ExecutorInputs& inputs, const FrozenSchedule& lists) : PersistentExecutor(inputs, places(inputs.graph, lists)) {
    std::vector<std::uint32_t> first{0};
    std::vector<DeviceTask> in_order;
    for (const auto& list : lists) {
      for (const TaskId task : list) in_order.push_back(device_graph().host_tasks[index(task)]);
      first.push_back(static_cast<std::uint32_t>(in_order.size()));
    }
    first_ = {std::span<const std::uint32_t>(first), "the workers' lists"};
    tasks_ = {std::span<const DeviceTask>(in_order), "the workers' lists"};
  }

  static std::vector<std::uint32_t> places(const TaskGraph& graph, const FrozenSchedule& lists) {
    std::vector<std::uint32_t> places(graph.size());
    std::uint32_t place = 0;
    for (const auto& list : lists) {
      for (const TaskId task : list) places[index(task)] = place++;
    }
    return places;
  }

  void reset(cudaStream_t) override {}
  void launch(const PersistentRun& run, cudaStream_t stream) override { launch_static_queues(run, {first_.data(), tasks_.data()}, stream); }

  DeviceBuffer<std::uint32_t> first_;
  DeviceBuffer<DeviceTask> tasks_;
};

}  // namespace

const ExecutorEntry kStaticQueuesExecutor{
    [](const Design& design) {
      return design.driver == Driver::kPersistent && design.release == Release::kCounters && is_static(design.placement);
    },
    [](const TaskGraph& graph, const Machine&, const Design& design) { return why_no_worker_queues(graph, design, {}); },
    [](const ExecutorInputs& inputs) -> std::unique_ptr<Executor> { return std::make_unique<StaticQueuesExecutor>(inputs); }};

}  // namespace tasktwin::gpu
