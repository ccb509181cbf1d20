#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/design.hpp"
#include "models/machine.hpp"
#include "models/task_graph.hpp"
#include "models/timeline.hpp"
#include "sim/simulator.hpp"
#include "tests/sim/small_worlds.hpp"

namespace tasktwin::sim {

/// A graph whose tasks name their streams.
class Program {
 public:
  TaskId kernel(int stream, std::int64_t time_ns, std::int64_t bytes = 0) {
    return add(stream, {.cost = {.time = Duration{time_ns}, .bytes = {bytes}}});
  }
  TaskId operation(Operation operation, int stream, std::int64_t bytes, bool pageable = false) {
    return add(stream, {.cost = {.bytes = {bytes}}, .kernel = Kernel::kEmpty, .operation = operation}, pageable);
  }
  TaskId host(int stream, std::int64_t time_ns) {
    return add(stream, {.cost = {.time = Duration{time_ns}}, .kernel = Kernel::kEmpty, .operation = Operation::kHost});
  }
  TaskId alloc(int stream, std::int32_t buffer, std::int64_t bytes) {
    return add(stream, {.cost = {.bytes = {bytes}}, .args = {buffer}, .kernel = Kernel::kEmpty, .operation = Operation::kAlloc});
  }
  TaskId free(int stream, std::int32_t buffer) {
    return add(stream, {.args = {buffer}, .kernel = Kernel::kEmpty, .operation = Operation::kFree});
  }
  void after(TaskId task, TaskId before) { builder_.add_edge(before, task); }
  TaskGraph build() const { return TaskGraphBuilder(builder_).build(); }

 private:
  TaskId add(int stream, Task task, bool pageable = false) {
    task.traits = builder_.add_traits({.pageable = pageable, .stream = stream});
    return builder_.add_task("t" + std::to_string(builder_.size()), task);
  }
  TaskGraphBuilder builder_;
};

inline Design hinted(int streams) {
  Design design = named_design("cuda-streams");
  design.streams = streams;
  design.stream_granularity = StreamGranularity::kHinted;
  return design;
}

/// 10 bytes/ns each way; every latency zero.
inline Machine copy_machine() {
  Machine machine = plain_machine(1);
  machine.constants.h2d_bandwidth = machine.constants.d2h_bandwidth = 10;
  return machine;
}

inline std::vector<std::int64_t> ends(const Timeline& timeline) {
  std::vector<std::int64_t> ends;
  for (const TaskTimes& times : timeline.tasks) ends.push_back(to_ns(times.ended));
  return ends;
}

inline std::vector<std::int64_t> ends(const Program& program, const Machine& machine, const Design& design) {
  return ends(simulate(program.build(), machine, design).timeline);
}

inline TaskGraph pipeline(int chunks) {
  Program program;
  for (int i = 0; i < chunks; ++i) {
    program.operation(Operation::kCopyH2d, i, 1000);
    const TaskId work = program.kernel(i, 100);
    const TaskId out = program.operation(Operation::kCopyD2h, i, 1000);
    program.after(work, task_id(index(work) - 1));
    program.after(out, work);
  }
  return program.build();
}

inline Machine memory_machine() {
  Machine machine = plain_machine(2);
  machine.memory_limits = {.page = 2 << 20, .pool_segment = 32 << 20};
  machine.constants.malloc = machine.constants.malloc_new = Nanoseconds{100};
  machine.constants.malloc_free = Nanoseconds{70};
  machine.constants.malloc_async = Nanoseconds{20};
  machine.constants.free_async = Nanoseconds{5};
  machine.constants.pool_grow = Nanoseconds{50};
  machine.constants.cached = Nanoseconds{3};
  return machine;
}

}  // namespace tasktwin::sim
