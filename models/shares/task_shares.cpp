#include "models/shares/task_shares.hpp"

#include <algorithm>

#include "models/program/stream_plan.hpp"

namespace tasktwin {

namespace {

/// By TaskId, of its device; empty where no set asks for it.
std::vector<int> streams_of(const TaskGraph& graph, const Design& design) {
  if (std::ranges::all_of(design.sets, [](const NamedCores& set) { return set.streams.empty(); })) return {};
  std::vector<int> streams(graph.size());
  const std::vector<std::uint32_t> assigned = assign_streams(graph, design);
  const std::uint32_t count = std::max<std::uint32_t>(1, stream_count(graph, design));
  for (std::size_t at = 0; const TaskId task : launch_order(graph)) streams[index(task)] = static_cast<int>(assigned[at++] % count);
  return streams;
}

bool names(const NamedCores& set, const TaskGraph& graph, const std::vector<int>& streams, TaskId task) {
  const auto among = [](const auto& list, const auto& value) { return list.empty() || std::ranges::find(list, value) != list.end(); };
  if (!set.streams.empty() && !among(set.streams, streams[index(task)])) return false;
  if (set.layers && (graph[task].layer < set.layers->front() || graph[task].layer > set.layers->back())) return false;
  return among(set.kinds, graph.kernel_name(task));
}

/// Whether a core of the device runs it.
bool takes_cores(const Task& task) { return task.operation == Operation::kKernel || is_collective(task.operation); }

}  // namespace

TaskShares::TaskShares(const TaskGraph& graph, const Design& design) : graph_(graph), design_(design) {
  if (design.sets.empty()) return;
  const std::vector<int> streams = streams_of(graph, design);
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const auto found = std::ranges::find_if(design.sets, [&](const NamedCores& set) { return names(set, graph, streams, task_id(i)); });
    set_of_.push_back(static_cast<std::uint8_t>(found - design.sets.begin()));
  }
}

int TaskShares::fewest_cores(const Machine& machine, std::span<const TaskId> tasks) const {
  const std::vector<CoreType> cores = worker_cores(design_, machine);
  const std::vector<std::uint8_t> shares = core_shares(cores, design_, machine);
  std::ptrdiff_t fewest = std::ssize(cores);
  for (const TaskId task : tasks) {
    std::ptrdiff_t usable = 0;
    for (std::size_t core = 0; core < cores.size(); ++core) {
      usable += cores[core] == graph_[task].core_type && shares[core] == of(task) ? 1 : 0;
    }
    fewest = std::min(fewest, usable);
  }
  return static_cast<int>(fewest);
}

std::optional<std::string> sets_fault(const TaskGraph& graph, const Machine& machine, const Design& design) {
  if (design.sets.empty()) return std::nullopt;
  const std::string named = "design '" + design.name + "': ";
  std::vector<int> cores(static_cast<std::size_t>(share_count(design)));
  for (const std::uint8_t share : core_shares(worker_cores(design, machine), design, machine)) ++cores[share];
  std::vector<bool> used(cores.size());
  const TaskShares shares(graph, design);
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (!takes_cores(graph[task_id(i)])) continue;
    const auto share = static_cast<std::size_t>(shares.of(task_id(i)));
    used[share] = true;
    if (cores[share] > 0) continue;
    return named + "task '" + std::string(graph.name(task_id(i))) +
           "' is of no set, and the sets leave it no core: together they have all " +
           std::to_string(core_shares(worker_cores(design, machine), design, machine).size()) +
           "; leave some, or name the task by streams, kinds or layers of a set";
  }
  for (std::size_t set = 0; set < design.sets.size(); ++set) {
    if (used[set]) continue;
    return named + "sets: '" + design.sets[set].name +
           "' names no task, or none that an earlier set does not name; its cores would be idle";
  }
  return std::nullopt;
}

}  // namespace tasktwin
