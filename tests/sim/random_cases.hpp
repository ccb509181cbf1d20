#pragma once

#include <string>

#include "models/design/design.hpp"
#include "models/graph/task_graph.hpp"
#include "tests/support/free_machine.hpp"

namespace tasktwin::sim {

/// A small graph, a machine and a design's axes, drawn at random; the same for the same number.
struct RandomCase {
  TaskGraph graph;
  Machine machine = free_machine();
  Design design;
  std::uint64_t seed = 0;

  std::string describe() const;
};

/// `design` names the family; its free axes (depth, order, fill, dispatchers, streams, placement) are drawn.
RandomCase random_case(const Design& design, std::uint64_t number);

}  // namespace tasktwin::sim
