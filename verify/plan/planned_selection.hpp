#pragma once

#include <string>
#include <vector>

#include "verify/predict/prediction.hpp"

namespace tasktwin::verify {

/// The one selection with what the plan in `file` says in place of its designs and edges: of launch `lists` its workers' lists under a
/// design called `plan`; of `graph` and `streams`, for the iteration of a captured program, its edges under designs cuda-graph or
/// cuda-streams. Throws InputError where there are several selections, or some of their designs were asked for, and with file, line and
/// field what is wrong with the plan.
void follow_plan(const std::string& file, const std::string& designs, std::vector<Selection>& selections);

}  // namespace tasktwin::verify
