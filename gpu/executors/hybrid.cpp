#include "gpu/executors.hpp"

#include <numeric>

#include "gpu/persistent/static_queues/worker_lists.hpp"
#include "gpu/persistent/worker_queues/worker_queues_executor.hpp"
#include "models/graph/events.hpp"
#include "models/runtimes/runtimes.hpp"

namespace tasktwin::gpu {

namespace {

/// The tasks of the workers' frozen lists, one list after the other, and after them all others, events last.
std::vector<std::uint32_t> places_of(const TaskGraph& graph, const FrozenSchedule& lists) {
  constexpr std::uint32_t kNowhere = ~0u;
  std::vector<std::uint32_t> places(graph.size(), kNowhere);
  std::uint32_t next = 0;
  for (const auto& list : lists) {
    for (const TaskId task : list) places[index(task)] = next++;
  }
  for (const bool events : {false, true}) {
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (places[i] == kNowhere && is_event(graph[task_id(i)]) == events) places[i] = next++;
    }
  }
  return places;
}

/// A frozen list for each worker, and where the design has one, a queue for the tasks of none. Tasks of a list may be stolen, but
/// nobody waits for one in particular: a worker runs the first ready one of its list, so no order of the lists can deadlock. Its twin
/// is sim/wirings/work_stealing.cpp, with the same constants as for work stealing, but list_take and list_hop for take and
/// steal_hop; there, what a thief keeps may be stolen again.
class HybridExecutor final : public WorkerQueuesExecutor {
 public:
  explicit HybridExecutor(const ExecutorInputs& inputs) : HybridExecutor(inputs, worker_lists(inputs)) {}

 private:
  HybridExecutor(const ExecutorInputs& inputs, const FrozenSchedule& lists) : WorkerQueuesExecutor(inputs, places_of(inputs.graph, lists)) {
    std::vector<std::uint32_t> first{0};
    for (const auto& list : lists) first.push_back(first.back() + static_cast<std::uint32_t>(list.size()));
    frozen_ = first.back();
    std::vector<std::uint64_t> bits(frozen_ / ReadyBits::kPlaces + 1);
    std::vector<std::vector<std::uint32_t>> shared(1);
    const std::vector<std::vector<std::uint32_t>> roots = deal_roots(1);
    for (const std::uint32_t place : roots.front()) {
      if (place < frozen_) {
        bits[place / ReadyBits::kPlaces] |= std::uint64_t{1} << (place % ReadyBits::kPlaces);
      } else {
        shared.front().push_back(place);
      }
    }
    bits_ = {bits, "the ready bits"};
    first_ = {std::span<const std::uint32_t>(first), "the workers' lists"};
    if (lists_some(inputs.design)) make_tickets(shared);
  }

  void reset(cudaStream_t stream) override {
    WorkerQueuesExecutor::reset(stream);
    bits_.restore(stream);
  }

  void launch(const PersistentRun& run, cudaStream_t stream) override {
    WorkerQueues queues = describe_queues(run);
    queues.claims.claimable -= frozen_;
    queues.tickets.on_demand = true;
    queues.bits = {bits_.data()};
    queues.first = first_.data();
    queues.frozen = frozen_;
    launch_hybrid(run, queues, stream);
  }

  std::uint32_t frozen_ = 0;
  Restored<std::uint64_t> bits_;
  DeviceBuffer<std::uint32_t> first_;
};

}  // namespace

std::unique_ptr<Executor> make_hybrid(const ExecutorInputs& inputs) { return std::make_unique<HybridExecutor>(inputs); }

}  // namespace tasktwin::gpu
