#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "models/design/design.hpp"
#include "models/graph/task_graph.hpp"
#include "models/run/timeline.hpp"
#include "tests/sim/effect_worlds.hpp"

namespace tasktwin::sim {

/// How a run ends.
struct Ending {
  std::optional<Timeline> timeline = {};  ///< absent where it is refused or stands still
  bool refused = false;
  friend bool operator==(const Ending&, const Ending&) = default;
};

void PrintTo(const Ending& ending, std::ostream* out);

Ending run(const TaskGraph& graph, const Machine& machine, const Design& design);

/// Values to try: every word, numbers of both ends of what is usual.
std::vector<Design> with_each_value(const Design& design, const AxisField& field);

/// A graph on its machine.
struct Stage {
  std::string name;
  TaskGraph graph;
  Machine machine;
};

std::vector<Stage> staged(const std::vector<EffectWorld>& worlds);

}  // namespace tasktwin::sim
