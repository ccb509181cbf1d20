#include "gpu/supported/supported.hpp"

#include "gpu/persistent/dispatchers/dispatcher_homes.hpp"

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

/// The dispatcher that hands over early knows plain workers and one queue.
std::optional<std::string> why_not_early(const TaskGraph& graph, const Design& design, int dispatchers) {
  const std::string stages = "early_dispatch '" + std::string(to_word(design.early_dispatch)) + "' on a GPU ";
  const auto only = [&stages](const char* axis, const std::string& value, const std::string& right) {
    return stages + "is run with " + axis + " " + right + ", not " + value;
  };
  if (dispatchers != 1) return only("dispatchers", std::to_string(dispatchers), "1");
  if (design.mailbox_depth != 1) return only("mailbox_depth", std::to_string(design.mailbox_depth), "1");
  if (design.order != TaskOrder::kFifo) return only("order", "'" + std::string(to_word(design.order)) + "'", "'fifo'");
  if (design.stealing != Stealing::kOff) return only("stealing", "'" + std::string(to_word(design.stealing)) + "'", "'off'");
  if (graph.has_wide_tasks()) return stages + "is run with tasks of one block; split them (split: true)";
  if (graph.has_spawns()) return stages + "is run with tasks that are there from the beginning, not with spawned ones";
  return std::nullopt;
}

}  // namespace

std::optional<std::string> why_no_central_dispatcher(const TaskGraph& graph, const Machine& machine, const Design& design) {
  const int dispatchers = dispatcher_count(design, machine);
  if (dispatchers > static_cast<int>(kMostDispatchers)) {
    return "dispatchers " + std::to_string(dispatchers) + ": the GPU's dispatcher block has " + std::to_string(kMostDispatchers) +
           " warps at most";
  }
  if (design.shards > dispatchers) {
    return "shards " + std::to_string(design.shards) + ": each of the GPU's needs a dispatcher that takes from it; use at most " +
           std::to_string(dispatchers);
  }
  if (design.early_dispatch != EarlyDispatch::kOff) {
    if (auto why = why_not_early(graph, design, dispatchers)) return why;
  }
  const std::size_t workers = worker_cores(design, machine).size();
  if (graph.has_wide_tasks() && design.gang == Gang::kTogether) {
    if (auto why = why_no_cohort(graph, static_cast<std::uint32_t>(dispatchers), static_cast<std::uint32_t>(workers))) return why;
  }
  if (workers > kMostWorkers) return "more than " + std::to_string(kMostWorkers) + " workers";
  return std::nullopt;
}

}  // namespace tasktwin::gpu
