#include "sim/termination.hpp"

#include "models/runtimes/runtimes.hpp"

#include <algorithm>
#include <bit>

namespace tasktwin::sim {

namespace {

double levels(std::size_t leaves) { return leaves < 2 ? 0 : static_cast<double>(std::bit_width(leaves - 1)); }

Nanoseconds after_dispatchers(const Design& design, const AsRun& machine, std::size_t workers) {
  const auto dispatchers = static_cast<std::size_t>(dispatcher_count(design, machine));
  switch (design.termination) {
    case Termination::kVote:
      return 2 * levels(dispatchers) * machine.control.hop + machine.mailboxes.hop;
    case Termination::kSentinels: {
      const std::size_t at_a_time = dispatchers * static_cast<std::size_t>(std::max(1, machine.control_cores.lanes));
      return machine.control.hand_over + static_cast<double>((workers + at_a_time - 1) / at_a_time) * machine.control.dispatch +
             machine.mailboxes.hop;
    }
    default:
      return machine.mailboxes.hop;
  }
}

Nanoseconds after_workers(const Design& design, const AsRun& machine, std::size_t workers) {
  switch (design.termination) {
    case Termination::kVote:
      return 2 * levels(workers) * machine.resident_cores->counter_hop;
    case Termination::kSentinels:
      return machine.resident_cores->push + static_cast<double>(workers) * machine.memory->atomic_service + machine.ready_queues->hop;
    default:
      return machine.memory->atomic_latency / 2 + machine.resident_cores->counter_hop;
  }
}

}  // namespace

TimePoint stopped(const Design& design, const AsRun& machine, const Timeline& timeline) {
  const std::size_t workers = timeline.cores.size();
  if (!runtime_of(design).resident() || workers == 0) return kAbsent;
  const double late = static_cast<double>(design.backoff_ns) * static_cast<double>(workers) / static_cast<double>(workers + 1);
  const TimePoint last = TimePoint{} + timeline.makespan();
  if (runtime_of(design).dispatched()) {
    return std::max(last, timeline.seen) + round_ns(after_dispatchers(design, machine, workers) + Nanoseconds{late});
  }
  return last + round_ns(after_workers(design, machine, workers) + Nanoseconds{late});
}

}  // namespace tasktwin::sim
