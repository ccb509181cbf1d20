#include "models/explain/order_decisions.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "models/cost/body_cost.hpp"
#include "models/policies/own_policies.hpp"
#include "models/policies/policies.hpp"
#include "models/rules/home.hpp"
#include "models/runtimes/runtimes.hpp"

namespace tasktwin {

namespace {

/// Whether all ready tasks of a type wait in one queue.
bool one_queue(const Design& design, const Machine& machine, std::size_t cores) {
  if (design.ready_queue == ReadyQueue::kPerWorker || !design.parts.empty()) return false;
  const std::size_t takers = runtime_of(design).dispatched() ? static_cast<std::size_t>(dispatcher_count(design, machine)) : cores;
  return rules::home_count(design.ready_queue, static_cast<std::uint32_t>(design.shards), static_cast<std::uint32_t>(takers)) == 1;
}

/// By TaskId, how many others were handed to its core at the same time before it, as the core received them.
std::vector<std::size_t> places_on_cores(std::span<const TaskId> handed_over, const Timeline& timeline) {
  const auto came = [&timeline](TaskId task) {
    const TaskTimes& times = timeline.tasks[index(task)];
    return std::tuple(times.core, times.dispatched, times.received, times.started);
  };
  std::vector<TaskId> by_core(handed_over.begin(), handed_over.end());
  std::ranges::stable_sort(by_core, {}, came);
  std::vector<std::size_t> places(timeline.tasks.size());
  for (std::size_t i = 1; i < by_core.size(); ++i) {
    const TaskTimes& before = timeline.tasks[index(by_core[i - 1])];
    const TaskTimes& own = timeline.tasks[index(by_core[i])];
    if (own.core != kNoCore && own.core == before.core && own.dispatched == before.dispatched)
      places[index(by_core[i])] = places[index(by_core[i - 1])] + 1;
  }
  return places;
}

}  // namespace

OrderDecisions order_decisions(const TaskGraph& graph, const Machine& machine, const Design& design, const Timeline& timeline,
                               std::uint64_t seed) {
  OrderDecisions decisions;
  if (!runtime_of(design).resident() || find_use(runtime_of(design), "order") == nullptr || has_lists(design)) return decisions;
  if (design.own.order && !is_asked_before(*design.own.order)) return decisions;  // its answers are of moments that are over
  decisions.one_queue = one_queue(design, machine, timeline.cores.size());
  std::vector<TaskId> by_ready;
  for (std::size_t i = 0; i < timeline.tasks.size(); ++i) {
    if (is_present(timeline.tasks[i].ready) && is_present(timeline.tasks[i].dispatched)) by_ready.push_back(task_id(i));
  }
  const auto times = [&timeline](TaskId task) -> const TaskTimes& { return timeline.tasks[index(task)]; };
  std::ranges::stable_sort(by_ready, {}, [&](TaskId task) { return times(task).ready; });
  const std::vector<Duration> durations = planned_durations(graph, machine);
  const auto order = make_task_order(design, {graph, durations, seed});
  using Waiting = std::tuple<CoreType, std::int64_t, std::size_t, TaskId>;  // a queue takes tasks of one type; key, arrival
  std::vector<Waiting> tasks(timeline.tasks.size());
  for (std::size_t arrival = 0; arrival < by_ready.size(); ++arrival) {
    const TaskId task = by_ready[arrival];
    tasks[index(task)] = {graph[task].core_type, order->key(task, arrival), arrival, task};
  }
  std::vector<TaskId> handed_over = by_ready;
  const std::vector<std::size_t> places = places_on_cores(by_ready, timeline);
  std::ranges::sort(handed_over, {},
                    [&](TaskId task) { return std::tuple(times(task).dispatched, places[index(task)], tasks[index(task)]); });
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
      if (decisions.one_queue && std::get<1>(*first) < std::get<1>(own)) ++decisions.passed;
    }
    waiting.erase(own);
  }
  return decisions;
}

}  // namespace tasktwin
