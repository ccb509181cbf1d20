#include "sim/memory/collectives.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "models/runtimes/runtimes.hpp"
#include "models/shares/task_shares.hpp"

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
  for (int device = 0; device < graph_.devices(); ++device) memories_.emplace_back(*this);
  std::vector<std::uint32_t> launch_of(plan.size());
  for (std::uint32_t i = 0; i < plan.size(); ++i) launch_of[index(plan[i].task)] = i;
  const TaskShares shares(graph_, inputs.design);
  for (const std::vector<TaskId>& ranks : collectives_of(graph_)) {
    Group& group = groups_.emplace_back();
    if (ranks.empty()) continue;
    const int cores = take_cores ? shares.fewest_cores(machine_.constants(), ranks) : std::numeric_limits<int>::max();
    group.what = collective_under(machine_.constants(), inputs.design, graph_, ranks, cores);
    group.given = graph_[ranks.front()].cost.time;
    group.links = link_use(machine_.constants(), group.what, in_graph_);
    for (const TaskId rank : ranks) group.launches.push_back(launch_of[index(rank)]);
    set_memory(group);
    set_limits(group);
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

/// A device's limit is of all its collectives together, of which one may have had more than its own.
double Collectives::early(const Group& group, TimePoint now) {
  const double alone = group.links.pace > 0 ? group.links.bytes / group.links.pace : 0;
  return alone - static_cast<double>(to_ns(now - group.moved_from));
}

/// By what the links are to be used alone, and by its blocks.
void Collectives::set_limits(Group& group) const {
  std::map<int, double> most;
  for (const CollectiveFlow& flow : collective_flows(group.what, machine_.devices)) most[flow.from] += flow.bytes * group.links.pace;
  const double of_blocks = sending_limit(machine_.constants(), group.what) * group.links.bytes;
  for (auto& [device, rate] : most) {
    if (of_blocks > 0) rate = rate > 0 ? std::min(rate, of_blocks) : of_blocks;
    if (rate > 0) group.limits.emplace_back(device, rate);
  }
}

void Collectives::take_memory(const Group& group, double sign, TimePoint now) {
  for (const auto& [device, rate] : group.memory) listener_.memory_taken(device, sign * rate, now);
}

void Collectives::arrive(std::uint32_t launch, TimePoint now) {
  arrived_[launch] = now;
  if (take_cores_) return listener_.takes_cores(launch, now);
  events_.started(plan_[launch].task, now);
  is_there(number_of(launch), now);
}

void Collectives::placed(std::uint32_t launch, TimePoint now) {
  if (now > arrived_[launch]) events_.received(plan_[launch].task, kNoCore, arrived_[launch]);
  events_.started(plan_[launch].task, now);
  is_there(number_of(launch), now);
}

void Collectives::is_there(std::uint32_t number, TimePoint now) {
  Group& group = groups_[number];
  if (++group.there == group.launches.size()) begin(number, now);
}

void Collectives::begin(std::uint32_t number, TimePoint now) {
  const Group& group = groups_[number];
  take_memory(group, 1, now);
  if (is_timed(group)) {
    const Duration time = group.given > Duration{0} ? group.given : round_ns(collective_alone(machine_.constants(), group.what, in_graph_));
    calendar_.schedule(now + time, EventKind::kCollectiveEnd, number, *this);
  } else {
    calendar_.schedule(now + round_ns(collective_latency(machine_.constants(), group.what, in_graph_)), EventKind::kCollectiveMoves, number,
                       *this);
  }
}

void Collectives::handle(EventKind kind, std::uint32_t number, TimePoint now) {
  Group& group = groups_[number];
  if (kind == EventKind::kCollectiveEnd) {
    if (is_timed(group)) return end(number, now);
    if (group.moves && group.flows == 0) catch_up(number, now);
    return;
  }
  group.moves = true;
  group.pace = pace(group);
  group.lost = 0;
  group.since = group.moved_from = now;
  std::vector<CollectiveFlow> flows = collective_flows(group.what, machine_.devices);
  std::erase_if(flows, [&group](const CollectiveFlow& flow) { return flow.bytes * group.links.bytes < 0.5; });
  group.flows = flows.size();
  if (group.flows > 0) limit(group, 1);
  const bool limited = !group.limits.empty();
  for (const CollectiveFlow& flow : flows) flows_.start(number, flow.from, flow.to, flow.bytes * group.links.bytes, limited);
  if (group.flows == 0) end(number, now);
}

void Collectives::peer_flow_ended(std::uint32_t number, TimePoint now) {
  Group& group = groups_[number];
  if (group.flows == 1) settle(group, now);
  if (--group.flows > 0) return;
  limit(group, -1);
  group.lost = std::max(group.lost, early(group, now));
  catch_up(number, now);
}

/// From before its flows begin, which SimGrid then holds to it, until they have ended.
void Collectives::limit(const Group& group, double sign) {
  for (const auto& [device, rate] : group.limits) flows_.limit(device, sign * rate);
}

double Collectives::pace(const Group& group) const {
  double share = 1;
  for (const int device : group.what.devices) share = std::min(share, memories_[static_cast<std::size_t>(device)].share());
  return std::min(1.0, share / kReceiveShare);
}

/// While flows are in flight what they outrun is lost, and afterwards it is made up.
void Collectives::settle(Group& group, TimePoint now) const {
  const auto span = static_cast<double>(to_ns(now - group.since));
  group.lost += group.flows > 0 ? span * (1 - group.pace) : -span * group.pace;
  group.since = now;
}

void Collectives::pace_changed(TimePoint now) {
  for (std::uint32_t number = 0; number < groups_.size(); ++number) {
    Group& group = groups_[number];
    if (!group.moves) continue;
    settle(group, now);
    group.pace = pace(group);
    if (group.flows == 0) schedule_end(number, now);
  }
}

void Collectives::schedule_end(std::uint32_t number, TimePoint now) {
  const Group& group = groups_[number];
  const double left = std::max(0.0, group.lost / group.pace);
  calendar_.schedule(now + Duration{std::llround(std::ceil(left))}, EventKind::kCollectiveEnd, number, *this);
}

/// Contract: no flow is in flight. An event that comes early, as the pace has sunk, finds what is left.
void Collectives::catch_up(std::uint32_t number, TimePoint now) {
  Group& group = groups_[number];
  settle(group, now);
  constexpr double kNothing = 0.5;  // ns
  group.lost < kNothing ? end(number, now) : schedule_end(number, now);
}

void Collectives::end(std::uint32_t number, TimePoint now) {
  Group& group = groups_[number];
  group.there = 0;
  group.moves = false;
  take_memory(group, -1, now);
  for (const std::uint32_t launch : group.launches) {
    events_.ended(plan_[launch].task, now);
    listener_.collective_ended(launch, now);
  }
}

}  // namespace tasktwin::sim
