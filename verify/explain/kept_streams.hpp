#pragma once

#include <vector>

#include "models/design/design.hpp"
#include "models/graph/task_graph.hpp"
#include "scenarios/load/scenario.hpp"

namespace tasktwin::verify {

/// The streams that the design gives a scenario's tasks, by TaskId, each among those of its device. Throws InputError where it puts in
/// copies between devices and tasks ask for no streams: what they ask for could not say where the copies go. Contract: it is of driver
/// `streams`.
std::vector<int> streams_given(const scenarios::Scenario& scenario, const Design& design);

/// The graph whose tasks ask for these, by TaskId.
TaskGraph asking_for(const TaskGraph& graph, const std::vector<int>& streams);

}  // namespace tasktwin::verify
