#pragma once

#include <cstdint>
#include <vector>

#include "models/graph/task_graph.hpp"
#include "models/run/timeline.hpp"

namespace tasktwin::verify {

/// A warp of a kernel that launches what its task has made ready, under `dynamic-parallelism`.
struct Launch {
  TaskId launcher;
  Span span;  ///< launch begun to launch done
  bool single;
};

/// All of a stamped run, in the order in which they begin.
std::vector<Launch> launches_of(const TaskGraph& graph, const Timeline& timeline);

/// Warps that launch at a time.
std::int64_t launching_at(const std::vector<Launch>& launches, TimePoint time);

}  // namespace tasktwin::verify
