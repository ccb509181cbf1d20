#pragma once

#include <string>
#include <vector>

#include "models/cost/rerun.hpp"

namespace tasktwin::scenarios {

/// The launches of a scenario's graph that was read from a trace, by TaskId; empty where the file does not say. The trace is read again: a
/// run on a GPU alone has a use for them. Contract: load_scenario() takes `path_or_name`, and its graph is an import.
std::vector<CapturedLaunch> captured_launches(const std::string& path_or_name);

}  // namespace tasktwin::scenarios
