#include "gpu/supported/supported.hpp"
#include "models/graph/messages.hpp"
#include "models/runtimes/runtimes.hpp"

namespace tasktwin::gpu {

std::optional<std::string> why_no_cohort(const TaskGraph& graph, const Machine& /*machine*/, const Design& design) {
  if (!graph.has_wide_tasks() || design.gang == Gang::kApart) return std::nullopt;
  return "gang 'together': workers fetch each for itself, so the blocks of a task start apart; use 'apart'";
}

/// A list is of tasks that are known beforehand, and what is in none waits in the one queue next to the lists.
std::optional<std::string> why_no_hybrid(const TaskGraph& graph, const Machine& /*machine*/, const Design& design) {
  for (std::size_t i = 0; i < design.parts.size(); ++i) {
    const DesignPart& part = design.parts[i];
    if (part.placement == Placement::kAnyIdle && part.ready_queue != ReadyQueue::kShared) {
      return "parts[" + std::to_string(i) +
             "]: placement 'any_idle' without ready_queue 'shared': on the GPU a worker that has a list keeps no queue of its own beside "
             "it; "
             "use ready_queue 'shared'";
    }
  }
  return why_no_task(graph, {.spawned = lists_some(design), .own = OwnBodies::kResident});
}

namespace {

/// The first bytes of an edge that are not in a message.
std::optional<std::string> why_no_message(const TaskGraph& graph, const Design& design) {
  if (design.notification != Notification::kMessage || !graph.has_edge_bytes()) return std::nullopt;
  const Messages messages(graph, ToldEdges());
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const auto bytes = graph.input_bytes(task_id(i));
    const auto before = graph.predecessors(task_id(i));
    for (std::size_t k = 0; k < bytes.size(); ++k) {
      if (bytes[k] == 0 || messages.has_result(before[k])) continue;
      return "task '" + std::string(graph.name(task_id(i))) + "' gets " + std::to_string(bytes[k]) + " bytes with its edge from task '" +
             std::string(graph.name(before[k])) + "', whose result no message carries: those carry at most " +
             std::to_string(Messages::kMostMessageBytes) + " bytes, of kernels empty, spin and fma that count down no event";
    }
  }
  return std::nullopt;
}

}  // namespace

/// Pages are read by bodies that know them.
std::optional<std::string> why_no_static_queues(const TaskGraph& graph, const Machine& /*machine*/, const Design& design) {
  if (auto why = why_no_message(graph, design)) return why;
  if (design.prefetch == 0 || !std::holds_alternative<OwnKernels>(graph.problem())) return std::nullopt;
  return "prefetch " + std::to_string(design.prefetch) +
         ": kernels of the scenario's own read their inputs themselves, and say of none that it may be loaded ahead; use 0";
}

}  // namespace tasktwin::gpu
