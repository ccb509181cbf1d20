#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/design/design.hpp"
#include "models/graph/task_graph.hpp"
#include "models/machine/machine.hpp"
#include "models/program/host_program.hpp"
#include "models/run/timeline.hpp"
#include "scenarios/files/data_folder.hpp"
#include "scenarios/machine_files/load_machine.hpp"

namespace tasktwin::scenarios {

struct ProgramNeeds;  // scenarios/importers/parts/imported.hpp

/// The two files of a captured run that a scenario's graph is of (scenarios/swimlane/swimlane_capture.hpp), as found.
struct CaptureFiles {
  std::string records;
  std::string deps;
  std::optional<std::int64_t> run = {};  ///< by its run_epoch, where the file has several
};

/// What the file of another program says that a scenario's graph is read from (scenarios/importers/importers.hpp).
struct ImportedRun {
  std::string file;    ///< as found
  std::string format;  ///< the importer's name
  Timeline captured;   ///< by TaskId; without tasks where the file has no run's times
  std::vector<std::pair<std::string, std::int64_t>> counts;
  std::vector<std::string> remarks;  ///< what cannot be known, was left out or is assumed
  std::size_t iterations = 1;        ///< of the program's loop, as its ranges show them (scenarios/importers/parts/imported.hpp)
  bool profiled = false;             ///< its kernels' times are a profiler's, though there is no program
  bool own_memory = false;           ///< its edges are right only where each tensor has memory of its own
};

/// A scenario file, read and checked: one task graph on one machine under one or more designs.
struct Scenario {
  std::string name;
  std::string description;
  std::string question;  ///< what the scenario is there to answer, if anything
  std::string finding;   ///< and the answer that its simulation gave
  TaskGraph graph;
  Machine machine;
  std::string machine_file;  ///< as found
  std::string machine_hash;  ///< of the machine file's text and the scenario's own changes to it
  std::vector<Design> designs;
  std::map<std::string, Design> bases = {};  ///< by design name: the one that it was made from, with its axes before the changes
  bool listed = false;                       ///< its tasks are written out, so that what they state is the author's
  std::map<std::string, Timeline> replays;   ///< by design name: what placement `replay` follows
  std::uint64_t seed = 1;
  std::optional<CaptureFiles> capture = {};
  std::optional<ImportedRun> imported = {};
  /// By the ids of `graph`, with the edges that tasks need, where a plan's waits are in place of these: bounds are of it.
  std::optional<TaskGraph> needed = {};
  std::optional<HostProgram> program = {};         ///< what launched the graph's tasks, where a file says so
  std::shared_ptr<const ProgramNeeds> needs = {};  ///< of the program, where a file says which memory its tasks use; else null
  double host_pace = 1;  ///< how many times as long the host takes as machine and program say: a question, none of a file
  std::map<std::size_t, std::size_t> table_parameters = {};  ///< of its own kernels whose times are by a parameter: that one's number
  std::vector<std::string> remarks = {};  ///< of what its file names, in sentences: where the costs of its own kernels come from

  /// What placement `replay` of the design follows; null for designs of other placements.
  const Timeline* replayed(const Design& design) const {
    const auto found = replays.find(design.name);
    return found == replays.end() ? nullptr : &found->second;
  }
};

/// Reads `path`, or the shipped scenario of that name ("cholesky"), changed by `overrides` such as "graph.time_ns=500"
/// (scenarios/designs/overrides.hpp). Throws InputError with file:line:column, or with the override.
Scenario load_scenario(const std::string& path_or_name, std::span<const std::string> overrides = {});

}  // namespace tasktwin::scenarios
