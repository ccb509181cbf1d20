#pragma once

#include <cstdint>
#include <vector>

#include "models/design/design.hpp"
#include "models/graph/task_graph.hpp"
#include "models/machine/machine.hpp"
#include "models/run/timeline.hpp"
#include "sim/simulator.hpp"
#include "tests/models/operation_graphs.hpp"
#include "tests/sim/small_worlds.hpp"

namespace tasktwin::sim {

/// 10 bytes/ns each way; every latency zero.
inline Machine copy_machine() {
  Machine machine = plain_machine(1);
  machine.links->h2d_bandwidth = machine.links->d2h_bandwidth = 10;
  return machine;
}

inline std::vector<std::int64_t> ends(const Timeline& timeline) {
  std::vector<std::int64_t> ends;
  for (const TaskTimes& times : timeline.tasks) ends.push_back(to_ns(times.ended));
  return ends;
}

inline std::vector<std::int64_t> ends(const OperationGraph& program, const Machine& machine, const Design& design) {
  return ends(simulate(program.build(), machine, design).timeline);
}

inline TaskGraph pipeline(int chunks) {
  OperationGraph program;
  for (int i = 0; i < chunks; ++i) {
    program.transfer(Operation::kCopyH2d, i, 1000);
    const TaskId work = program.kernel(i, 100);
    const TaskId out = program.transfer(Operation::kCopyD2h, i, 1000);
    program.after(work, task_id(index(work) - 1));
    program.after(out, work);
  }
  return program.build();
}

inline Machine memory_machine() {
  Machine machine = plain_machine(2);
  machine.memory_limits = {.page = 2 << 20, .pool_segment = 32 << 20};
  machine.allocators->malloc = machine.allocators->malloc_new = Nanoseconds{100};
  machine.allocators->free = Nanoseconds{70};
  machine.allocators->malloc_async = Nanoseconds{20};
  return machine;
}

}  // namespace tasktwin::sim
