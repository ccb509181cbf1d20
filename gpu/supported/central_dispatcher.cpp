#include "gpu/supported/supported.hpp"

#include "gpu/persistent/dispatchers/dispatcher_homes.hpp"

namespace tasktwin::gpu {

namespace {

constexpr AxisSupport kAxes[] = {
    {"ready_queue", {"shared", "per_core_type", "per_dispatcher", "sharded"}, "the GPU's dispatchers have queues of their own"},
    {"placement", {"any_idle", "least_loaded"}, "the GPU's dispatcher knows no other choice of cores"},
    {"order"},
    {"dispatchers"},
    {"resolvers", {"0"}, "the GPU's dispatchers resolve themselves"},
    {"ownership", {"owned"}, "a mailbox on the GPU has one writer"},
    {"loop", {"complete_first"}, "the GPU's dispatcher takes in completions a warp at a time"},
    {"sweep", {"all_cores"}, "one load looks at all cores of a warp, however many are busy"},
    {"claim", {"all"}, "the GPU's dispatcher takes what its cores have room for"},
    {"shards"},
    {"stealing"},
    {"steal_batch"},
    {"victim"},
    {"mailbox_depth"},
    {"fill"},
    {"gang"},
    {"graph_build", {"host"}, "graphs come to the GPU from the host"},
    {"backoff_ns"},
    {"termination", {"counter"}, "the dispatcher's warps count completions in one word"},
};

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
    [](const Design& design) { return design.driver == Driver::kPersistent && design.release == Release::kDispatcher; },
    kAxes,
    {.blocks = true, .spawned = true, .own = OwnBodies::kResident},
    refuse};

}  // namespace tasktwin::gpu
