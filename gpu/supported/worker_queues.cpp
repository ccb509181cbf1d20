#include "gpu/supported/supported.hpp"

namespace tasktwin::gpu {

namespace {

// What executors have in common whose workers release.
constexpr AxisSupport kFill{"fill", {"always"}, "a worker fetches whenever its mailbox has room"};
constexpr AxisSupport kGraphBuild{"graph_build", {"host"}, "on the GPU workers get a graph that the host has built"};
constexpr AxisSupport kNotification{
    "notification", {"counter"}, "on the GPU workers are told by counters, and those of static queues by flags as well"};
constexpr AxisSupport kMailboxDepth{"mailbox_depth", {"1", "2", "4"}, kWorkerSlots};

constexpr AxisSupport kHybridAxes[] = {
    {"ready_queue"}, {"placement"},   {"order", {"fifo"}, "on the GPU the queue beside the frozen lists is first in, first out"},
    {"claim"},       {"claim_size"},  {"static_percent"},
    {"stealing"},    {"steal_batch"}, {"victim"},
    kWorkersPerCore, kMailboxDepth,   kFill,
    kGraphBuild,     kNotification,   {"backoff_ns"},
    {"termination"},
};

constexpr AxisSupport kStaticQueueAxes[] = {
    {"ready_queue"},
    {"placement"},
    kWorkersPerCore,
    {"mailbox_depth", {"1"}, "a worker reads its own list ahead, and holds one task"},
    kFill,
    kGraphBuild,
    {"notification", {"counter", "flag"}, "on the GPU workers are told by counters or by flags"},
    {"backoff_ns"},
    {"termination", {"counter"}, "a worker stops at the end of its list"},
    {"prefetch"},
};

constexpr AxisSupport kSharedQueueAxes[] = {
    {"ready_queue"}, {"placement"},   {"order", {"fifo"}, "the GPU's shared queue is first in, first out"},
    {"claim"},       {"claim_size"},  {"shards"},
    kWorkersPerCore, kMailboxDepth,   kFill,
    {"gang"},        kGraphBuild,     kNotification,
    {"backoff_ns"},  {"termination"},
};

constexpr AxisSupport kWorkStealingAxes[] = {
    {"ready_queue"}, {"placement"},   {"order", {"fifo", "lifo"}, "on the GPU a queue that is stolen from has two ends and no keys"},
    {"claim"},       {"claim_size"},  {"shards"},
    {"stealing"},    {"steal_batch"}, {"victim"},
    kWorkersPerCore, kMailboxDepth,   kFill,
    {"gang"},        kGraphBuild,     kNotification,
    {"backoff_ns"},  {"termination"},
};

std::optional<std::string> why_no_cohort(const TaskGraph& graph, const Machine&, const Design& design) {
  if (!graph.has_wide_tasks() || design.gang != Gang::kTogether) return std::nullopt;
  return "gang 'together': workers fetch each for itself, so the blocks of a task start apart; use 'apart'";
}

/// A list is of tasks that are known beforehand, and what is in none waits in the one queue next to the lists.
std::optional<std::string> why_no_hybrid(const TaskGraph& graph, const Machine&, const Design& design) {
  for (std::size_t i = 0; i < design.parts.size(); ++i) {
    const DesignPart& part = design.parts[i];
    if (part.placement == Placement::kAnyIdle && part.ready_queue != ReadyQueue::kShared) {
      return "parts[" + std::to_string(i) +
             "]: placement 'any_idle' without ready_queue 'shared': on the GPU a worker that has a list keeps no queue of its own beside "
             "it; "
             "use ready_queue 'shared'";
    }
  }
  return why_no_task(graph, {.spawned = design.ready_queue == ReadyQueue::kPerWorkerAndShared, .own = OwnBodies::kResident});
}

/// Pages are read by bodies that know them.
std::optional<std::string> why_no_pages(const TaskGraph& graph, const Machine&, const Design& design) {
  if (design.prefetch == 0 || !std::holds_alternative<OwnKernels>(graph.problem())) return std::nullopt;
  return "prefetch " + std::to_string(design.prefetch) +
         ": kernels of the scenario's own read their inputs themselves, and say of none that it may be loaded ahead; use 0";
}

bool releases(const Design& design) { return design.driver == Driver::kPersistent && design.release == Release::kCounters; }

}  // namespace

const Supported kHybridSupported{[](const Design& design) {
                                   return releases(design) && is_static(design.placement) &&
                                          (design.ready_queue == ReadyQueue::kPerWorkerAndShared || design.stealing != Stealing::kOff);
                                 },
                                 kHybridAxes,
                                 {.spawned = true, .own = OwnBodies::kResident},
                                 why_no_hybrid};

const Supported kStaticQueuesSupported{[](const Design& design) { return releases(design) && is_static(design.placement); },
                                       kStaticQueueAxes,
                                       {.own = OwnBodies::kResident},
                                       why_no_pages};

const Supported kSharedQueueSupported{[](const Design& design) {
                                        return releases(design) && design.stealing == Stealing::kOff &&
                                               (design.ready_queue == ReadyQueue::kShared ||
                                                design.ready_queue == ReadyQueue::kPerCoreType ||
                                                design.ready_queue == ReadyQueue::kSharded);
                                      },
                                      kSharedQueueAxes,
                                      {.blocks = true, .spawned = true, .own = OwnBodies::kResident},
                                      why_no_cohort};

const Supported kWorkStealingSupported{[](const Design& design) {
                                         return releases(design) && !is_static(design.placement) &&
                                                (design.ready_queue == ReadyQueue::kPerWorker ||
                                                 (design.ready_queue == ReadyQueue::kSharded && design.stealing != Stealing::kOff));
                                       },
                                       kWorkStealingAxes,
                                       {.blocks = true, .spawned = true, .own = OwnBodies::kResident},
                                       why_no_cohort};

}  // namespace tasktwin::gpu
