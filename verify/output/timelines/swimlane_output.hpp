#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "models/graph/task_graph.hpp"
#include "models/run/timeline.hpp"
#include "scenarios/swimlane/swimlane_capture.hpp"

namespace tasktwin::verify {

/// The names of the Ascend runtime's own two files, in any folder.
inline constexpr std::string_view kSwimlaneRecords = "chip_swimlane_records.json";
inline constexpr std::string_view kSwimlaneDeps = "deps.json";

/// A timeline as the Ascend runtime would have captured it, on a clock of 1 GHz: a row for each core that a task occupied, its
/// dispatch and, for finish, the moment its completion was written; the control cores' steps as phases, which say how many tasks were
/// processed where that is known, of `dispatch`. Tasks that did not run on a core have no row. Times are shifted so that none is 0,
/// which means not recorded. `facts` are kept in `metadata`. `ids` are the tasks' by TaskId; empty for the TaskId.
nlohmann::ordered_json swimlane_records(const Timeline& timeline, const nlohmann::ordered_json& facts,
                                        std::span<const std::uint64_t> ids = {});
/// The graph of that timeline, task_id the TaskId, with the tasks' names. Throws InputError for a task that occupied more cores of a
/// cluster than kernel_ids has a place for.
nlohmann::ordered_json swimlane_deps(const TaskGraph& graph, const Timeline& timeline);

/// The capture's records with the times of `timeline`, which is of its own run, and all else as it was.
nlohmann::ordered_json captured_records(const scenarios::SwimlaneCapture& capture, const Timeline& timeline);

/// Writes both files into `folder`, which is made if it does not exist. Throws RunError if that fails.
void write_swimlane(const std::filesystem::path& folder, const nlohmann::ordered_json& records, const nlohmann::ordered_json& deps);

}  // namespace tasktwin::verify
