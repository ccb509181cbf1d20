#include "sim/memory/collectives.hpp"

#include <map>

#include "models/runtimes/runtimes.hpp"

namespace tasktwin::sim {

Collectives::Collectives(const WiringInputs& inputs, const std::vector<StreamLaunch>& plan, bool take_cores, Listener& listener)
    : graph_(inputs.graph),
      machine_(inputs.machine),
      plan_(plan),
      calendar_(inputs.calendar),
      events_(inputs.events),
      listener_(listener),
      flows_(inputs.calendar, inputs.machine, *this),
      in_graph_(runtime_of(inputs.design).graph()),
      take_cores_(take_cores),
      arrived_(plan.size()) {
  std::vector<std::uint32_t> launch_of(plan.size());
  for (std::uint32_t i = 0; i < plan.size(); ++i) launch_of[index(plan[i].task)] = i;
  for (const std::vector<TaskId>& ranks : collectives_of(graph_)) {
    Group& group = groups_.emplace_back();
    if (ranks.empty()) continue;
    group.what = collective_of(graph_, ranks, inputs.design.collective);
    group.given = graph_[ranks.front()].cost.time;
    group.scale = flow_scale(machine_.constants(), group.what, in_graph_);
    for (const TaskId rank : ranks) group.launches.push_back(launch_of[index(rank)]);
    set_memory(group);
  }
}

void Collectives::set_memory(Group& group) const {
  const Nanoseconds alone =
      group.given > Duration{0} ? Nanoseconds{group.given} : collective_alone(machine_.constants(), group.what, in_graph_);
  if (alone.count() <= 0) return;
  std::map<int, double> bytes;
  for (const CollectiveFlow& flow : collective_flows(group.what, machine_.devices)) {
    bytes[flow.from] += flow.bytes;
    bytes[flow.to] += flow.bytes;
  }
  for (const auto& [device, moved] : bytes) group.memory.emplace_back(device, moved / alone.count());
}

void Collectives::take_memory(const Group& group, double sign, TimePoint now) {
  for (const auto& [device, rate] : group.memory) listener_.memory_taken(device, sign * rate, now);
}

void Collectives::arrive(std::uint32_t launch, TimePoint now) {
  Group& group = groups_[number_of(launch)];
  if (!take_cores_) events_.started(plan_[launch].task, now);
  arrived_[launch] = now;
  if (++group.arrived < group.launches.size()) return;
  if (!take_cores_) return begin(number_of(launch), now);
  group.complete = now;
  group.unplaced = group.launches.size();
  for (const std::uint32_t rank : group.launches) listener_.takes_cores(rank, now);
}

void Collectives::placed(std::uint32_t launch, TimePoint now) {
  Group& group = groups_[number_of(launch)];
  const TimePoint arrived = arrived_[launch];
  const bool waited = now > group.complete;
  if (waited) events_.received(plan_[launch].task, kNoCore, arrived);
  events_.started(plan_[launch].task, waited ? now : arrived);
  if (--group.unplaced == 0) begin(number_of(launch), now);
}

void Collectives::begin(std::uint32_t number, TimePoint now) {
  const Group& group = groups_[number];
  take_memory(group, 1, now);
  if (group.given > Duration{0} || group.scale == 0) {
    const Duration time = group.given > Duration{0} ? group.given : round_ns(collective_alone(machine_.constants(), group.what, in_graph_));
    calendar_.schedule(now + time, EventKind::kCollectiveEnd, number, *this);
  } else {
    calendar_.schedule(now + round_ns(collective_latency(machine_.constants(), group.what, in_graph_)), EventKind::kCollectiveMoves, number,
                       *this);
  }
}

void Collectives::handle(EventKind kind, std::uint32_t number, TimePoint now) {
  if (kind == EventKind::kCollectiveEnd) return end(number, now);
  Group& group = groups_[number];
  const std::vector<CollectiveFlow> flows = collective_flows(group.what, machine_.devices);
  for (const CollectiveFlow& flow : flows) {
    const double bytes = flow.bytes * group.scale;
    if (bytes < 0.5) continue;
    ++group.flows;
    flows_.start(number, flow.from, flow.to, bytes);
  }
  if (group.flows == 0) end(number, now);
}

void Collectives::peer_flow_ended(std::uint32_t number, TimePoint now) {
  if (--groups_[number].flows == 0) end(number, now);
}

void Collectives::end(std::uint32_t number, TimePoint now) {
  Group& group = groups_[number];
  group.arrived = 0;
  take_memory(group, -1, now);
  for (const std::uint32_t launch : group.launches) {
    events_.ended(plan_[launch].task, now);
    listener_.collective_ended(launch, now);
  }
}

}  // namespace tasktwin::sim
