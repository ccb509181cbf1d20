#include "models/machine/interconnect.hpp"

#include <algorithm>

namespace tasktwin {

int tree_links(const Devices& devices, int node, int other) {
  int levels = 0;
  for (const int down : devices.tree_down) {
    if (node == other) break;
    node /= down;
    other /= down;
    ++levels;
  }
  return 2 * std::max(1, levels);
}

std::int64_t part_from_devices(std::int64_t bytes, const TaskTraits& traits) {
  const std::int64_t parts = std::max(1, traits.split_of);
  return (bytes + parts - 1) / parts;
}

std::map<int, std::int64_t> remote_inputs(const TaskGraph& graph, TaskId task) {
  std::map<int, std::int64_t> remote;
  if (graph.devices() == 1) return remote;
  const std::span<const std::int64_t> bytes = graph.input_bytes(task);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const Task& before = graph[TaskId{graph.predecessor_rows()[task][i]}];
    if (bytes[i] > 0 && before.device != graph[task].device && before.operation != Operation::kCopyP2p) remote[before.device] += bytes[i];
  }
  for (auto& [device, count] : remote) count = part_from_devices(count, graph.traits(task));
  return remote;
}

double peer_read_rate(const Machine& machine, int blocks) {
  const int beside = std::clamp(blocks, 1, std::max(1, machine.core_count()));
  return std::min(machine.peers->core_read_bandwidth, machine.peers->read_bandwidth / beside);
}

Duration peer_read_time(const Machine& machine, std::int64_t bytes, int blocks) {
  if (bytes == 0) return Duration{0};
  const double each = static_cast<double>(bytes) / std::max(1, blocks);
  return round_ns(machine.peers->read_latency + Nanoseconds{each / peer_read_rate(machine, blocks)});
}

Route route(const Machine& machine, int from, int to) {
  const Devices& devices = machine.devices;
  const int node = devices.node_of(from);
  const int other = devices.node_of(to);
  if (node == other) return {machine.peers->link_latency, machine.peers->link_bandwidth};
  const mechanism::Network& network = *machine.network;
  return {2 * network.nic_latency + tree_links(devices, node, other) * network.tree_latency,
          std::min(network.nic_bandwidth, network.tree_bandwidth)};
}

}  // namespace tasktwin
