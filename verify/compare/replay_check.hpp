#pragma once

#include <string>

#include "models/graph/task_graph.hpp"
#include "models/program/host_program.hpp"
#include "models/run/timeline.hpp"
#include "scenarios/importers/parts/imported.hpp"
#include "verify/output/text/json.hpp"

namespace tasktwin::verify {

/// A captured run held against its own replay in the simulator.
struct ReplayCheck {
  Duration captured{};  ///< the host's first call to the last task's end
  Duration replayed{};
  double start_p50 = 0;        ///< how far off starts are, as a share of the captured time: median,
  double start_p95 = 0;        ///< 95th percentile
  std::uint32_t stream = 0;    ///< the busiest
  Duration stream_captured{};  ///< its first start to its last end
  Duration stream_replayed{};
  TaskId where{};               ///< the task at whose start the replay loses or gains most at once
  Duration by{};                ///< positive where the replay is late
  double error() const;         ///< of the whole, a fraction
  double stream_error() const;  ///< of the busiest stream
};

/// Contract: both timelines are of `graph`, which has tasks, and `captured` has all starts and ends.
ReplayCheck check_replay(const TaskGraph& graph, const Timeline& captured, const Timeline& replayed);

/// The run of a captured program, held against its replay on the machine of that name (scenarios::replayed_run). Contract: `imported` has a
/// program, and tasks.
ReplayCheck check_replay(const scenarios::Imported& imported, const std::string& machine);

/// What it found, in two lines.
std::string replay_text(const ReplayCheck& check, const TaskGraph& graph);

}  // namespace tasktwin::verify
