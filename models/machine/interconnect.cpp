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

std::int64_t remote_input_bytes(const TaskGraph& graph, TaskId task) {
  if (graph.devices() == 1) return 0;
  std::int64_t remote = 0;
  const std::span<const std::int64_t> bytes = graph.input_bytes(task);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const Task& before = graph[TaskId{graph.predecessor_rows()[task][i]}];
    if (before.device != graph[task].device && before.operation != Operation::kCopyP2p) remote += bytes[i];
  }
  return remote;
}

Duration peer_read_time(const Machine& machine, std::int64_t bytes, int blocks) {
  if (bytes == 0) return Duration{0};
  const int beside = std::clamp(blocks, 1, std::max(1, machine.core_count()));
  const double rate = std::min(machine.peers->core_read_bandwidth, machine.peers->read_bandwidth / beside);
  return round_ns(machine.peers->read_latency + Nanoseconds{static_cast<double>(bytes) / std::max(1, blocks) / rate});
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
