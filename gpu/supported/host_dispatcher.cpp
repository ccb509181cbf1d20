#include "gpu/supported.hpp"

#include "gpu/host_dispatcher/host_mailboxes.hpp"

namespace tasktwin::gpu {

namespace {

std::optional<std::string> refuse(const TaskGraph& graph, const Machine& machine, const Design& design) {
  const auto value = [](auto axis) { return "'" + std::string(to_word(axis)) + "'"; };
  if (design.ready_queue != ReadyQueue::kShared && design.ready_queue != ReadyQueue::kPerCoreType)
    return "ready_queue " + value(design.ready_queue) + ": the host's threads share one queue; use 'shared'";
  if (design.placement != Placement::kAnyIdle && design.placement != Placement::kLeastLoaded)
    return "placement " + value(design.placement) + ": the host's threads know 'any_idle' and 'least_loaded'";
  if (design.ownership != Ownership::kOwned) return "ownership " + value(design.ownership) + ": a mailbox has one writer; use 'owned'";
  if (design.resolvers > 0) return "resolvers " + std::to_string(design.resolvers) + ": the host's threads resolve themselves; use 0";
  if (design.termination == Termination::kVote)
    return "termination 'vote': the host's threads count completions in one word; use 'counter' or 'sentinels', the same here";
  if (graph.has_wide_tasks() && design.gang == Gang::kTogether)
    return "the graph has tasks of several blocks, which the host's threads do not gather cores for; use gang 'apart'";
  if (dispatcher_count(design, machine) > static_cast<int>(kMostHostThreads))
    return "dispatchers " + std::to_string(dispatcher_count(design, machine)) + ": " + std::to_string(kMostHostThreads) +
           " threads at most";
  if (worker_cores(design, machine).size() > kMostHostWorkers) return "more than " + std::to_string(kMostHostWorkers) + " workers";
  return std::nullopt;
}

}  // namespace

const Supported kHostDispatcherSupported{[](const Design& design) { return design.driver == Driver::kHostDispatcher; }, refuse};

}  // namespace tasktwin::gpu
