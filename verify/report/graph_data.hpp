#pragma once

#include "models/graph/task_graph.hpp"
#include "verify/output/text/json.hpp"

namespace tasktwin::verify {

/// GraphData of page/src/data.ts.
Json graph_data(const TaskGraph& graph);

}  // namespace tasktwin::verify
