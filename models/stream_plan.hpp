#pragma once

#include <cstdint>
#include <vector>

#include "models/design.hpp"
#include "models/task_graph.hpp"

namespace tasktwin {

/// One kernel launch of the driver `streams`.
struct StreamLaunch {
  TaskId task{};
  std::uint32_t stream = 0;
  std::vector<TaskId> awaited;  ///< tasks whose events the stream waits for first: per other stream its latest predecessor
  bool records_event = false;   ///< some later launch in another stream awaits this one
};

/// How many streams `design` uses for `graph`: `streams` of them, one, or one for each kernel that occurs.
std::uint32_t stream_count(const TaskGraph& graph, const Design& design);

/// The stream of each launch in the host's order, which is the topological one. By granularity: the i-th launch into stream
/// i modulo `streams`; a stream for each kernel, in the order in which they first occur; layer modulo `streams`; stream 0.
std::vector<std::uint32_t> assign_streams(const TaskGraph& graph, const Design& design);

/// The host's calls in order; the simulator and the executor both follow it. Contract: check_design has passed.
std::vector<StreamLaunch> plan_streams(const TaskGraph& graph, const Design& design);

}  // namespace tasktwin
