#include <algorithm>
#include <cmath>
#include <vector>

#include "models/policies/policies.hpp"
#include "tests/oracles/pipeline.hpp"
#include "tests/oracles/simulation.hpp"

namespace tasktwin::oracles {

namespace {

/// As stated if every edge leads to a higher layer, else the length of the longest path to each task.
std::vector<std::int32_t> layers(const TaskGraph& graph) {
  std::vector<std::int32_t> stated;
  std::vector<std::int32_t> depths(graph.size(), 0);
  bool ascending = true;
  for (const Task& task : graph.tasks()) stated.push_back(task.layer);
  for (const TaskId task : graph.topological_order()) {
    for (const TaskId before : graph.predecessors(task)) {
      depths[index(task)] = std::max(depths[index(task)], depths[index(before)] + 1);
      ascending = ascending && stated[index(before)] < stated[index(task)];
    }
  }
  return ascending ? stated : depths;
}

}  // namespace

Timeline simulate_layer_barrier(const TaskGraph& graph, const Machine& machine, const Design& design, std::uint64_t seed) {
  Pipeline run(graph, machine, design, seed);
  const std::vector<std::int32_t> layer = layers(graph);
  FrozenSchedule lists = frozen_schedule(graph, machine, design);
  for (auto& list : lists) {
    std::ranges::stable_sort(list, [&layer](TaskId a, TaskId b) { return layer[index(a)] < layer[index(b)]; });
  }

  /// When the task's layer opens; nullopt while an earlier one has tasks to come.
  const auto opens = [&](TaskId task) -> std::optional<TimePoint> {
    for (std::size_t i = 0; i < graph.size(); ++i) {
      if (layer[i] < layer[index(task)] && !is_present(run.timeline.tasks[i].published)) return std::nullopt;
    }
    std::vector<TimePoint> arrivals;  // of each core's last task of each earlier layer
    for (const auto& list : lists) {
      for (std::size_t i = 0; i < list.size() && layer[index(list[i])] < layer[index(task)]; ++i) {
        const bool last = i + 1 == list.size() || layer[index(list[i + 1])] != layer[index(list[i])];
        if (last) arrivals.push_back(run.timeline.tasks[index(list[i])].published);
      }
    }
    if (arrivals.empty()) return TimePoint{};
    std::ranges::sort(arrivals);
    double counted = 0;
    for (const TimePoint arrival : arrivals)
      counted = std::max(counted, static_cast<double>(to_ns(arrival))) + machine.barriers->arrive.count();
    return at_ns(std::llround(counted + machine.barriers->leave.count()));
  };

  for (TimePoint now{}; !run.all_published(); now += Duration{1}) {
    check_clock(now);
    if (now > TimePoint{}) run.pass(now);
    for (bool changed = true; changed; run.settle(now)) {
      changed = false;
      for (std::size_t core = 0; core < lists.size(); ++core) {
        if (run.cores[core].size() == lists[core].size()) continue;
        const TaskId task = lists[core][run.cores[core].size()];
        const std::optional<TimePoint> begin = run.fetch_begin(core);
        const std::optional<TimePoint> open = opens(task);
        if (!begin || !open) continue;
        run[task].ready = *open;
        run[task].dispatched = std::max(*begin, *open);
        run.receive(core, task, run[task].dispatched + round_ns(machine.memory->read_latency));
        changed = true;
      }
    }
  }
  run.stop();
  return run.timeline;
}

}  // namespace tasktwin::oracles
