#include "sim/graph/conditional_nodes.hpp"

#include <algorithm>

namespace tasktwin::sim {

ConditionalNodes::ConditionalNodes(const WiringInputs& inputs, const GraphNodes& nodes)
    : graph_(inputs.graph),
      nodes_(nodes),
      times_(inputs.machine.conditional_nodes.or_zero_unless(inputs.design.graph_predicates != GraphPredicates::kKernel)),
      predicates_(inputs.design.graph_predicates) {}

bool ConditionalNodes::has(std::uint32_t node) const {
  return predicates_ != GraphPredicates::kKernel && graph_.traits(nodes_.task(node)).probability < 1;
}

/// Every conditional node but the first after another, or of the roots, opens a branch.
void ConditionalNodes::begin() {
  opens_.assign(nodes_.size(), true);
  for (std::uint32_t node = 0; node < nodes_.size(); ++node) {
    if (!nodes_.followers(node).empty()) opens_[nodes_.followers(node).front()] = false;
  }
  const auto root = std::ranges::find(nodes_.degrees(), 0U);
  if (root != nodes_.degrees().end()) opens_[static_cast<std::size_t>(root - nodes_.degrees().begin())] = false;
  branches_ = 0;
  for (std::uint32_t node = 0; node < nodes_.size(); ++node) {
    opens_[node] = opens_[node] && has(node);
    branches_ += opens_[node] ? 1 : 0;
  }
}

TimePoint ConditionalNodes::decide(std::uint32_t node, TimePoint now) {
  if (opens_[node]) --branches_;
  const TimePoint looked_at = look(now);
  next_look_ = looked_at + round_ns(times_.service);
  return looked_at;
}

TimePoint ConditionalNodes::leave(TimePoint now) {
  const TimePoint taken_up = std::max(now, next_return_);
  next_return_ = taken_up + round_ns(times_.service);
  const bool again = predicates_ == GraphPredicates::kWhile;
  return taken_up + round_ns(times_.leave + (again ? times_.again : Nanoseconds{0}));
}

TimePoint ConditionalNodes::see_end(TimePoint now) {
  if (now <= next_look_ || round() == Duration{0}) return now;
  const TimePoint seen = look(now);
  next_look_ = seen + round_ns(times_.service);
  return seen;
}

/// Of the device's looks, by the branches that are still to come; 0 without any.
Duration ConditionalNodes::round() const {
  if (branches_ == 0) return Duration{0};
  return round_ns(std::min(branches_ + 1.0, static_cast<double>(times_.polled_branches)) * times_.poll);
}

/// When the device looks at what waits for it from `time` on: at once after others that it looks at, else when its round comes to it.
TimePoint ConditionalNodes::look(TimePoint time) const {
  if (time <= next_look_) return next_look_;
  const Duration round_time = round();
  if (round_time == Duration{0}) return time;
  return next_look_ + (time - next_look_ + round_time - Duration{1}) / round_time * round_time;
}

}  // namespace tasktwin::sim
