#include <algorithm>

#include "models/policies.hpp"
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

/// The beginning of the core's next fetch; nullopt while it is not known.
std::optional<TimePoint> fetch_begin(Pipeline& run, std::size_t core, int depth) {
  const std::size_t k = run.cores[core].size();
  TimePoint begin{};
  if (k > 0) begin = run[run.cores[core][k - 1]].received;
  if (k < static_cast<std::size_t>(depth)) return begin;
  const std::optional<TimePoint> slot_free = run.slot_free(core, k - static_cast<std::size_t>(depth));
  return slot_free ? std::optional(std::max(begin, *slot_free)) : std::nullopt;
}

}  // namespace

Timeline simulate_static_queues(const TaskGraph& graph, const Machine& machine, const Design& design, std::uint64_t seed) {
  const Constants& c = machine.constants;
  const FrozenSchedule lists = frozen_schedule(graph, machine, design);
  Pipeline run(graph, machine, design, seed);

  for (TimePoint now{}; !run.all_published(); now += Duration{1}) {
    check_clock(now);
    if (now > TimePoint{}) run.pass(now);
    for (bool changed = true; changed; run.settle(now)) {
      changed = false;
      for (std::size_t core = 0; core < lists.size(); ++core) {
        if (run.cores[core].size() == lists[core].size()) continue;
        const TaskId task = lists[core][run.cores[core].size()];
        const std::optional<TimePoint> begin = fetch_begin(run, core, design.mailbox_depth);
        const std::optional<TimePoint> all_done = ready(graph, run, task);
        if (!begin || !all_done) continue;
        run[task].dispatched = *begin;
        run[task].ready = *all_done;
        const bool root = graph.in_degree(task) == 0;
        run.receive(core, task,
                    root ? *begin + round_ns(c.read_latency)
                         : std::max(*begin + round_ns(2.0 * c.read_latency), *all_done + round_ns(c.counter_hop)));
        changed = true;
      }
    }
  }
  return run.timeline;
}

}  // namespace tasktwin::oracles
