#include "sim/graph/graph_call.hpp"

namespace tasktwin::sim {

namespace {

Duration update_time(GraphUpdate update, const mechanism::GraphLaunch& times, const GraphNodes& nodes) {
  const auto count = static_cast<double>(nodes.size());
  switch (update) {
    case GraphUpdate::kNone:
      return Duration{0};
    case GraphUpdate::kNodeParams:
      return round_ns(count * times.set_node);
    case GraphUpdate::kWholeGraph:
      return round_ns(count * times.update_per_node);
    case GraphUpdate::kReinstantiate:
      return round_ns(count * times.instantiate_per_node);
  }
  return Duration{0};
}

/// Nodes with predecessors and without successors.
std::size_t count_leaves(const GraphNodes& nodes) {
  std::size_t leaves = 0;
  for (std::uint32_t node = 0; node < nodes.size(); ++node) leaves += nodes.degrees()[node] > 0 && nodes.followers(node).empty() ? 1 : 0;
  return leaves;
}

}  // namespace

GraphCall::GraphCall(const WiringInputs& inputs, const GraphNodes& nodes)
    : clock_(inputs.events), update_time_(update_time(inputs.design.graph_update, *inputs.machine.graph_launch, nodes)) {
  const mechanism::GraphLaunch& times = *inputs.machine.graph_launch;
  const Nanoseconds graph_begin = inputs.machine.peers.or_zero_unless(inputs.graph.devices() > 1).graph_begin;
  const Nanoseconds root_time = times.per_root + times.doublings(nodes.size()) * times.root_growth;
  const Nanoseconds inner_time =
      nodes.chain() ? Nanoseconds{0} : times.per_inner + times.doublings(nodes.size() - nodes.roots()) * times.inner_growth;
  Nanoseconds handed_over{};
  const std::vector<GraphNodes::Root> roots = nodes.roots_in_order();
  for (const GraphNodes::Root& root : roots) {
    const Nanoseconds between = &root == &roots.back() ? Nanoseconds{0} : times.between;
    handed_over += static_cast<double>(root.behind) * (inner_time + between) + static_cast<double>(root.joins) * times.per_edge;
    roots_.push_back({root.node, round_ns(handed_over + times.latency + graph_begin)});
    handed_over += root_time;
  }
  call_time_ = round_ns(times.launch + static_cast<double>(nodes.size()) * times.per_node + handed_over +
                        static_cast<double>(count_leaves(nodes)) * times.per_leaf);
}

TimePoint GraphCall::make() {
  const TimePoint begun = clock_.now();
  clock_.spend(call_time_);
  return begun;
}

}  // namespace tasktwin::sim
