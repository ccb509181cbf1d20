#pragma once

#include <cstdint>

#include "models/design/design.hpp"
#include "models/run/timeline.hpp"

namespace tasktwin::oracles {

/// The designs' rules followed nanosecond by nanosecond, looking at every task, core and dispatcher in each: no engine, no
/// event queue, nothing known before its time has come that is not written down in the rules. For some dozens of tasks and
/// some thousands of nanoseconds. Throws std::runtime_error if it does not come to an end.
Timeline simulate(const TaskGraph& graph, const Machine& machine, const Design& design, std::uint64_t seed);

// One for each family of designs.
Timeline simulate_streams(const TaskGraph& graph, const Machine& machine, const Design& design, std::uint64_t seed);
Timeline simulate_dispatchers(const TaskGraph& graph, const Machine& machine, const Design& design, std::uint64_t seed);
Timeline simulate_static_queues(const TaskGraph& graph, const Machine& machine, const Design& design, std::uint64_t seed);
Timeline simulate_shared_queue(const TaskGraph& graph, const Machine& machine, const Design& design, std::uint64_t seed);
Timeline simulate_work_stealing(const TaskGraph& graph, const Machine& machine, const Design& design, std::uint64_t seed);
Timeline simulate_layer_barrier(const TaskGraph& graph, const Machine& machine, const Design& design, std::uint64_t seed);

/// Ready and not yet dispatched, counted in every nanosecond.
std::vector<QueueSample> count_queue(const std::vector<TaskTimes>& tasks);

}  // namespace tasktwin::oracles
