#include "sim/graph/graph_nodes.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace tasktwin::sim {

namespace {

/// Of nodes, each by its place in the plan; in the order in which they are made.
std::vector<std::pair<std::uint32_t, std::uint32_t>> edges_of(const TaskGraph& graph, const std::vector<StreamLaunch>& plan,
                                                              bool captured) {
  std::vector<std::uint32_t> node_of(graph.size());
  std::vector<std::optional<std::uint32_t>> last;  // by stream
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
  for (std::uint32_t node = 0; node < plan.size(); ++node) {
    const StreamLaunch& launch = plan[node];
    node_of[index(launch.task)] = node;
    if (!captured) {
      for (const TaskId before : graph.predecessors(launch.task)) edges.emplace_back(node_of[index(before)], node);
      continue;
    }
    last.resize(std::max<std::size_t>(last.size(), launch.stream + 1));
    if (const auto before = std::exchange(last[launch.stream], node)) edges.emplace_back(*before, node);
    for (const TaskId before : launch.awaited) edges.emplace_back(node_of[index(before)], node);
  }
  return edges;
}

}  // namespace

GraphNodes::GraphNodes(const WiringInputs& inputs)
    : captured_(inputs.design.graph_source == GraphSource::kCapture),
      node_successors_(static_cast<std::size_t>(inputs.machine.graph_launch->node_successors)),
      programmatic_(inputs.design.programmatic_launch == ProgrammaticLaunch::kOn),
      plan_(captured_ ? plan_streams(inputs.graph, inputs.design) : plan_branches(inputs.graph)),
      degrees_(plan_.size(), 0) {
  const auto edges = edges_of(inputs.graph, plan_, captured_);
  for (const auto& [first, then] : edges) ++degrees_[then];
  followers_ = Followers(plan_.size(), edges);
  roots_ = static_cast<std::size_t>(std::ranges::count(degrees_, 0u));
  chain_ = std::ranges::all_of(plan_, [](const StreamLaunch& launch) { return launch.stream == 0; });
}

std::vector<GraphNodes::Root> GraphNodes::roots_in_order() const {
  std::vector<Root> roots;
  std::vector<std::uint32_t> left = degrees_;
  std::vector<std::uint32_t> found;
  for (std::uint32_t node = 0; node < size(); ++node) {
    if (degrees_[node] > 0) continue;
    std::size_t joins = 0;
    found.assign(1, node);
    for (std::size_t next = 0; next < found.size(); ++next) {
      for (const std::uint32_t follower : followers(found[next])) {
        if (--left[follower] > 0) continue;
        found.push_back(follower);
        joins += degrees_[follower] - 1;
      }
    }
    roots.push_back({node, found.size() - 1, joins});
  }
  return roots;
}

}  // namespace tasktwin::sim
