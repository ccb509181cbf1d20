#include <algorithm>

#include "models/policies/policies.hpp"
#include "tests/oracles/pipeline.hpp"
#include "tests/oracles/simulation.hpp"

namespace tasktwin::oracles {

namespace {

/// The completion of the last of `before`; nullopt while one is to come.
template <class Tasks>
std::optional<TimePoint> ready(const Tasks& before, const Pipeline& run) {
  TimePoint latest{};
  for (const TaskId predecessor : before) {
    const TimePoint published = run.timeline.tasks[index(predecessor)].published;
    if (!is_present(published)) return std::nullopt;
    latest = std::max(latest, published);
  }
  return latest;
}

/// When the core that begins to read the task's entry at `begin` has seen that it may run; `known` if it was seen before.
TimePoint seen(const Machine& machine, const Design& design, const Pipeline& run, TaskId task, TimePoint begin, bool known) {
  const std::vector<TaskId> awaited = run.told(task);
  TimePoint all_done{};
  for (const TaskId predecessor : awaited) all_done = std::max(all_done, run.timeline.tasks[index(predecessor)].published);
  if (awaited.empty() || known) return begin + round_ns(machine.resident_cores->list_read);
  if (design.notification == Notification::kCounter)
    return std::max(begin + round_ns(machine.resident_cores->list_read + 2 * machine.memory->read_latency),
                    all_done + round_ns(machine.resident_cores->counter_hop));
  if (design.notification == Notification::kSemaphore)
    return std::max(begin + round_ns(machine.resident_cores->list_read), all_done + round_ns(machine.resident_cores->counter_hop));
  const Nanoseconds hop = std::max(Nanoseconds{0}, machine.resident_cores->counter_hop - machine.resident_cores->flag_gain);
  const Nanoseconds rest = std::max(Nanoseconds{0}, machine.resident_cores->message_gain - machine.resident_cores->release);
  Nanoseconds clock = Nanoseconds{begin.time_since_epoch()} + machine.resident_cores->list_read;
  int flag = 0;
  for (const TaskId predecessor : awaited) {
    Duration way = round_ns(hop);
    if (run.in_message(predecessor)) way = std::max(Duration{0}, way - round_ns(rest));
    const TimePoint there = run.timeline.tasks[index(predecessor)].published + way;
    if (flag++ % 32 == 0) clock += 2 * machine.memory->read_latency;  // the others come with it
    clock = std::max(clock, Nanoseconds{there.time_since_epoch()});
  }
  return TimePoint{round_ns(clock)};
}

}  // namespace

Timeline simulate_static_queues(const TaskGraph& graph, const Machine& machine, const Design& design, std::uint64_t seed) {
  const FrozenSchedule lists = frozen_schedule(graph, machine, design);
  Pipeline run(graph, machine, design, seed);
  if (design.own_list == OwnList::kOrder) {
    run.list_of.resize(graph.size());
    for (std::size_t core = 0; core < lists.size(); ++core) {
      for (const TaskId task : lists[core]) run.list_of[index(task)] = core;
    }
  }
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
        const std::optional<TimePoint> all_done = ready(graph.predecessors(task), run);
        if (!begin || !all_done || std::max(*begin, *all_done) > now) continue;
        run[task].dispatched = *begin;
        run[task].ready = *all_done;
        const std::size_t place = run.cores[core].size();
        const bool known = place < open[core];
        const TimePoint received = seen(machine, design, run, task, *begin, known);
        run.receive(core, task, received);
        changed = true;
        if (known || run.told(task).empty() || design.notification != Notification::kCounter) continue;
        for (open[core] = place + 1; open[core] < std::min(lists[core].size(), place + 32); ++open[core]) {
          const std::optional<TimePoint> done = ready(run.told(lists[core][open[core]]), run);
          if (!done || *done > now || *done + round_ns(machine.resident_cores->counter_hop) > received) break;
        }
      }
    }
  }
  run.stop();
  return run.timeline;
}

}  // namespace tasktwin::oracles
