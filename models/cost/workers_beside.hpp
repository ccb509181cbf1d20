#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "models/cost/footprint.hpp"
#include "models/cost/occupancy.hpp"
#include "models/design/design.hpp"
#include "models/rules/worker_block.hpp"

namespace tasktwin {

// What the blocks of resident workers take of their core, which several share under Design::workers_per_core. Simulator and executors
// take it from here; registers are the compiler's and known to executors alone.

/// Threads of a worker.
inline constexpr int kWorkerBlockThreads = kWholeCoreThreads + static_cast<int>(kWarp) * rules::kFurtherWarps;
using rules::kWorkerBlockBytes;

/// Bytes of shared memory that bodies of each of that many workers have: equal parts of what a core has, less what blocks have in addition;
/// not negative. All that a body can use where the machine states no limit. `beside`: bytes of each in addition to its bodies.
std::int64_t shared_bytes_beside(const CoreLimits& limits, int workers, std::int64_t beside = kWorkerBlockBytes);

/// Bytes of shared memory that the body of a task needs to share a core. Kernels that do not run in any block are compiled for one
/// that has its core to itself.
std::int64_t shared_bytes_needed(const TaskGraph& graph, TaskId task);

/// Threads that run the body of a task on a resident worker.
int body_threads(const TaskGraph& graph, TaskId task);

/// Why that many workers cannot share a core with such limits, with what they would need and what `core`, as
/// the message names it, has; nullopt if they do. Contract: there are several a core.
std::optional<std::string> why_no_room_beside(const TaskGraph& graph, const CoreLimits& limits, const std::string& core, int workers);

/// The same on a core of `machine`, or why a task does not run on one of several workers a core; nullopt where a core has one.
std::optional<std::string> why_not_beside(const TaskGraph& graph, const Machine& machine, const Design& design);

}  // namespace tasktwin
