#pragma once

#include <string>

#include "models/design/design.hpp"
#include "models/graph/task_graph.hpp"
#include "models/runtimes/runtimes.hpp"

namespace tasktwin {

/// Builds graphs whose tasks name their streams: "t0", "t1", …
class OperationGraph {
 public:
  TaskId kernel(int stream, std::int64_t time_ns, std::int64_t bytes = 0) {
    return add(stream, {.cost = {.time = Duration{time_ns}, .bytes = {bytes}}});
  }
  TaskId transfer(Operation operation, int stream, std::int64_t bytes, std::int32_t buffer = 0, bool pageable = false) {
    return add(stream, {.cost = {.bytes = {bytes}}, .args = {buffer}, .kernel = Kernel::kEmpty, .operation = operation}, pageable);
  }
  TaskId alloc(int stream, std::int32_t buffer, std::int64_t bytes) { return transfer(Operation::kAlloc, stream, bytes, buffer); }
  TaskId free(int stream, std::int32_t buffer) { return transfer(Operation::kFree, stream, 0, buffer); }
  TaskId host(int stream, std::int64_t time_ns) {
    return add(stream, {.cost = {.time = Duration{time_ns}}, .kernel = Kernel::kEmpty, .operation = Operation::kHost});
  }
  void after(TaskId task, TaskId before) { builder_.add_edge(before, task); }
  /// Each after the one before it.
  void chain(std::initializer_list<TaskId> tasks) {
    for (const TaskId* task = tasks.begin() + 1; task < tasks.end(); ++task) after(*task, task[-1]);
  }
  TaskGraph build() const { return TaskGraphBuilder(builder_).build(); }

 private:
  TaskId add(int stream, Task task, bool pageable = false) {
    task.traits = builder_.add_traits({.pageable = pageable, .stream = stream});
    return builder_.add_task("t" + std::to_string(builder_.size()), task);
  }
  TaskGraphBuilder builder_;
};

/// Tasks in the streams that they name.
inline Design hinted_streams(int streams) {
  Design design = named_design("cuda-streams");
  design.stream_granularity = StreamGranularity::kHinted;
  design.streams = streams;
  return design;
}

}  // namespace tasktwin
