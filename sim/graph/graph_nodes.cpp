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

GraphNodes::GraphNodes(const TaskGraph& graph, const Design& design, const mechanism::GraphLaunch& times)
    : captured_(design.graph_source == GraphSource::kCapture),
      node_successors_(static_cast<std::size_t>(times.node_successors)),
      programmatic_(design.programmatic_launch == ProgrammaticLaunch::kOn),
      plan_(captured_ ? plan_streams(graph, design) : plan_branches(graph)),
      degrees_(plan_.size(), 0) {
  const auto edges = edges_of(graph, plan_, captured_);
  for (const auto& [first, then] : edges) ++degrees_[then];
  followers_ = Followers(plan_.size(), edges);
  place_behind_roots(edges);
  for (std::uint32_t node = 0; node < size(); ++node) telling_.push_back(how_told(node));
  chain_ = std::ranges::all_of(plan_, [](const StreamLaunch& launch) { return launch.stream == 0; });
}

/// A node is behind the last root that leads to it. Contract: edges in the order of the nodes that they lead to.
void GraphNodes::place_behind_roots(const std::vector<std::pair<std::uint32_t, std::uint32_t>>& edges) {
  behind_.resize(plan_.size());
  auto edge = edges.begin();
  for (std::uint32_t node = 0; node < size(); ++node) {
    Behind& its = behind_[node];
    if (degrees_[node] == 0) {
      its.first = its.last = static_cast<std::uint32_t>(roots_++);
      continue;
    }
    its.first = its.last = behind_[edge->first].last;
    for (; edge != edges.end() && edge->second == node; ++edge) {
      its.first = std::min(its.first, behind_[edge->first].last);
      its.last = std::max(its.last, behind_[edge->first].last);
    }
  }
}

Telling GraphNodes::how_told(std::uint32_t node) const {
  constexpr std::size_t kAtOnce = 2;
  const auto meets = [this](std::uint32_t follower) { return behind_[follower].meets(); };
  if (fetched(node) || std::ranges::any_of(followers(node), meets)) return Telling::kByNode;
  return followers(node).size() > kAtOnce ? Telling::kOneByOne : Telling::kAtOnce;
}

std::vector<GraphNodes::Root> GraphNodes::roots_in_order() const {
  std::vector<Root> roots;
  roots.reserve(roots_);
  for (std::uint32_t node = 0; node < size(); ++node) {
    if (degrees_[node] == 0) roots.push_back({.node = node});
  }
  for (std::uint32_t node = 0; node < size(); ++node) {
    if (degrees_[node] == 0) continue;
    Root& root = roots[behind_[node].last];
    ++root.behind;
    root.joins += degrees_[node] - 1;
  }
  return roots;
}

}  // namespace tasktwin::sim
