#include "sim/graph/front_ends.hpp"

#include <algorithm>

namespace tasktwin::sim {

FrontEnds::FrontEnds(const WiringInputs& inputs, const GraphNodes& nodes)
    : nodes_(nodes),
      service_(round_ns(inputs.machine.graph_launch->service)),
      pass_(round_ns(inputs.machine.graph_launch->pass)),
      pass_service_(round_ns(inputs.machine.graph_launch->pass_service)),
      all_(static_cast<std::size_t>(inputs.graph.devices())) {}

void FrontEnds::begin() { std::ranges::fill(all_, FrontEnd{}); }

TimePoint FrontEnds::start(std::uint32_t node, TimePoint now) {
  FrontEnd& its = of(node);
  const TimePoint turn = std::max(now, its.free);
  its.free = turn + service_;
  return turn;
}

TimePoint FrontEnds::pass(std::uint32_t node, TimePoint now) {
  FrontEnd& its = of(node);
  const TimePoint turn = std::max(now, its.passing);
  its.passing = turn + pass_service_;
  return turn + pass_;
}

}  // namespace tasktwin::sim
