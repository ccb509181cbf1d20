#pragma once

#include <filesystem>
#include <span>

#include <nlohmann/json_fwd.hpp>

#include "models/graph/task_graph.hpp"
#include "verify/output/timelines/traced_run.hpp"

namespace tasktwin::verify {

/// Writes Perfetto's own trace format (protobuf TracePackets), less than half the size of a Chrome trace and with no limit on it:
/// the same processes, threads, slices, nested publishing and counters as write_chrome_trace, a flow from each task's slice to
/// those of its successors, names interned, times in whole nanoseconds. Where a run has times before its origin, all are shifted
/// so that the earliest is 0. `facts` (scenario, design, seed, …) are annotations of an instant event "run" on the track "facts".
/// The same runs give the same bytes. Throws RunError if the file cannot be written.
void write_perfetto_trace(const std::filesystem::path& path, const TaskGraph& graph, std::span<const TraceRun> runs,
                          const nlohmann::ordered_json& facts);

}  // namespace tasktwin::verify
