#include "models/policies/built_in.hpp"

#include <algorithm>
#include <limits>
#include <ranges>

namespace tasktwin {

namespace {

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max() / 4;

}  // namespace

std::vector<std::int64_t> optimistic_costs(const StaticInputs& inputs) {
  const TaskGraph& graph = inputs.graph;
  const std::size_t workers = inputs.workers;
  std::vector<std::int64_t> table(graph.size() * workers);
  std::vector<std::int64_t> from_start(workers);  // of a successor, by worker: its cost there and the way from its end
  // Every successor's row is complete before it adds to those of its predecessors.
  for (const TaskId successor : graph.topological_order() | std::views::reverse) {
    for (std::size_t w = 0; w < workers; ++w) {
      const std::int64_t cost = inputs.cost(successor, w);
      from_start[w] = cost < 0 ? kNever : table[index(successor) * workers + w] + cost;
    }
    const std::int64_t best = std::ranges::min(from_start);
    for (const TaskId task : graph.predecessors(successor)) {
      const std::int64_t same = inputs.communication(task, successor, true);
      const std::int64_t other = inputs.communication(task, successor, false);
      for (std::size_t w = 0; w < workers; ++w) {
        // The best worker may be w itself; staying there is then no dearer than `best + other`.
        std::int64_t& entry = table[index(task) * workers + w];
        entry = std::max(entry, std::min(from_start[w] + same, best + other));
      }
    }
  }
  return table;
}

std::vector<double> optimistic_ranks(const StaticInputs& inputs, const std::vector<std::int64_t>& costs) {
  std::vector<double> ranks(inputs.graph.size());
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    double sum = 0;
    int able = 0;
    for (std::size_t w = 0; w < inputs.workers; ++w) {
      if (inputs.cost(task_id(i), w) < 0) continue;
      sum += static_cast<double>(costs[i * inputs.workers + w]);
      ++able;
    }
    ranks[i] = sum / able;
  }
  return ranks;
}

StaticSchedule peft(const StaticInputs& inputs) {
  const std::vector<std::int64_t> costs = optimistic_costs(inputs);
  const std::vector<double> ranks = optimistic_ranks(inputs, costs);
  PartialSchedule schedule(inputs);
  std::vector<TaskId> order;
  for (ReadyTasks ready(inputs.graph, ranks); !ready.empty();) {
    const TaskId task = ready.take();
    order.push_back(task);
    Slot best;
    std::int64_t least = kNever;
    schedule.for_each_slot(task, [&](const Slot& slot) {
      const std::int64_t optimistic_finish = slot.finish + costs[index(task) * inputs.workers + slot.worker];
      if (optimistic_finish >= least) return;
      least = optimistic_finish;
      best = slot;
    });
    schedule.place(task, best);
  }
  return std::move(schedule).finish(order);
}

}  // namespace tasktwin
