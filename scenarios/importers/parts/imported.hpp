#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/cost/rerun.hpp"
#include "models/dependences/judged_order.hpp"
#include "models/graph/task_graph.hpp"
#include "models/program/host_program.hpp"
#include "models/run/timeline.hpp"

namespace tasktwin::scenarios {

/// What one may say of how a file is to be read: import_option_fields() has the names. Each importer states those that it takes.
struct ImportOptions {
  std::string with = {};
  std::string range = {};
  int device = -1;
  std::vector<std::string> independent = {};
  std::string unknown_waits = {};
  std::vector<std::string> drop_edges = {};
  std::string dependences = {};
  std::string effects = {};
  std::string time_unit = {};
  std::string core_type = {};
  std::vector<std::string> ranks = {};
  /// Told how many bytes of how many are read; may be empty.
  std::function<void(std::uint64_t done, std::uint64_t all)> progress = {};
};

/// One of them, by its name under `graph` of a scenario; on the command line "--drop-edges" means "drop_edges".
struct ImportOptionField {
  std::string_view name;
  std::string_view meaning;
  std::string ImportOptions::*text = nullptr;  ///< empty where it is not given
  std::vector<std::string> ImportOptions::*list = nullptr;
  int ImportOptions::*number = nullptr;  ///< -1 where it is not given
  bool files = false;                    ///< it names files beside the scenario

  bool given(const ImportOptions& options) const {
    return text ? !(options.*text).empty() : list ? !(options.*list).empty() : options.*number >= 0;
  }
};

std::span<const ImportOptionField> import_option_fields();

/// A constant of the machine that a file lets one measure, over that many occasions.
struct MeasuredConstant {
  std::string key;  ///< of constant_fields(): "streams.gap_ns"
  double value = 0;
  std::int64_t occasions = 0;
  std::string method;   ///< in words
  bool median = false;  ///< of the occasions, in place of the mean without the extremes

  /// "median of", "mean of the middle nine tenths of": followed by the number of occasions.
  const char* statistic() const { return median ? "median of" : "mean of the middle nine tenths of"; }
};

/// What a program names a part of its time, a range of a profiler: all of one name, "step#2" counting as one of "step".
struct NamedRange {
  std::string name;
  std::int64_t times = 0;
  Duration total{};
};

/// A program as it was slowed down by the profiler while it was captured.
struct SlowedRun {
  TaskGraph graph;
  HostProgram program;
  std::vector<MeasuredConstant> constants = {};
};

/// What a captured program's tasks do with memory, and what they need of each other for it.
struct ProgramNeeds {
  TaskAccesses accesses;
  std::vector<FreedMemory> frees;
  std::vector<Dependence> dependences;
  // How the tasks' accesses are known.
  std::size_t exact = 0;       ///< copies and memsets
  std::size_t stated = 0;      ///< kernels of a file of effects
  std::size_t typed = 0;       ///< kernels by the types of their parameters
  std::size_t by_pointer = 0;  ///< kernels that are taken to write all that they point to
  std::size_t unknown = 0;     ///< tasks that may touch anything
};

/// What a file says, and what it does not.
struct Imported {
  TaskGraph graph;
  std::optional<HostProgram> program = {};    ///< what launched the tasks, where the file says so
  std::optional<ProgramNeeds> needs = {};     ///< where it says which memory the tasks use
  std::optional<SlowedRun> slowed = {};       ///< where the file knows what it would have been else; `captured` goes with it
  std::vector<CapturedLaunch> launches = {};  ///< by TaskId, of a program's kernels; empty where the file does not say
  Timeline captured = {};                     ///< by TaskId; without tasks where the file has no run's times
  std::vector<MeasuredConstant> constants = {};
  std::vector<std::pair<std::string, std::int64_t>> counts = {};  ///< what was read: {"kernels", 282}
  std::vector<std::string> remarks = {};  ///< what cannot be known, was left out or is assumed, each a sentence with its count
  std::string device = {};                ///< the model of what it ran on, "NVIDIA H200", where the file says so
  bool profiled = false;                  ///< kernels' times are a profiler's, though there is no program
  std::vector<NamedRange> ranges = {};    ///< that ImportOptions::range may name, some of them
  std::size_t iterations = 1;             ///< of the program's loop, as its ranges show them
  int hardware_queues = 0;                ///< that the program's streams share, stream s that of s modulo them; 0 where it is not known
};

/// What a file is recognised by.
struct FileHead {
  std::string_view text;       ///< its first bytes, unpacked where gzip has packed them
  std::string_view extension;  ///< ".json", without a ".gz" after it
};

/// A format of other programs.
struct Importer {
  std::string_view name;     ///< `graph.format` of scenarios, `--as` of the command line
  std::string_view meaning;  ///< "a trace of …"
  bool (*recognises)(const FileHead& head);
  /// Throws InputError naming the file, the place in it and what would be right.
  Imported (*read)(const std::string& path, const ImportOptions& options);
  std::span<const std::string_view> options = {};  ///< names of import_option_fields() that it takes
};

}  // namespace tasktwin::scenarios
