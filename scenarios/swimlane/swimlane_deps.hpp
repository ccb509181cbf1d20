#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "scenarios/formats/json_file.hpp"

namespace tasktwin::scenarios {

/// A task of deps.json.
struct SwimlaneTask {
  std::uint64_t id = 0;
  std::string name;                  ///< its own, or "k<kernel>/<task_id>"
  std::int64_t parts = 0;            ///< rows that it has where it ran: block_num × its kernels
  std::vector<std::uint32_t> after;  ///< tasks that it waits for, by position, ascending
};

/// The task graph that deps.json has, checked.
struct SwimlaneDeps {
  std::vector<SwimlaneTask> tasks;  ///< in the file's order, which is that of submission
  std::unordered_map<std::uint64_t, std::uint32_t> by_id;
  std::vector<std::uint32_t> order;  ///< every task after all that it waits for
};

/// Reads `tasks` {task_id, kernel_ids[3], block_num, and perhaps name} and `edges` {pred, succ, and perhaps flags: without "wait" they
/// order nothing}. Throws InputError for a field that is missing or of another kind, an id that occurs twice or is unknown, a name
/// that is unprintable or occurs twice, and a cycle, which it names.
SwimlaneDeps read_swimlane_deps(const JsonPlace& deps);

}  // namespace tasktwin::scenarios
