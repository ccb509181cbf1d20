#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/graph/task_graph.hpp"
#include "scenarios/formats/json_file.hpp"

namespace tasktwin::scenarios {

/// A row of aicore_tasks: core_id, task_id, reg_task_id, start, end and, in newer captures, receive_to_start and run_epoch. Times
/// are in cycles.
struct SwimlaneRow {
  std::size_t row = 0;  ///< in aicore_tasks
  std::uint32_t core = 0;
  std::uint64_t task = 0;
  std::uint64_t reg = 0;
  std::int64_t start = 0;
  std::int64_t end = 0;
  std::optional<std::int64_t> receive_to_start = {};
};

/// A row of aicpu_tasks that belongs to a row of aicore_tasks.
struct SwimlaneDispatch {
  std::size_t row = 0;      ///< in its table
  std::int64_t cycles = 0;  ///< 0 where it was not recorded
};

/// What chip_swimlane_records.json says, checked by itself.
struct SwimlaneRecords {
  std::int64_t clock_hz = 0;
  std::vector<CoreType> cores;                                             ///< by core_id
  std::vector<int> threads;                                                ///< by core_id: the control thread that looks after it, or −1
  std::vector<SwimlaneRow> rows;                                           ///< of the run, as in the file
  std::vector<std::optional<SwimlaneDispatch>> dispatches;                 ///< by row
  std::vector<std::vector<std::pair<std::int64_t, std::int64_t>>> phases;  ///< by control thread: begin and end; they may nest
  std::int64_t earliest = 0;                                               ///< of all times that were recorded
  std::int64_t latest = 0;
  bool lossy = false;                 ///< the file says that records were dropped
  bool missing = false;               ///< it has hand-overs without rows
  std::vector<std::string> warnings;  ///< what was lost, a sentence each with its count
};

/// The list of rows [core, reg_task_id, dispatch, finish], which older captures call aicpu_tasks and newer ones
/// scheduler_tasks.records; nullptr where there is none.
JsonValue* dispatch_table(JsonValue& records);

/// The rows of one run: of the only one, or of that with the run_epoch `run`. Throws InputError for a field that is missing or of another
/// kind, a row of another width, a core that is not there, times that are negative, not whole or in the wrong order, a clock faster than
/// `most_hz`, two rows of one dispatch, several runs of which none is chosen, and a run that is not there.
SwimlaneRecords read_swimlane_records(const JsonPlace& root, std::int64_t most_hz, std::optional<std::int64_t> run = {});

}  // namespace tasktwin::scenarios
