#pragma once

#include "models/task_graph.hpp"
#include "verify/output/json.hpp"

namespace tasktwin::verify {

/// GraphData of page/src/data.ts.
Json graph_data(const TaskGraph& graph);

}  // namespace tasktwin::verify
