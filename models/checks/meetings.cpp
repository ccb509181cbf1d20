#include "models/checks/meetings.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include "models/checks/stalls.hpp"
#include "models/cost/block_seats.hpp"
#include "models/policies/device_placement.hpp"
#include "models/program/stream_plan.hpp"
#include "models/runtimes/runtimes.hpp"
#include "models/shares/task_shares.hpp"

namespace tasktwin {

namespace {

using Group = std::vector<TaskId>;
using Fault = std::optional<std::string>;  ///< why it cannot be, if it cannot

std::string named_task(const TaskGraph& graph, TaskId task) { return "'" + std::string(graph.name(task)) + "'"; }

/// By TaskId: whether it comes after `first`.
std::vector<bool> behind(const TaskGraph& graph, TaskId first) {
  std::vector<bool> reached(graph.size());
  for (const TaskId task : graph.topological_order()) {
    if (task != first && !reached[index(task)]) continue;
    for (const TaskId successor : graph.successors(task)) reached[index(successor)] = true;
  }
  return reached;
}

/// The first of `group` with a block for which empty cores have no room next to the blocks of those before it, and how many have.
struct Excluded {
  TaskId task{};
  int placed = 0;
};
std::optional<Excluded> without_room(const TaskGraph& graph, const Machine& machine, const Design& design, const Group& group) {
  const std::vector<CoreType> cores = worker_cores(design, machine);
  BlockSeats seats(machine.core_limits, machine.compute_cores, cores, core_shares(cores, design, machine));
  const TaskShares shares(graph, design);
  for (const TaskId task : group) {
    const TaskTraits& traits = graph.traits(task);
    const BlockNeeds needs = block_needs(traits, machine.core_limits);
    const int share = shares.of(task);
    std::vector<CoreId> taken;
    for (int block = 0; block < traits.blocks; block += traits.cluster) {
      const bool placed = traits.cluster > 1 ? seats.take_cluster(graph[task].core_type, needs, traits.cluster, share, taken)
                                             : seats.take(graph[task].core_type, needs, share) != kNoCore;
      if (!placed) return Excluded{task, block};
    }
  }
  return std::nullopt;
}

class MeetingCheck {
 public:
  MeetingCheck(const TaskGraph& graph, const Machine& machine, const Design& design) : graph_(graph), machine_(machine), design_(design) {}

  /// By the device that its tasks are on.
  std::map<std::int32_t, Group> by_device(const Group& group) const {
    if (machine_.devices.count() == 1) return {{0, group}};
    const std::vector<std::int32_t> devices = place_on_devices(graph_, machine_, design_);
    std::map<std::int32_t, Group> parts;
    for (const TaskId task : group) parts[devices[index(task)]].push_back(task);
    return parts;
  }

  Fault group(const Group& group) const {
    if (!runtime_of(design_).of_host())
      return refusal(group, "driver '" + std::string(to_word(design_.driver)) +
                                "' promises of no two tasks that both run at a time; they need driver 'streams' or 'cuda_graph'");
    for (std::size_t i = 0; i < group.size(); ++i) {
      if (Fault fault = ordered(group, i)) return fault;
    }
    for (const auto& [device, part] : by_device(group)) {
      const std::string on = machine_.devices.count() == 1 ? "the device" : "device " + std::to_string(device);
      const int resident = machine_.launch_limits.resident_kernels;
      if (resident > 0 && part.size() > static_cast<std::size_t>(resident))
        return hang(group, on + " runs " + std::to_string(resident) + " kernels at a time");
      if (const auto excluded = without_room(graph_, machine_, design_, part)) {
        return hang(group, "of the " + std::to_string(graph_.traits(excluded->task).blocks) + " blocks of " +
                               named_task(graph_, excluded->task) + " " + std::to_string(excluded->placed) + " find room" +
                               (group.size() > 1 ? " beside the blocks of the others" : "") +
                               (machine_.devices.count() == 1 ? "" : " on " + on));
      }
    }
    return std::nullopt;
  }

