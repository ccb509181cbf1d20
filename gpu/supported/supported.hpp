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

/// What else of a design, or of the tasks under it, the executor of a runtime does not run, beyond its axes and TaskSupport; nullopt for
/// nothing. Known without CUDA. Contract: check_design has passed.
using WhyNot = std::optional<std::string>(const TaskGraph& graph, const Machine& machine, const Design& design);
WhyNot why_no_streams;
WhyNot why_no_central_dispatcher;
WhyNot why_no_host_dispatcher;
WhyNot why_no_static_queues;
WhyNot why_no_cohort;  ///< of workers that fetch for themselves
WhyNot why_no_hybrid;

/// By runtime; null where there is nothing else.
struct RuntimeRefusal {
  RuntimeId runtime;
  WhyNot* why_not = nullptr;
};
inline constexpr RuntimeRefusal kRuntimeRefusals[] = {
    {RuntimeId::kCudaStreams, why_no_streams},
    {RuntimeId::kHostProgram, why_no_streams},
    {RuntimeId::kCudaGraph, why_no_streams},
    {RuntimeId::kCentralDispatcher, why_no_central_dispatcher},
    {RuntimeId::kStaticQueues, why_no_static_queues},
    {RuntimeId::kSharedQueue, why_no_cohort},
    {RuntimeId::kWorkStealing, why_no_cohort},
    {RuntimeId::kHybrid, why_no_hybrid},
    {RuntimeId::kLayerBarrier},
    {RuntimeId::kDeviceGraphLaunch},
    {RuntimeId::kDynamicParallelism},
    {RuntimeId::kHostDispatcher, why_no_host_dispatcher},
    {RuntimeId::kGroupQueue},
};

/// What streams and graphs on one device do not run of the design's sets of cores.
std::optional<std::string> why_no_sets(const TaskGraph& graph, const Design& design);

/// The same as why_unsupported(), over several devices of one host.
std::optional<std::string> why_unsupported_by_peers(const TaskGraph& graph, const Machine& machine, const Design& design);

}  // namespace tasktwin::gpu
