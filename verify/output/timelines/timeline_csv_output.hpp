#pragma once

#include <filesystem>
#include <string_view>

#include "models/graph/task_graph.hpp"
#include "models/run/timeline.hpp"

namespace tasktwin::verify {

/// The first line of every timeline file.
inline constexpr std::string_view kTimelineCsvHeader =
    "task,name,kernel,core_type,ready_ns,dispatched_ns,received_ns,started_ns,ended_ns,published_ns,core,dispatcher";

/// Writes a row for every task, ordered by (started, task id); phases, core and dispatcher that were not observed are
/// empty. Times in nanoseconds since the run's origin. Throws RunError if the file cannot be written.
void write_timeline_csv(const std::filesystem::path& path, const TaskGraph& graph, const Timeline& timeline);

inline constexpr std::string_view kBlocksCsvHeader = "task,name,block,wave,core,started_ns,ended_ns,published_ns";

/// Writes a row for each block that was observed, a task of one on a core included, ordered by (task, start, core): its number in
/// its task, its wave from 1, and its compute core. Throws RunError if the file cannot be written.
void write_blocks_csv(const std::filesystem::path& path, const TaskGraph& graph, const Timeline& timeline);

}  // namespace tasktwin::verify
