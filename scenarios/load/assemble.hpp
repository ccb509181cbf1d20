#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scenarios/load/scenario.hpp"

namespace tasktwin::scenarios {

/// Throws InputError for a graph that `machine` cannot run under `design`: what load_scenario refuses of files.
void check_runnable(const TaskGraph& graph, const Machine& machine, const Design& design);

/// A scenario of parts that a program has made. Throws InputError as load_scenario does: without a place, since there is no file.
Scenario assemble(std::string name, TaskGraph graph, Machine machine, std::vector<Design> designs, std::uint64_t seed);

}  // namespace tasktwin::scenarios
