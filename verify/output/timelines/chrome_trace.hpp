#pragma once

#include <filesystem>
#include <span>

#include <nlohmann/json_fwd.hpp>

#include "models/graph/task_graph.hpp"
#include "verify/output/timelines/traced_run.hpp"

namespace tasktwin::verify {

/// Writes a Chrome trace (Trace Event Format, JSON), which Perfetto opens: for each run a process of compute cores and
/// one of dispatchers, a thread a core, an X event a task from started to published with its publishing nested inside, a
/// flow from each body's end to its successors' starts, and the ready queue's length and the device memory as counters.
/// Tasks that overlap on one core (by the clock's step) go to a further thread of that core, so that X events nest. A task
/// that occupies several cores is on each, with its flows at the first. A control core's thread shows its steps where they
/// were recorded, else when it was busy. Tasks that do not exist are left out.
/// `facts` (scenario, design, seed, …) is kept as otherData. Throws RunError if the file cannot be written.
void write_chrome_trace(const std::filesystem::path& path, const TaskGraph& graph, std::span<const TraceRun> runs,
                        const nlohmann::ordered_json& facts);

}  // namespace tasktwin::verify
