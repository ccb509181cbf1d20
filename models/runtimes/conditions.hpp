#pragma once

#include "models/runtimes/runtime.hpp"

namespace tasktwin::condition {

// What other axes must be for one to count, or for a section to be read, within a runtime.

inline constexpr DesignCondition kSeveralStreams{"a stream_granularity other than 'single' and 'per_task_type'", [](const Design& d) {
                                                   return d.stream_granularity != StreamGranularity::kSingle &&
                                                          d.stream_granularity != StreamGranularity::kPerTaskType;
                                                 }};
inline constexpr DesignCondition kCapturedStreams{
    "graph_source 'capture' and a stream_granularity other than 'single' and 'per_task_type'",
    [](const Design& d) { return d.graph_source == GraphSource::kCapture && kSeveralStreams.holds(d); }};
inline constexpr DesignCondition kCapture{"graph_source 'capture'",
                                          [](const Design& d) { return d.graph_source == GraphSource::kCapture; }};
inline constexpr DesignCondition kProgrammatic{"programmatic_launch 'on'",
                                               [](const Design& d) { return d.programmatic_launch == ProgrammaticLaunch::kOn; }};
inline constexpr DesignCondition kOneKernelAStream{"stream_granularity 'per_task_type', under which a stream has kernels of one kind",
                                                   [](const Design& d) { return d.stream_granularity == StreamGranularity::kPerTaskType; }};
inline constexpr DesignCondition kPool{"allocator 'pool'", [](const Design& d) { return d.allocator == Allocator::kPool; }};
inline constexpr DesignCondition kCache{"allocator 'caching'", [](const Design& d) { return d.allocator == Allocator::kCaching; }};
inline constexpr DesignCondition kReplayed{"replays of 2 or more", [](const Design& d) { return d.replays > 1; }};
inline constexpr DesignCondition kConditionalNodes{"graph_predicates other than 'kernel'",
                                                   [](const Design& d) { return d.graph_predicates != GraphPredicates::kKernel; }};
inline constexpr DesignCondition kSized{"claim 'fixed' or 'guided'", [](const Design& d) { return d.claim != Claim::kAll; }};
inline constexpr DesignCondition kSeveralTakers{"a ready queue that several take from, not 'per_worker'",
                                                [](const Design& d) { return d.ready_queue != ReadyQueue::kPerWorker; }};
inline constexpr DesignCondition kSizedTakers{"claim 'fixed' or 'guided' and a ready queue that several take from, not 'per_worker'",
                                              [](const Design& d) { return kSeveralTakers.holds(d) && kSized.holds(d); }};
inline constexpr DesignCondition kMixedQueue{
    "placement 'any_idle' and a ready_queue 'shared', 'per_dispatcher' or 'sharded', which holds tasks of several types; of 'mix_first' "
    "also 'per_core_type'",
    [](const Design& d) {
      return d.placement == Placement::kAnyIdle &&
             (AnyOf{ReadyQueue::kShared, ReadyQueue::kPerDispatcher, ReadyQueue::kSharded}.holds(d.ready_queue) ||
              (d.head_of_line == HeadOfLine::kMixFirst && d.ready_queue == ReadyQueue::kPerCoreType));
    }};
inline constexpr DesignCondition kShards{"ready_queue 'sharded'", [](const Design& d) { return d.ready_queue == ReadyQueue::kSharded; }};
inline constexpr DesignCondition kListsAndQueue{"ready_queue 'per_worker_and_shared'",
                                                [](const Design& d) { return d.ready_queue == ReadyQueue::kPerWorkerAndShared; }};
inline constexpr DesignCondition kThieves{"stealing", [](const Design& d) { return d.stealing != Stealing::kOff; }};
inline constexpr DesignCondition kBatches{"stealing 'batch'", [](const Design& d) { return d.stealing == Stealing::kBatch; }};
inline constexpr DesignCondition kEarly{"resolvers 0 and placement 'any_idle'",
                                        [](const Design& d) { return d.resolvers == 0 && d.placement == Placement::kAnyIdle; }};
inline constexpr DesignCondition kStages{"early_dispatch other than 'off'",
                                         [](const Design& d) { return d.early_dispatch != EarlyDispatch::kOff && kEarly.holds(d); }};
inline constexpr DesignCondition kBoundsStaging{"early_dispatch other than 'off' and an early_limit below 1000000",
                                                [](const Design& d) { return kStages.holds(d) && d.early_limit < kNoEarlyLimit; }};
inline constexpr DesignCondition kDynamic{"a placement that is not frozen, under which tasks of several blocks can run",
                                          [](const Design& d) { return !is_static(d.placement); }};
inline constexpr DesignCondition kDeviceBuild{"graph_build 'device'", [](const Design& d) { return d.graph_build == GraphBuild::kDevice; }};
inline constexpr DesignCondition kFallsBack{"fallback 'run' or 'task'", [](const Design& d) { return d.fallback != Fallback::kNone; }};
inline constexpr DesignCondition kControlBeside{"graph_build 'device', or fallback 'run' or 'task'",
                                                [](const Design& d) { return kDeviceBuild.holds(d) || kFallsBack.holds(d); }};
inline constexpr DesignCondition kHostBuild{"graph_build 'host'", [](const Design& d) { return d.graph_build == GraphBuild::kHost; }};
inline constexpr DesignCondition kOneAfterTheOther{
    "mailbox_depth 1 and graph_build 'host'", [](const Design& d) { return d.mailbox_depth == 1 && d.graph_build == GraphBuild::kHost; }};
inline constexpr DesignCondition kTimedBuild{"host_build 'timed'", [](const Design& d) { return d.host_build == HostBuild::kTimed; }};
inline constexpr DesignCondition kPrefetches{"prefetch of 1 or more", [](const Design& d) { return d.prefetch > 0; }};
inline constexpr DesignCondition kWorkersBeside{"workers_per_core of 2 or more", [](const Design& d) { return d.workers_per_core > 1; }};
inline constexpr DesignCondition kSentinels{"termination 'sentinels'",
                                            [](const Design& d) { return d.termination == Termination::kSentinels; }};

}  // namespace tasktwin::condition
