#include "gpu/supported/supported.hpp"
#include "models/program/stream_plan.hpp"
#include "models/runtimes/runtimes.hpp"
#include "models/shares/task_shares.hpp"

namespace tasktwin::gpu {

namespace {

std::string name_of(const Design& design, int share) {
  const auto set = static_cast<std::size_t>(share);
  return set < design.sets.size() ? "of set '" + design.sets[set].name + "'" : "of no set";
}

/// The first two tasks of one stream that are of different sets: a stream is in one green context.
std::optional<std::string> why_not_apart(const TaskGraph& graph, const Design& design, const TaskShares& shares) {
  std::vector<std::optional<TaskId>> first(stream_count(graph, design));
  for (const StreamLaunch& launch : plan_streams(graph, design)) {
    std::optional<TaskId>& one = first[launch.stream];
    if (!one) one = launch.task;
    if (shares.of(*one) == shares.of(launch.task)) continue;
    return "sets: stream " + std::to_string(launch.stream) + " has task '" + std::string(graph.name(*one)) + "' " +
           name_of(design, shares.of(*one)) + " and task '" + std::string(graph.name(launch.task)) + "' " +
           name_of(design, shares.of(launch.task)) +
           "; on a GPU all kernels of a stream are of one set: name sets by streams, or choose a stream_granularity that keeps them apart";
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> why_no_sets(const TaskGraph& graph, const Design& design) {
  if (design.sets.empty()) return std::nullopt;
  const Runtime& runtime = runtime_of(design);
  if (runtime.id == RuntimeId::kHostProgram)
    return "sets of cores ('" + design.sets.front().name + "') of a host program's streams are simulated; use another stream_wait";
  if (runtime.streams() || design.graph_source == GraphSource::kCapture) {
    if (auto why = why_not_apart(graph, design, TaskShares(graph, design))) return why;
  } else {  // each node is captured by itself
    if (design.graph_predicates != GraphPredicates::kKernel)
      return "sets beside graph_predicates '" + std::string(to_word(design.graph_predicates)) +
             "': conditional nodes come into no set on a GPU; use 'kernel'";
    if (design.programmatic_launch == ProgrammaticLaunch::kOn)
      return "sets beside programmatic_launch 'on' need graph_source 'capture' on a GPU";
  }
  if (runtime.graph() && design.graph_update == GraphUpdate::kNodeParams)
    return "sets beside graph_update 'node_params': parameters that are set anew do not keep a node's set; use another graph_update";
  return std::nullopt;
}

}  // namespace tasktwin::gpu
