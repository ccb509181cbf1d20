#pragma once

#include <cstdint>
#include <string>

#include "models/design/design.hpp"
#include "models/graph/task_graph.hpp"
#include "models/run/timeline.hpp"
#include "tests/support/free_machine.hpp"

namespace tasktwin::sim {

/// A small graph with every trait that tasks can have, a machine with and without clusters, and a design drawn over all axes.
struct RandomWorld {
  TaskGraph graph;
  Machine machine = free_machine();
  Design design;
  Timeline replayed;  ///< for placement `replay`
  std::uint64_t seed = 0;

  std::string describe() const;
};

/// Whether check_design lets it pass.
bool passes(const Design& design, const Machine& machine);

/// The words of an axis that the simulator has: all but driver `cuda_graph`, which runs on a GPU only, and stream_wait
/// `program`, which only graphs with a host program have.
std::span<const std::string_view> simulated_words(const AxisField& field);

/// The same for the same number. The design passes check_design; the graph may hold tasks that it refuses.
RandomWorld random_world(std::uint64_t number);

}  // namespace tasktwin::sim
