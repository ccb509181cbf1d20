#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "sim/simulator.hpp"
#include "tests/sim/small_worlds.hpp"
#include "tests/support/free_machine.hpp"

namespace tasktwin::sim {

/// Dispatchers that look after `cores` cores of type sm, one task a mailbox.
struct DispatchedWorld {
  explicit DispatchedWorld(int cores, int control_cores = 1) : machine(plain_machine(cores)) {
    machine.control_cores.count = control_cores;
    design.name = "tested";
  }
  Timeline run(const TaskGraph& graph, std::uint64_t seed = 1) const {
    return simulate(graph, machine, design, {.seed = seed, .record_steps = true}).timeline;
  }
  Machine machine = free_machine();
  Design design;
};

inline std::vector<std::int64_t> dispatched(const Timeline& timeline) { return times(timeline, &TaskTimes::dispatched); }
inline std::vector<std::int64_t> started(const Timeline& timeline) { return times(timeline, &TaskTimes::started); }
inline std::vector<std::size_t> cores(const Timeline& timeline) {
  std::vector<std::size_t> all;
  for (const TaskTimes& task : timeline.tasks) all.push_back(index(task.core));
  return all;
}
inline int steps(const Timeline& timeline, std::size_t dispatcher, StepKind kind) {
  return static_cast<int>(std::ranges::count(timeline.steps[dispatcher], kind, &Step::kind));
}

}  // namespace tasktwin::sim
