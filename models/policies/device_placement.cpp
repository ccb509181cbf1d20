#include "models/policies/device_placement.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "models/cost/body_cost.hpp"
#include "models/graph/graph_copy.hpp"
#include "models/machine/interconnect.hpp"
#include "models/runtimes/runtimes.hpp"

namespace tasktwin {

namespace {

std::vector<std::int32_t> round_robin(const TaskGraph& graph, std::vector<std::int32_t> devices, int count) {
  for (int next = 0; const TaskId task : graph.topological_order()) {
    if (devices[index(task)] == kAnyDevice) devices[index(task)] = next++ % count;
  }
  return devices;
}

std::vector<std::int32_t> by_layer(const TaskGraph& graph, std::vector<std::int32_t> devices, int count) {
  std::map<std::int32_t, std::int64_t> place;
  for (const Task& task : graph.tasks()) place[task.layer] = 0;
  for (std::int64_t next = 0; auto& [layer, at] : place) at = next++;
  const auto layers = static_cast<std::int64_t>(place.size());
  for (std::size_t i = 0; i < devices.size(); ++i) {
    if (devices[i] == kAnyDevice) devices[i] = static_cast<std::int32_t>(place[graph[task_id(i)].layer] * count / layers);
  }
  return devices;
}

std::vector<std::int32_t> hinted(const TaskGraph& graph, std::vector<std::int32_t> devices, int count) {
  std::vector<std::size_t> position(graph.size());
  for (std::size_t at = 0; const TaskId task : graph.topological_order()) position[index(task)] = at++;
  for (const TaskId task : graph.topological_order()) {
    std::int32_t& device = devices[index(task)];
    if (device != kAnyDevice) continue;
    const int shard = graph.traits(task).shard;
    device = shard >= 0 ? shard % count : 0;
    if (shard >= 0) continue;
    std::size_t latest = 0;
    for (const TaskId before : graph.predecessors(task)) {
      if (position[index(before)] < latest) continue;
      latest = position[index(before)];
      device = devices[index(before)];
    }
  }
  return devices;
}

/// HEFT (Topcuoglu, Hariri, Wu 2002) with a device as what tasks are placed on: it has as many places as compute cores, of which a task
/// takes one a block, the first to come free.
class DeviceHeft {
 public:
  DeviceHeft(const TaskGraph& graph, const Machine& machine, const Design& design)
      : graph_(graph),
        machine_(machine),
        durations_(expected_durations(graph, machine)),
        reads_(design.peer_data == PeerData::kRead),
        hop_(runtime_of(design).graph()      ? machine.peers->graph_hop
             : runtime_of(design).resident() ? machine.peers->flag_hop
                                             : machine.peers->event_hop),
        free_(static_cast<std::size_t>(machine.devices.count()),
              std::vector<double>(static_cast<std::size_t>(std::max(1, machine.core_count())), 0)),
        ends_(graph.size(), 0) {}

  std::vector<std::int32_t> place(std::vector<std::int32_t> devices) {
    const std::vector<double> ranks = upward_ranks();
    std::vector<TaskId> order = graph_.topological_order();  // a successor's rank is not above its predecessor's
    std::ranges::stable_sort(order, [&ranks](TaskId a, TaskId b) { return ranks[index(a)] > ranks[index(b)]; });
    for (const TaskId task : order) {
      std::int32_t& device = devices[index(task)];
      if (device == kAnyDevice) {
        for (std::int32_t other = 0; other < machine_.devices.count(); ++other) {
          if (device == kAnyDevice || start(task, other, devices) < start(task, device, devices)) device = other;
        }
      }
      take(task, device, start(task, device, devices));
    }
    return devices;
  }

 private:
  /// Of an edge into `task`: a hop, and of its bytes a copy of its own, or the body's reading them.
  double crossing(TaskId task, int from, int to, std::int64_t bytes) const {
    if (from == to) return 0;
    if (bytes == 0) return hop_.count();
    if (reads_) {
      const std::int64_t own = part_from_devices(bytes, graph_.traits(task));
      return hop_.count() + static_cast<double>(peer_read_time(machine_, own, graph_.traits(task).blocks).count());
    }
    const Route way = route(machine_, from, to);
    return (hop_ + machine_.peers->copy_setup + way.latency).count() + static_cast<double>(bytes) / way.bandwidth;
  }

  /// With what an edge takes on average, were its ends on any two devices.
  std::vector<double> upward_ranks() const {
    const auto count = static_cast<double>(machine_.devices.count());
    std::vector<double> ranks(graph_.size(), 0);
    const std::vector<TaskId>& order = graph_.topological_order();
    for (std::size_t at = order.size(); at-- > 0;) {
      const TaskId task = order[at];
      ranks[index(task)] += static_cast<double>(durations_[index(task)].count());
      for_each_input(graph_, task, [&](TaskId before, std::int64_t bytes) {
        const double edge = (count - 1) / count * crossing(task, 0, 1, bytes);
        ranks[index(before)] = std::max(ranks[index(before)], ranks[index(task)] + edge);
      });
    }
    return ranks;
  }

  std::size_t places(TaskId task, std::size_t all) const {
    return std::min(all, static_cast<std::size_t>(std::max(1, graph_.traits(task).blocks)));
  }

  double start(TaskId task, std::int32_t device, const std::vector<std::int32_t>& devices) {
    double ready = 0;
    for_each_input(graph_, task, [&](TaskId before, std::int64_t bytes) {
      ready = std::max(ready, ends_[index(before)] + crossing(task, devices[index(before)], device, bytes));
    });
    std::vector<double>& free = free_[static_cast<std::size_t>(device)];
    return std::max(ready, free[places(task, free.size()) - 1]);
  }

  /// `free` stays ascending.
  void take(TaskId task, std::int32_t device, double at) {
    std::vector<double>& free = free_[static_cast<std::size_t>(device)];
    const std::size_t taken = places(task, free.size());
    ends_[index(task)] = at + static_cast<double>(durations_[index(task)].count());
    free.erase(free.begin(), free.begin() + static_cast<std::ptrdiff_t>(taken));
    free.insert(std::ranges::lower_bound(free, ends_[index(task)]), taken, ends_[index(task)]);
  }

  const TaskGraph& graph_;
  const Machine& machine_;
  std::vector<Duration> durations_;
  bool reads_;
  Nanoseconds hop_;
  std::vector<std::vector<double>> free_;  ///< by device: when each of its cores comes free, ascending
  std::vector<double> ends_;               ///< by TaskId
};

}  // namespace

std::vector<std::int32_t> place_on_devices(const TaskGraph& graph, const Machine& machine, const Design& design) {
  std::vector<std::int32_t> devices(graph.size());
  std::ranges::transform(graph.tasks(), devices.begin(), &Task::device);
  const int count = machine.devices.count();
  switch (design.device_placement) {
    case DevicePlacement::kRoundRobin:
      return round_robin(graph, std::move(devices), count);
    case DevicePlacement::kByLayer:
      return by_layer(graph, std::move(devices), count);
    case DevicePlacement::kHinted:
      return hinted(graph, std::move(devices), count);
    case DevicePlacement::kHeft:
      if (count > 1) return DeviceHeft(graph, machine, design).place(std::move(devices));
      [[fallthrough]];
    case DevicePlacement::kGiven:
      break;
  }
  std::ranges::replace(devices, kAnyDevice, 0);
  return devices;
}

}  // namespace tasktwin
