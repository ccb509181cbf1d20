#pragma once

#include <cstdint>
#include <vector>

#include "models/design/design.hpp"
#include "models/graph/task_graph.hpp"
#include "models/machine/machine.hpp"

namespace tasktwin {

/// By TaskId: the device that it names, or that Design::device_placement gives it.
std::vector<std::int32_t> place_on_devices(const TaskGraph& graph, const Machine& machine, const Design& design);

}  // namespace tasktwin
