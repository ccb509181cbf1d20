#include "models/explain/order_decisions.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "models/cost/body_cost.hpp"
#include "models/policies/policies.hpp"
#include "models/runtimes/runtimes.hpp"

namespace tasktwin {

OrderDecisions order_decisions(const TaskGraph& graph, const Machine& machine, const Design& design, const Timeline& timeline,
                               std::uint64_t seed) {
  OrderDecisions decisions;
  if (!runtime_of(design).resident() || find_use(runtime_of(design), "order") == nullptr || has_lists(design)) return decisions;
  std::vector<TaskId> by_ready;
  for (std::size_t i = 0; i < timeline.tasks.size(); ++i) {
    if (is_present(timeline.tasks[i].ready) && is_present(timeline.tasks[i].dispatched)) by_ready.push_back(task_id(i));
  }
  const auto times = [&timeline](TaskId task) -> const TaskTimes& { return timeline.tasks[index(task)]; };
  std::ranges::stable_sort(by_ready, {}, [&](TaskId task) { return times(task).ready; });
  const std::vector<Duration> durations = planned_durations(graph, machine);
  const auto order = make_task_order(design.order, {graph, durations, seed});
  using Waiting = std::tuple<CoreType, std::int64_t, std::size_t, TaskId>;  // a queue takes tasks of one type; key, arrival
  std::vector<Waiting> tasks(timeline.tasks.size());
  for (std::size_t arrival = 0; arrival < by_ready.size(); ++arrival) {
    const TaskId task = by_ready[arrival];
    tasks[index(task)] = {graph[task].core_type, order->key(task, arrival), arrival, task};
  }
  std::vector<TaskId> handed_over = by_ready;
  std::ranges::sort(handed_over, [&](TaskId a, TaskId b) {
    return std::pair(times(a).dispatched, tasks[index(a)]) < std::pair(times(b).dispatched, tasks[index(b)]);
  });
  std::set<Waiting> waiting;
  std::size_t next = 0;
  for (const TaskId task : handed_over) {
    while (next < by_ready.size() && times(by_ready[next]).ready <= times(task).dispatched) waiting.insert(tasks[index(by_ready[next++])]);
    const Waiting& own = tasks[index(task)];
    const auto first = waiting.lower_bound({std::get<0>(own), std::numeric_limits<std::int64_t>::min(), 0, TaskId{}});
    const auto second = first == waiting.end() ? first : std::next(first);
    const bool several = second != waiting.end() && std::get<0>(*second) == std::get<0>(own);
    ++decisions.hand_overs;
    if (several) {
      ++decisions.choices;
      if (std::get<1>(*first) < std::get<1>(own)) ++decisions.passed;
    }
    waiting.erase(own);
  }
  return decisions;
}

}  // namespace tasktwin
