#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <CLI/App.hpp>

#include "verify/output/files/output_paths.hpp"
#include "verify/output/text/json.hpp"
#include "verify/output/timelines/traced_run.hpp"
#include "verify/predict/prediction.hpp"

namespace tasktwin::verify {

/// The files that a command writes for each of its cases.
class CaseOutputs {
 public:
  /// --timeline and --blocks, of the first of a case's runs.
  void add_timeline(CLI::App& app);
  /// --swimlane, of the same.
  void add_swimlane(CLI::App& app);
  /// --plan-out, of the design alone.
  void add_plan(CLI::App& app);
  /// --trace, --perfetto and --svg, of all of them.
  void add_trace(CLI::App& app);

  /// All of these options, in their order in the help.
  static std::span<const char* const> option_names();

  /// Works out every path and refuses what cannot be written, before the work starts. `more_inputs` are files that must
  /// not be overwritten, in addition to those the scenarios were read from.
  void plan(std::span<const Selection> selections, const std::vector<std::filesystem::path>& more_inputs = {});

  /// Whether the control cores' steps will be shown.
  bool wants_steps() const;
  bool wanted() const;

  /// Writes what was asked for and adds "timeline_file", "trace_file" and the like to `object`.
  void write(Json& object, const scenarios::Scenario& scenario, const Design& design, std::uint64_t seed, std::span<const TraceRun> runs);
  /// The same of a run that no design of ours made: `facts` say what there is to say of it. Contract: one case was planned.
  void write_captured(const scenarios::Scenario& scenario, const TraceRun& run, const Json& facts);

  /// "wrote FILE" for every file written, a line each.
  std::string written() const;

 private:
  /// What can be written, in the order of option_names().
  enum Kind : std::uint8_t { kTimeline, kBlocks, kSwimlane, kPlan, kTrace, kPerfetto, kSvg, kKinds };

  void write_files(Json& object, const scenarios::Scenario& scenario, const std::string& name, const Json& facts,
                   std::span<const TraceRun> runs);
  void add(CLI::App& app, Kind kind, const std::string& type, const std::string& help);

  /// Which cases it writes: all, but of plans those alone that a rerun can do, and of a what-if the changed.
  static bool writes(Kind kind, const Selection& selection, const Design& design, std::span<const Selection> all);

  std::array<std::string, kKinds> given_;
  std::vector<OutputPlan> plans_;                             ///< by Kind; empty before plan()
  std::vector<std::pair<std::string, std::string>> planned_;  ///< scenario and design of those that a plan is written of
  std::vector<std::string> written_;
};

}  // namespace tasktwin::verify
