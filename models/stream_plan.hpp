#pragma once

#include <cstdint>
#include <vector>

#include "models/task_graph.hpp"

namespace tasktwin {

/// One kernel launch of the driver `streams`.
struct StreamLaunch {
  TaskId task{};
  std::uint32_t stream = 0;
  std::vector<TaskId> awaited;  ///< tasks whose events the stream waits for first: per other stream its latest predecessor
  bool records_event = false;   ///< some later launch in another stream awaits this one
};

/// The host's calls in order: tasks in topological order, the i-th of them into stream i modulo `streams`. The simulator
/// and the executor both follow it. Contract: streams >= 1.
std::vector<StreamLaunch> plan_streams(const TaskGraph& graph, int streams);

}  // namespace tasktwin
