#pragma once

#include <optional>
#include <string>

#include "scenarios/load/scenario.hpp"

namespace tasktwin::verify {

/// What a GPU runs in place of a captured program's kernels under `design`: of designs that launch a kernel a task rerun_graph(); nullopt
/// where it runs the scenario's own graph, as workers do, each block of which takes a multiprocessor. `path_or_name`: where the scenario
/// was loaded from.
std::optional<TaskGraph> rerun_of(const std::string& path_or_name, const scenarios::Scenario& scenario, const Design& design);

/// Why the times of such a run are not those of the program, in a sentence; nullopt where the scenario is no captured program.
std::optional<std::string> rerun_remark(const scenarios::Scenario& scenario);

}  // namespace tasktwin::verify
