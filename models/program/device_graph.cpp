#include "models/program/device_graph.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "models/base/error.hpp"
#include "models/cost/collective_flows.hpp"
#include "models/graph/graph_copy.hpp"
#include "models/policies/device_placement.hpp"
#include "models/program/stream_plan.hpp"

namespace tasktwin {

namespace {

class Check {
 public:
  Check(const TaskGraph& graph, const Machine& machine) : graph_(graph), machine_(machine) {}

  void all() const {
    for (std::size_t i = 0; i < graph_.size(); ++i) task(task_id(i));
    if (!graph_.has_collectives()) return;
    for (const std::vector<TaskId>& ranks : collectives_of(graph_)) {
      if (!ranks.empty()) collective(ranks);
    }
    launch_order(graph_);
  }

 private:
  std::string named(TaskId id) const { return "task '" + std::string(graph_.name(id)) + "'"; }

  std::string devices() const {
    const int count = machine_.devices.count();
    return "machine '" + machine_.name + "' has " + (count == 1 ? "one device" : "devices 0 to " + std::to_string(count - 1));
  }

  void task(TaskId id) const {
    const Task& task = graph_[id];
    const int count = machine_.devices.count();
    if (task.device < kAnyDevice || task.device >= count)
      throw InputError(named(id) + " is for device " + std::to_string(task.device) + ", but " + devices());
    if (is_collective(task.operation)) {
      if (count == 1) throw InputError(named(id) + " is part of a collective, but " + devices());
      if (task.device == kAnyDevice) throw InputError(named(id) + " is a rank of a collective and names no device");
    }
    if (task.operation != Operation::kCopyP2p || count == 1) return;
    if (task.device == kAnyDevice) throw InputError(named(id) + " is a copy between devices and does not name the one that it comes from");
    if (task.args[2] >= 0 && task.args[2] < count && task.args[2] != task.device) return;
    throw InputError(named(id) + " copies from device " + std::to_string(task.device) + " to device " + std::to_string(task.args[2]) +
                     "; it must go to another one, and " + devices());
  }

  void collective(const std::vector<TaskId>& ranks) const {
    const Task& first = graph_[ranks.front()];
    if (ranks.size() < 2) throw InputError(named(ranks.front()) + " is the only rank of its collective; a collective has two or more");
    bool root = !has_root(first.operation);
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      const Task& rank = graph_[ranks[i]];
      const std::string both = named(ranks[i]) + " and " + named(ranks.front()) + " are ranks of one collective";
      if (rank.operation != first.operation) throw InputError(both + ", but not the same operation");
      if (rank.cost.bytes != first.cost.bytes) throw InputError(both + ", but state different bytes");
      if (rank.args[2] != first.args[2]) throw InputError(both + ", but name different roots");
      if (i > 0 && rank.device == graph_[ranks[i - 1]].device)
        throw InputError(named(ranks[i - 1]) + " and " + named(ranks[i]) + " are ranks of one collective, both on device " +
                         std::to_string(rank.device));
      root |= rank.device == first.args[2];
    }
    if (!root)
      throw InputError(named(ranks.front()) + ": its root is device " + std::to_string(first.args[2]) + ", which is none of its ranks");
    if (first.operation == Operation::kSendRecv && ranks.size() != 2)
      throw InputError(named(ranks.front()) + ": a send_recv has two ranks, not " + std::to_string(ranks.size()));
  }

  const TaskGraph& graph_;
  const Machine& machine_;
};

/// The copies that bring bytes of tasks to other devices: by task and device, as many as most.
using Copies = std::map<std::pair<TaskId, std::int32_t>, std::int64_t>;

Copies copies_of(const TaskGraph& graph, const std::vector<std::int32_t>& devices, const Design& design) {
  Copies copies;
  if (!graph.has_edge_bytes()) return copies;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    for_each_input(graph, task_id(i), [&](TaskId before, std::int64_t bytes) {
      if (bytes == 0 || devices[index(before)] == devices[i]) return;
      std::int64_t& most = copies[{before, devices[i]}];
      most = std::max(most, bytes);
    });
    if (copies.size() > kMostCopies)
      throw InputError("design '" + design.name + "' puts in more than " + std::to_string(kMostCopies) +
                       " copies between devices, the most that are made; tasks on fewer devices, or peer_data 'read', need fewer");
  }
  return copies;
}

TaskGraph with_copies(const TaskGraph& graph, const std::vector<std::int32_t>& devices, const Copies& copies) {
  TaskGraphBuilder builder;
  copy_tasks(builder, graph, [&devices](TaskId id, Task& task, TaskTraits&) { task.device = devices[index(id)]; });
  std::set<std::string, std::less<>> names;
  for (std::size_t i = 0; i < graph.size(); ++i) names.emplace(graph.name(task_id(i)));
  std::map<std::pair<TaskId, std::int32_t>, TaskId> copy_of;
  for (const auto& [way, bytes] : copies) {
    const auto& [from, to] = way;
    std::string name = std::string(graph.name(from)) + " to device " + std::to_string(to);
    while (!names.insert(name).second) name += "'";
    const Task copy{.cost = {.bytes = {bytes}},
                    .args = {0, 0, to},
                    .priority = graph[from].priority,
                    .layer = graph[from].layer,
                    .kernel = Kernel::kEmpty,
                    .operation = Operation::kCopyP2p,
                    .device = devices[index(from)]};
    copy_of[way] = builder.add_task(name, copy);
    builder.add_edge(from, copy_of[way]);
  }
  for (std::size_t i = 0; i < graph.size(); ++i) {
    for_each_input(graph, task_id(i), [&](TaskId before, std::int64_t bytes) {
      const auto copy = bytes > 0 ? copy_of.find({before, devices[i]}) : copy_of.end();
      builder.add_edge(copy == copy_of.end() ? before : copy->second, task_id(i), Bytes{bytes});
    });
    if (const auto spawner = graph.spawner(task_id(i))) builder.set_spawner(task_id(i), *spawner);
  }
  builder.set_problem(graph.problem());
  return std::move(builder).build();
}

}  // namespace

void check_devices(const TaskGraph& graph, const Machine& machine) { Check(graph, machine).all(); }

DeviceGraph on_devices(const TaskGraph& graph, const Machine& machine, const Design& design) {
  check_devices(graph, machine);
  const std::vector<std::int32_t> devices = place_on_devices(graph, machine, design);
  const Copies copies = design.peer_data == PeerData::kCopy ? copies_of(graph, devices, design) : Copies{};
  return {copies.empty() ? graph.with_devices(devices) : with_copies(graph, devices, copies), graph.size()};
}

}  // namespace tasktwin
