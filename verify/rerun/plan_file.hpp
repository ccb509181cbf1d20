#pragma once

#include <filesystem>
#include <string>

#include "gpu/rerun/order/plan.hpp"
#include "models/design/design.hpp"
#include "models/graph/task_graph.hpp"
#include "models/program/host_program.hpp"
#include "scenarios/load/scenario.hpp"
#include "verify/output/text/json.hpp"

namespace tasktwin::verify {

/// Of all files of plans.
inline constexpr int kPlanVersion = 1;
/// The field `launch` of those that workers of a resident kernel follow (verify/plan/list_plan.hpp).
inline constexpr const char* kListsWord = "lists";

/// A schedule of a program's iteration, written by one command and run by another.
struct PlanFile {
  std::string from{};       ///< what made it, for people
  bool own_memory = false;  ///< it is right only where each tensor has memory of its own
  gpu::rerun::Plan plan{};
};

/// The work of a captured program as a CUDA graph, with the graph's edges but for those that others imply.
gpu::rerun::Plan graph_plan(const TaskGraph& graph);
/// The same with an operation for each of the program's launches: a graph that it launches is one. Contract: `program` is of `graph`.
gpu::rerun::Plan graph_plan(const TaskGraph& graph, const HostProgram& program);

/// As `design` would launch it: as a CUDA graph, or over its streams in its order of launching, with its priorities. Throws InputError for
/// a design that launches no kernels, and for tasks that no launch of a stream is.
gpu::rerun::Plan plan_of(const scenarios::Scenario& scenario, const Design& design);

/// The same with what a file says beside it. Throws InputError as plan_of().
PlanFile plan_file_of(const scenarios::Scenario& scenario, const Design& design);

/// The graph with a plan's edges in place of its own, each task asking for the plan's stream and priority.
TaskGraph planned_graph(const TaskGraph& graph, const gpu::rerun::Plan& plan);

/// The design that launches such a graph: a CUDA graph, or streams with priorities where the plan has some.
Design planned_design(const gpu::rerun::Plan& plan);

/// `graph` gives tasks their names.
Json to_json(const PlanFile& file, const TaskGraph& graph);

/// Reads what to_json made. Throws InputError with file and field.
PlanFile read_plan_file(const std::filesystem::path& path);

}  // namespace tasktwin::verify
