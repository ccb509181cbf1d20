#include "gpu/supported.hpp"

#include "gpu/persistent/dispatcher_homes.hpp"

namespace tasktwin::gpu {

namespace {

/// The first task that needs more cores at once than any dispatcher owns.
std::optional<std::string> why_no_cohort(const TaskGraph& graph, std::uint32_t dispatchers, std::uint32_t workers) {
  const Homes all{1, dispatchers, workers, true};
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const int blocks = graph.traits(task_id(i)).blocks;
    if (all.usable(0, static_cast<std::uint32_t>(blocks))) continue;
    return "task '" + std::string(graph.name(task_id(i))) + "' needs " + std::to_string(blocks) +
           " cores at once, but each dispatcher owns at most " + std::to_string(all.cores(0)) + "; use fewer dispatchers, or gang 'apart'";
  }
  return std::nullopt;
}

std::optional<std::string> refuse(const TaskGraph& graph, const Machine& machine, const Design& design) {
  const auto value = [](auto axis) { return "'" + std::string(to_word(axis)) + "'"; };
  if (design.ready_queue == ReadyQueue::kPerWorker || design.ready_queue == ReadyQueue::kPerWorkerAndShared)
    return "ready_queue " + value(design.ready_queue) +
           ": the GPU's dispatchers have queues of their own; use 'shared', 'per_core_type', 'per_dispatcher' or 'sharded'";
  if (design.placement != Placement::kAnyIdle && design.placement != Placement::kLeastLoaded)
    return "placement " + value(design.placement) + ": the GPU's dispatcher knows 'any_idle' and 'least_loaded'";
  if (design.ownership != Ownership::kOwned)
    return "ownership " + value(design.ownership) + ": a mailbox on the GPU has one writer; use 'owned'";
  if (design.loop != Loop::kCompleteFirst)
    return "loop " + value(design.loop) + ": the GPU's dispatcher takes in completions a warp at a time; use 'complete_first'";
  if (design.sweep != Sweep::kAllCores)
    return "sweep " + value(design.sweep) + ": one load looks at all cores of a warp, however many are busy; use 'all_cores'";
  if (design.resolvers > 0) return "resolvers " + std::to_string(design.resolvers) + ": the GPU's dispatchers resolve themselves; use 0";
  if (design.graph_build != GraphBuild::kHost)
    return "graph_build " + value(design.graph_build) + ": graphs come to the GPU from the host; use 'host'";
  if (design.claim != Claim::kAll)
    return "claim " + value(design.claim) + ": the GPU's dispatcher takes what its cores have room for; use 'all'";
  if (design.termination == Termination::kVote)
    return "termination 'vote': the dispatcher's warps count completions in one word; use 'counter' or 'sentinels', the same here";
  const int dispatchers = dispatcher_count(design, machine);
  if (dispatchers > static_cast<int>(kMostDispatchers)) {
    return "dispatchers " + std::to_string(dispatchers) + ": the GPU's dispatcher block has " + std::to_string(kMostDispatchers) +
           " warps at most";
  }
  if (design.shards > dispatchers) {
    return "shards " + std::to_string(design.shards) + ": each of the GPU's needs a dispatcher that takes from it; use at most " +
           std::to_string(dispatchers);
  }
  const std::size_t workers = worker_cores(design, machine).size();
  if (graph.has_wide_tasks() && design.gang == Gang::kTogether) {
    if (auto why = why_no_cohort(graph, static_cast<std::uint32_t>(dispatchers), static_cast<std::uint32_t>(workers))) return why;
  }
  if (workers > kMostWorkers) return "more than " + std::to_string(kMostWorkers) + " workers";
  return std::nullopt;
}

}  // namespace

const Supported kCentralDispatcherSupported{
    [](const Design& design) { return design.driver == Driver::kPersistent && design.release == Release::kDispatcher; }, refuse};

}  // namespace tasktwin::gpu
