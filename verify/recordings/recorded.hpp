#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/executor.hpp"
#include "models/run/timeline.hpp"
#include "scenarios/load/scenario.hpp"
#include "verify/recordings/recorded_starts.hpp"

namespace tasktwin::verify {

/// A measurement, fresh or kept for later: a line of verify/recorded/<machine>/cases.jsonl (RecordedLines), and its timeline beside that as
/// <scenario>.<design>.csv.gz, or quantiles of starts in the line.
struct RecordedCase {
  std::string scenario;
  std::string scenario_source;  ///< what load_scenario finds it by: a shipped name, else the file as given
  std::string design;
  std::string machine;
  std::string device;        ///< as the driver names it
  std::string driver;        ///< version
  std::string runtime;       ///< CUDA version
  std::string date;          ///< ISO 8601
  std::string commit;        ///< of the build that measured
  std::string command;       ///< that reproduces it
  std::string graph_hash;    ///< of the tasks and edges measured: verify refuses a recording of another graph
  std::string machine_hash;  ///< of the machine file at that time: what frozen placements were computed from
  std::string axes;          ///< the design's axes as a JSON object (design_to_json): verify refuses another design of that name
  std::vector<Duration> makespans;
  std::vector<Duration> stamped_makespans;
  Nanoseconds host_call{};  ///< gpu::Measurement::host_call; 0 also in older files
  std::int64_t ordering_violations = 0;
  std::optional<double> residual;
  double residual_limit = 0;
  std::optional<MemorySample> peak_memory;  ///< of the run whose timeline is kept; absent where nothing is allocated
  Timeline timeline;                        ///< its `memory` is not kept in the file
  std::optional<RecordedStarts> starts;     ///< in place of a timeline, which then has no tasks

  friend bool operator==(const RecordedCase&, const RecordedCase&) = default;
};

/// The origin of a measurement, in addition to the scenario itself.
struct RecordingContext {
  std::string scenario_source;
  std::string command;
  std::string date;
  gpu::DeviceInfo device;
};

RecordedCase make_recording(const scenarios::Scenario& scenario, const Design& design, gpu::Measurement measurement,
                            const RecordingContext& context);

/// The same with quantiles in place of the timeline.
RecordedCase without_timeline(RecordedCase recorded, const TaskGraph& graph);

/// The recordings that the project ships, next to its scenarios' folder.
std::filesystem::path recordings_folder();

/// The first axis in which a recorded design, `axes` as a JSON object, is not `design`: "release was …, but is … now".
std::optional<std::string> changed_axis(const std::string& axes, const Design& design);

/// Throws InputError saying what to do, if `recorded` is of another case, graph or design than `scenario` now has.
void check_recording(const RecordedCase& recorded, const scenarios::Scenario& scenario, const Design& design);

/// Says of a measured timeline what its cores are, and which compute cores `machine` has, where the executor or the file did not.
void name_cores(Timeline& timeline, const Machine& machine, const Design& design);

}  // namespace tasktwin::verify