  /// Of several blocks, all of which are to have room at once.
  Fault cooperative(TaskId task) const {
    const int blocks = graph_.traits(task).blocks;
    const std::string named = "design '" + design_.name + "': task " + named_task(graph_, task) + " is cooperative, ";
    const Runtime& runtime = runtime_of(design_);
    if (runtime.resident() && !(runtime.dispatched() && design_.gang != Gang::kApart))
      return named + "but workers take its " + std::to_string(blocks) +
             " blocks one by one, and blocks that wait for each other would hang; it needs driver 'streams' or 'cuda_graph', or "
             "release 'dispatcher' with gang 'together'";
    if (!runtime.resident() && !runtime.of_host())
      return named + "which kernels that driver '" + std::string(to_word(design_.driver)) +
             "' launches on the device are not; it needs driver 'streams' or 'cuda_graph'";
    if (!runtime.of_host()) return std::nullopt;
    if (const auto excluded = without_room(graph_, machine_, design_, {task})) {
      return named + "but of its " + std::to_string(blocks) + " blocks " + std::to_string(excluded->placed) +
             " find room at once on a device of machine '" + machine_.name +
             "', so it could never be launched; give it at most so many, or smaller ones";
    }
    return std::nullopt;
  }

 private:
  Fault ordered(const Group& group, std::size_t i) const {
    const std::vector<bool> after = behind(graph_, group[i]);
    for (const TaskId other : group) {
      if (after[index(other)])
        return hang(group, named_task(graph_, other) + " begins only when " + named_task(graph_, group[i]) + " has ended");
    }
    if (!runtime_of(design_).streams()) return std::nullopt;
    const std::vector<std::uint32_t> streams = assign_streams(graph_, design_);
    const std::vector<TaskId> order = launch_order(graph_);
    const auto stream_of = [&](TaskId task) { return streams[static_cast<std::size_t>(std::ranges::find(order, task) - order.begin())]; };
    for (const TaskId other : group) {
      if (other != group[i] && stream_of(other) == stream_of(group[i]))
        return hang(group,
                    named_task(graph_, group[i]) + " and " + named_task(graph_, other) + " are in one stream, which runs one at a time");
    }
    return std::nullopt;
  }

  Fault hang(const Group& group, const std::string& why) const {
    return refusal(group, why + ", so none of them ever ends: the run would hang");
  }
  Fault refusal(const Group& group, const std::string& why) const {
    const std::string who = group.size() == 1 ? "the blocks of task " : "tasks ";
    return "design '" + design_.name + "': " + who + listed(graph_, group) + " wait for each other while they run (meets), but " + why;
  }

  const TaskGraph& graph_;
  const Machine& machine_;
  const Design& design_;
};

}  // namespace

std::map<int, std::vector<TaskId>> meeting_groups(const TaskGraph& graph) {
  std::map<int, Group> groups;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (const int number = graph.traits(task_id(i)).co_resident; number != 0) groups[number].push_back(task_id(i));
  }
  std::erase_if(groups, [&graph](const auto& group) { return group.second.size() == 1 && graph.traits(group.second.front()).blocks == 1; });
  return groups;
}

std::optional<std::string> meeting_fault(const TaskGraph& graph, const Machine& machine, const Design& design) {
  const MeetingCheck check(graph, machine, design);
  const TaskShares shares(graph, design);
  std::set<std::tuple<std::uint32_t, CoreType, int>> checked;  // what room depends on
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const Task& task = graph[task_id(i)];
    const TaskTraits& traits = graph.traits(task_id(i));
    if (!traits.cooperative || traits.blocks == 1) continue;
    if (!checked.emplace(task.traits, task.core_type, shares.of(task_id(i))).second) continue;
    if (Fault fault = check.cooperative(task_id(i))) return fault;
  }
  for (const auto& [number, group] : meeting_groups(graph)) {
    if (Fault fault = check.group(group)) return fault;
  }
  return std::nullopt;
}

}  // namespace tasktwin
