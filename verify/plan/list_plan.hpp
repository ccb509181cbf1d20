#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "models/policies/policies.hpp"
#include "scenarios/load/scenario.hpp"
#include "verify/output/text/json.hpp"

namespace tasktwin::verify {

/// What the workers of a resident kernel do, each its tasks in order, and what they wait for: a design of fixed lists, and the graph with
/// the plan's waits in place of its own edges.
struct ListPlan {
  Design design;         ///< of placement `replay`, named `plan`
  TaskGraph graph;       ///< the scenario's tasks, and the events of the plan
  FrozenSchedule lists;  ///< by TaskId of `graph`
  /// `graph` with the scenario's edges in place of the plan's waits; none where the plan does without an event of the scenario.
  std::optional<TaskGraph> needed;
};

/// As a file has it: what the workers of `design` do with the scenario's graph. Throws InputError for a design that is none of fixed lists
/// alone, and for several devices.
Json list_plan_json(const scenarios::Scenario& scenario, const Design& design);

/// Reads a plan for the scenario's graph, and checks that it says of every task what the scenario does, that its workers find room on the
/// machine, that they cannot come to wait for each other, and that no task can begin before one that it needs has ended. `json` is what
/// the file has. Throws InputError with file, line and field.
ListPlan list_plan_from(const std::string& file, const Json& json, const scenarios::Scenario& scenario);

}  // namespace tasktwin::verify
