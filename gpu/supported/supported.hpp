#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "gpu/supported/task_support.hpp"
#include "gpu/supported/why_unsupported.hpp"
#include "models/runtimes/runtimes.hpp"

namespace tasktwin::gpu {

/// The first axis of `design` that its runtime's executor, on one device or over several, does not read, or not with that value, and what
/// would be right; nullopt if there is none.
std::optional<std::string> why_no_axis(const Runtime& runtime, const Design& design, GpuAxis AxisUse::*where);

// What else of a design, or of the tasks under it, the executor of a runtime does not run, beyond its axes and TaskSupport. Known without
// CUDA. Contract: check_design has passed.
std::optional<std::string> why_no_streams(const TaskGraph& graph, const Design& design);
std::optional<std::string> why_no_central_dispatcher(const TaskGraph& graph, const Machine& machine, const Design& design);
std::optional<std::string> why_no_host_dispatcher(const TaskGraph& graph, const Machine& machine, const Design& design);
std::optional<std::string> why_no_static_queues(const TaskGraph& graph, const Design& design);
/// Of workers that fetch for themselves.
std::optional<std::string> why_no_cohort(const TaskGraph& graph, const Design& design);
std::optional<std::string> why_no_hybrid(const TaskGraph& graph, const Design& design);

/// The same as why_unsupported(), over several devices of one host.
std::optional<std::string> why_unsupported_by_peers(const TaskGraph& graph, const Machine& machine, const Design& design);

}  // namespace tasktwin::gpu
