#include <algorithm>

#include "models/policies/policies.hpp"
#include "tests/oracles/pipeline.hpp"
#include "tests/oracles/simulation.hpp"

namespace tasktwin::oracles {

namespace {

/// The last predecessor's completion; nullopt while one is to come.
std::optional<TimePoint> ready(const TaskGraph& graph, const Pipeline& run, TaskId task) {
  TimePoint latest{};
  for (const TaskId predecessor : graph.predecessors(task)) {
    const TimePoint published = run.timeline.tasks[index(predecessor)].published;
    if (!is_present(published)) return std::nullopt;
    latest = std::max(latest, published);
  }
  return latest;
}

/// When the core that begins to read the task's entry at `begin` has seen that it may run; `known` if it was seen before.
TimePoint seen(const TaskGraph& graph, const Machine& machine, const Design& design, const Timeline& timeline, TaskId task, TimePoint begin,
               bool known) {
  const TimePoint all_done = timeline.tasks[index(task)].ready;
  if (graph.in_degree(task) == 0 || known) return begin + round_ns(machine.resident_cores->list_read);
  if (design.notification == Notification::kCounter)
    return std::max(begin + round_ns(machine.resident_cores->list_read + 2 * machine.memory->read_latency),
                    all_done + round_ns(machine.resident_cores->counter_hop));
  if (design.notification == Notification::kSemaphore)
    return std::max(begin + round_ns(machine.resident_cores->list_read), all_done + round_ns(machine.resident_cores->counter_hop));
  Nanoseconds clock = Nanoseconds{begin.time_since_epoch()} + machine.resident_cores->list_read;
  int flag = 0;
  for (const TaskId predecessor : graph.predecessors(task)) {
    const TimePoint there = timeline.tasks[index(predecessor)].published + round_ns(machine.resident_cores->counter_hop);
    if (flag++ % 32 == 0) clock += 2 * machine.memory->read_latency;  // the others come with it
    clock = std::max(clock, Nanoseconds{there.time_since_epoch()});
  }
  return TimePoint{round_ns(clock)};
}

}  // namespace

Timeline simulate_static_queues(const TaskGraph& graph, const Machine& machine, const Design& design, std::uint64_t seed) {
  const FrozenSchedule lists = frozen_schedule(graph, machine, design);
  Pipeline run(graph, machine, design, seed);
  std::vector<std::size_t> open(lists.size());  // by core: tasks before this place in its list are known to wait for nobody

  for (TimePoint now{}; !run.all_published(); now += Duration{1}) {
    check_clock(now);
    if (now > TimePoint{}) run.pass(now);
    for (bool changed = true; changed; run.settle(now)) {
      changed = false;
      for (std::size_t core = 0; core < lists.size(); ++core) {
        if (run.cores[core].size() == lists[core].size()) continue;
        const TaskId task = lists[core][run.cores[core].size()];
        const std::optional<TimePoint> begin = run.fetch_begin(core);
        const std::optional<TimePoint> all_done = ready(graph, run, task);
        if (!begin || !all_done || std::max(*begin, *all_done) > now) continue;
        run[task].dispatched = *begin;
        run[task].ready = *all_done;
        const std::size_t place = run.cores[core].size();
        const bool known = place < open[core];
        const TimePoint received = seen(graph, machine, design, run.timeline, task, *begin, known);
        run.receive(core, task, received);
        changed = true;
        if (known || graph.in_degree(task) == 0 || design.notification != Notification::kCounter) continue;
        for (open[core] = place + 1; open[core] < std::min(lists[core].size(), place + 32); ++open[core]) {
          const std::optional<TimePoint> done = ready(graph, run, lists[core][open[core]]);
          if (!done || *done > now || *done + round_ns(machine.resident_cores->counter_hop) > received) break;
        }
      }
    }
  }
  run.stop();
  return run.timeline;
}

}  // namespace tasktwin::oracles
