#include "sim/graph/node_steps.hpp"

#include <algorithm>

namespace tasktwin::sim {

NodeSteps::NodeSteps(const WiringInputs& inputs, const GraphNodes& nodes)
    : nodes_(nodes),
      service_(round_ns(inputs.machine.graph_launch->service)),
      fetch_(round_ns(inputs.machine.graph_launch->fetch)),
      release_among_(round_ns(inputs.machine.graph_launch->release_among)),
      front_ends_(static_cast<std::size_t>(inputs.graph.devices())),
      overlap_(inputs.graph, inputs.machine.graph_launch->ends_in_order) {}

void NodeSteps::begin() {
  overlap_.begin();
  overlapped_.assign(nodes_.size(), false);
  taken_up_.assign(nodes_.size(), kAbsent);
}

TimePoint NodeSteps::start(std::uint32_t node, std::uint32_t before, TimePoint now) {
  FrontEnd& its = front_end(node);
  TimePoint& taken_up = taken_up_[before];
  if (taken_up == kAbsent) {
    taken_up = std::max(now, its.next_end);
    its.next_end = taken_up + release_time(before);
  }
  const TimePoint turn = std::max({now, taken_up, its.free});
  its.free = turn + service_;
  return turn;
}

void NodeSteps::start_root(std::uint32_t node, TimePoint now) {
  FrontEnd& its = front_end(node);
  its.next_end = std::max(its.next_end, now) + release_among_;
  occupy(its, now);
}

void NodeSteps::ended(std::uint32_t node, bool releases, TimePoint now) {
  FrontEnd& its = front_end(node);
  if (nodes_.fetched(node)) occupy(its, now);
  if (nodes_.roots() <= 1 || nodes_.followers(node).empty()) return;
  overlap_.ended(nodes_.task(node));
  overlapped_[node] = overlap_.seen();
  if (overlapped_[node] && !releases) its.next_end = std::max(its.next_end, now) + release_time(node);
}

/// For how long the first step is at the end of `node`.
Duration NodeSteps::release_time(std::uint32_t node) const {
  if (!overlapped_[node]) return Duration{0};
  return nodes_.fetched(node) ? fetch_ : release_among_;
}

}  // namespace tasktwin::sim
