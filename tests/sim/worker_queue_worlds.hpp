#pragma once

#include <vector>

#include "sim/simulator.hpp"
#include "tests/sim/small_worlds.hpp"

namespace tasktwin::sim {

inline Timeline run(const TaskGraph& graph, const Machine& machine, const Design& design, std::uint64_t seed = 1) {
  return simulate(graph, machine, design, {.seed = seed}).timeline;
}

/// A queue a worker, first in first out, the next worker tried first.
inline Design stealing(Stealing amount) {
  Design design = with_depth("work-stealing", 1);
  design.order = TaskOrder::kFifo;
  design.stealing = amount;
  if (amount != Stealing::kOff) design.victim = Victim::kNext;
  return design;
}

/// Lists dealt out in turn, of so many per cent of the tasks, and a queue for the others.
inline Design hybrid(int static_percent) {
  Design design = with_depth("hybrid", 1);
  design.placement = Placement::kRoundRobin;
  design.static_percent = static_percent;
  return design;
}

inline std::vector<std::size_t> cores_of(const Timeline& timeline) {
  std::vector<std::size_t> cores;
  for (const TaskTimes& task : timeline.tasks) cores.push_back(index(task.core));
  return cores;
}

inline std::vector<std::int64_t> starts_of(const Timeline& timeline) {
  std::vector<std::int64_t> starts;
  for (const TaskTimes& task : timeline.tasks) starts.push_back(to_ns(task.started));
  return starts;
}

}  // namespace tasktwin::sim
