#pragma once

#include <string>
#include <vector>

#include "models/design/design.hpp"
#include "models/graph/task_graph.hpp"

namespace tasktwin {

// What is stated, allowed and yet without effect. Each remark is a sentence that says what changes nothing, and why or what it needs.
// What would mislead is refused instead: by check_design, by an executor, or as a task that cannot run.

/// Fields of tasks that nothing reads under `design`.
std::vector<std::string> task_remarks(const TaskGraph& graph, const Design& design);

/// What may be read before it is there, since `design` does not wait at both ends for outputs to land (Design::output_flush): a sentence,
/// or none.
std::vector<std::string> flush_races(const TaskGraph& graph, const Design& design);

/// Axes in which `design` differs from `base`, the design that it was made from, without any difference to a run of `graph` on `machine`.
/// Contract: check_design has passed.
std::vector<std::string> axis_remarks(const TaskGraph& graph, const Machine& machine, const Design& design, const Design& base);

/// Of a machine of several devices: network cards that do nothing for `graph`, and tables of collective_times that the links contradict.
std::vector<std::string> device_remarks(const TaskGraph& graph, const Machine& machine, const Design& design);

/// Of several workers a core, where most of the tasks' time is of bodies that take no share of it, so that those beside them do not slow
/// them down (docs/model/shared_cores.md).
std::vector<std::string> worker_remarks(const TaskGraph& graph, const Machine& machine, const Design& design);

}  // namespace tasktwin
