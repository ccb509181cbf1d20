#include "gpu/supported.hpp"

#include "gpu/task_support.hpp"

namespace tasktwin::gpu {

namespace {

/// The axis of `design` that no executor has whose workers release, or the first task that such an executor does not run.
std::optional<std::string> why_no_worker_queues(const TaskGraph& graph, const Design& design, const TaskSupport& support) {
  if (design.fill != Fill::kAlways)
    return "fill '" + std::string(to_word(design.fill)) + "': a worker fetches whenever its mailbox has room; use 'always'";
  if (design.graph_build != GraphBuild::kHost)
    return "graph_build '" + std::string(to_word(design.graph_build)) +
           "': on the GPU workers get a graph that the host has built; use 'host'";
  const bool flags = design.notification == Notification::kFlag && design.ready_queue == ReadyQueue::kPerWorker &&
                     is_static(design.placement) && design.stealing == Stealing::kOff;
  if (design.notification != Notification::kCounter && !flags) {
    return "notification '" + std::string(to_word(design.notification)) +
           "': on the GPU workers are told by counters, and those of static queues by flags as well; use 'counter'";
  }
  if (support.blocks && graph.has_wide_tasks() && design.gang == Gang::kTogether)
    return "gang 'together': workers fetch each for itself, so the blocks of a task start apart; use 'apart'";
  return why_no_task(graph, support);
}

}  // namespace

const Supported kHybridSupported{
    [](const Design& design) {
      return design.driver == Driver::kPersistent && design.release == Release::kCounters && is_static(design.placement) &&
             (design.ready_queue == ReadyQueue::kPerWorkerAndShared || design.stealing != Stealing::kOff);
    },
    [](const TaskGraph& graph, const Machine&, const Design& design) -> std::optional<std::string> {
      if (design.order != TaskOrder::kFifo) {
        return "order '" + std::string(to_word(design.order)) +
               "': on the GPU the queue beside the frozen lists is first in, first out; use 'fifo'";
      }
      // A list is of tasks of one block that are known beforehand.
      return why_no_worker_queues(graph, design, {.blocks = false, .spawned = design.ready_queue == ReadyQueue::kPerWorkerAndShared});
    }};

const Supported kStaticQueuesSupported{
    [](const Design& design) {
      return design.driver == Driver::kPersistent && design.release == Release::kCounters && is_static(design.placement);
    },
    [](const TaskGraph& graph, const Machine&, const Design& design) -> std::optional<std::string> {
      if (design.mailbox_depth != 1)
        return "mailbox_depth " + std::to_string(design.mailbox_depth) + ": a worker reads its own list ahead, and holds one task; use 1";
      return why_no_worker_queues(graph, design, {});
    }};

const Supported kSharedQueueSupported{
    [](const Design& design) {
      return design.driver == Driver::kPersistent && design.release == Release::kCounters && design.stealing == Stealing::kOff &&
             (design.ready_queue == ReadyQueue::kShared || design.ready_queue == ReadyQueue::kPerCoreType ||
              design.ready_queue == ReadyQueue::kSharded);
    },
    [](const TaskGraph& graph, const Machine&, const Design& design) -> std::optional<std::string> {
      if (design.order != TaskOrder::kFifo)
        return "order '" + std::string(to_word(design.order)) + "': the GPU's shared queue is first in, first out; use 'fifo'";
      return why_no_worker_queues(graph, design, {.blocks = true, .spawned = true});
    }};

const Supported kWorkStealingSupported{
    [](const Design& design) {
      return design.driver == Driver::kPersistent && design.release == Release::kCounters && !is_static(design.placement) &&
             (design.ready_queue == ReadyQueue::kPerWorker ||
              (design.ready_queue == ReadyQueue::kSharded && design.stealing != Stealing::kOff));
    },
    [](const TaskGraph& graph, const Machine&, const Design& design) -> std::optional<std::string> {
      if (design.order != TaskOrder::kFifo && design.order != TaskOrder::kLifo) {
        return "order '" + std::string(to_word(design.order)) +
               "': on the GPU a queue that is stolen from has two ends and no keys; use 'fifo' or 'lifo'";
      }
      return why_no_worker_queues(graph, design, {.blocks = true, .spawned = true});
    }};

}  // namespace tasktwin::gpu
