#include "gpu/peers/plans/peer_layout.hpp"

#include <algorithm>
#include <utility>

#include "models/cost/collective_flows.hpp"

namespace tasktwin::gpu {

namespace {

constexpr std::size_t kAlignment = 512;

/// Where that many bytes begin in a piece of memory that grows by them.
std::size_t take(std::size_t& total, std::size_t bytes) {
  const std::size_t rounded = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  return std::exchange(total, total + rounded);
}

std::size_t at(int device) { return static_cast<std::size_t>(device); }

}  // namespace

PeerLayout::PeerLayout(const TaskGraph& graph, int devices)
    : places(graph.size()), given_bytes(at(devices), 0), taken_bytes(at(devices), 0) {
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const Task& task = graph[task_id(i)];
    if (task.operation != Operation::kCopyP2p) continue;
    const auto bytes = static_cast<std::size_t>(task.cost.bytes.count);
    PeerPlace& place = places[i];
    place.to = task.args[2];
    place.given = take(given_bytes[at(task.device)], bytes);
    place.taken = take(taken_bytes[at(place.to)], bytes);
  }
  if (!graph.has_collectives()) return;
  for (const std::vector<TaskId>& ranks : collectives_of(graph)) {
    if (ranks.empty()) continue;
    std::vector<int> group;
    group.reserve(ranks.size());
    for (const TaskId rank : ranks) group.push_back(graph[rank].device);
    const auto found = std::ranges::find(groups, group);
    const auto position = static_cast<int>(found - groups.begin());
    if (found == groups.end()) groups.push_back(group);
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
      const Task& task = graph[ranks[rank]];
      // What does not divide is rounded up to a word for each rank.
      const std::size_t bytes = static_cast<std::size_t>(task.cost.bytes.count) + (ranks.size() + 1) * sizeof(float);
      PeerPlace& place = places[index(ranks[rank])];
      place = {take(given_bytes[at(task.device)], bytes), take(taken_bytes[at(task.device)], bytes), task.device, position,
               static_cast<int>(rank)};
    }
  }
}

}  // namespace tasktwin::gpu
