#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include <CLI/App.hpp>

#include "verify/output/chrome_trace.hpp"
#include "verify/output/json.hpp"
#include "verify/output/output_paths.hpp"
#include "verify/prediction.hpp"

namespace tasktwin::verify {

/// The files that a command writes for each of its cases: --timeline and --trace.
class CaseOutputs {
 public:
  void add_timeline(CLI::App& app);
  void add_trace(CLI::App& app);

  /// Works out every path and refuses what cannot be written, before the work starts. `more_inputs` are files that must
  /// not be overwritten beside those the scenarios were read from.
  void plan(std::span<const Selection> selections, const std::vector<std::filesystem::path>& more_inputs = {});

  /// Whether the control cores' steps will be shown.
  bool wants_steps() const { return traces_.wanted(); }

  /// Writes what was asked for and adds "timeline_file" and "trace_file" to `object`.
  void write(Json& object, const scenarios::Scenario& scenario, const Design& design, std::uint64_t seed, std::span<const TraceRun> runs);

  /// "wrote FILE" for every file written, a line each.
  std::string written() const;

 private:
  std::string timeline_;
  std::string trace_;
  OutputPlan timelines_{"--timeline", "", false, false};
  OutputPlan traces_{"--trace", "", false, false};
  std::vector<std::string> written_;
};

}  // namespace tasktwin::verify
