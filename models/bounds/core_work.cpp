#include "models/bounds/core_work.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <ranges>
#include <span>
#include <utility>
#include <vector>

#include "models/base/sorted_by_time.hpp"
#include "models/cost/footprint.hpp"
#include "models/machine/clusters.hpp"

namespace tasktwin {

namespace {

/// What is taken is a time and a room multiplied, which together may be beyond 64 bits.
__extension__ typedef __int128 Wide;

constexpr std::size_t index_of(CoreType type) { return static_cast<std::size_t>(type); }

Duration rounded_up(long double time) { return Duration{static_cast<std::int64_t>(std::ceil(time))}; }

/// What a block takes of a core, and what a core has, of each resource that cores share out; 0 where there is no limit.
/// Threads and registers uncounted by warp: the bound stays below.
constexpr std::size_t kResources = 4;
using Room = std::array<std::int64_t, kResources>;

Room limits_of(const CoreLimits& limits) { return {limits.blocks, limits.threads, limits.registers, limits.shared_memory}; }

Room needs_of(const TaskTraits& traits, const Room& limits) {
  const Footprint block = footprint(traits);
  if (block.whole_core) return limits;
  return {1, block.threads, std::int64_t{block.threads} * block.registers, block.shared_memory};
}

/// The resource of which all bodies together take the largest part.
std::size_t scarcest(const TaskGraph& graph, const Room& limits, std::span<const Duration> durations) {
  std::array<long double, kResources> taken{};
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const TaskTraits& traits = graph.traits(task_id(i));
    const Room needs = needs_of(traits, limits);
    for (std::size_t r = 0; r < kResources; ++r) {
      if (limits[r] > 0 && graph[task_id(i)].operation == Operation::kKernel)
        taken[r] += static_cast<long double>(needs[r] * traits.blocks) * durations[i].count() / limits[r];
    }
  }
  return static_cast<std::size_t>(std::ranges::max_element(taken) - taken.begin());
}

bool has_cores(const CoreRoom& room, CoreType type) { return type == CoreType::kMix ? room.clusters > 0 : room.cores[index_of(type)] > 0; }

/// By what is taken of a cluster, its place in CoreRoom::of_clusters.
using ClusterPlaces = std::map<ClusterPart, std::uint32_t>;

std::uint32_t of_cluster(CoreRoom& room, ClusterPlaces& places, const TaskTraits& traits) {
  if (traits.aic + traits.aiv == 0) return 1;
  ClusterPart part;
  part.cores[index_of(CoreType::kAic)] = traits.aic;
  part.cores[index_of(CoreType::kAiv)] = traits.aiv;
  if (std::ranges::adjacent_find(traits.parts, std::ranges::not_equal_to{}) != traits.parts.end()) {
    part.longest = std::ranges::max(traits.parts);
    part.times[index_of(CoreType::kAic)] = {traits.parts.begin(), traits.parts.begin() + traits.aic};
    part.times[index_of(CoreType::kAiv)] = {traits.parts.begin() + traits.aic, traits.parts.end()};
  }
  const auto [found, added] = places.try_emplace(part, static_cast<std::uint32_t>(room.of_clusters.size()));
  if (added) room.of_clusters.push_back(std::move(part));
  return found->second;
}

BodyWork body_work(const Task& task, const TaskTraits& traits, Duration time, Duration other_time, CoreRoom& room, ClusterPlaces& places) {
  BodyWork body{.time = time, .of_cluster = of_cluster(room, places, traits), .type = task.core_type};
  if (!traits.other_type || *traits.other_type == task.core_type || !has_cores(room, *traits.other_type)) return body;
  if (has_cores(room, task.core_type)) {
    body.other_type = traits.other_type;
    body.other_time = other_time;
  } else {
    body.type = *traits.other_type;
    body.time = other_time;
  }
  return body;
}

}  // namespace

Duration CoreRoom::core_time(const BodyWork& work, CoreType type, Duration time, CoreType of) const {
  if (type != CoreType::kMix) return type == of ? time : Duration{0};
  const ClusterPart& part = of_clusters[work.of_cluster];
  if (part.longest == Duration{0}) return part.cores[index_of(of)] * time;
  Duration sum{};  // each part rounded down, so that bounds stay below
  for (const Duration own : part.times[index_of(of)])
    sum += Duration{static_cast<std::int64_t>(static_cast<Wide>(own.count()) * time.count() / part.longest.count())};
  return sum;
}

long double CoreRoom::taken(const BodyWork& work, CoreType type, Duration time, CoreType of) const {
  return static_cast<long double>(core_time(work, type, time, of).count()) * work.room;
}

CoreWork core_work(const TaskGraph& graph, const Machine& machine, std::span<const CoreType> cores, bool side_by_side,
                   std::span<const Duration> durations, std::span<const Duration> other_durations) {
  CoreWork work;
  for (const CoreType type : cores) ++work.room.cores[index_of(type)];
  for (const CoreGroup& group : machine.compute_cores) work.room.of_clusters[1].cores[index_of(group.type)] = group.per_cluster;
  work.room.clusters = static_cast<std::int64_t>(clusters(machine.compute_cores, cores).size());
  work.room.devices = std::max(1, machine.devices.count());
  if (work.room.devices > 1) work.of_devices.resize(static_cast<std::size_t>(work.room.devices));

  const Room limits = limits_of(machine.core_limits);
  const bool unlimited = std::ranges::all_of(limits, [](std::int64_t limit) { return limit == 0; });
  const std::size_t resource = side_by_side && !unlimited ? scarcest(graph, limits, durations) : 0;
  if (side_by_side && !unlimited) work.room.per_core = limits[resource];
  work.bodies.reserve(graph.size());
  ClusterPlaces places{{work.room.of_clusters[1], 1}};
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const TaskTraits& traits = graph.traits(task_id(i));
    const Duration other_time = other_durations.empty() ? Duration{} : other_durations[i];
    BodyWork body = body_work(graph[task_id(i)], traits, durations[i], other_time, work.room, places);
    if (side_by_side && states_footprint(traits) && body.type != CoreType::kMix) {
      body.room = unlimited ? 0 : needs_of(traits, limits)[resource];
    } else {
      body.room = work.room.per_core;
    }
    if (body.type != CoreType::kMix) body.room *= traits.blocks;
    if (graph[task_id(i)].operation != Operation::kKernel) body.room = 0;
    work.bodies.push_back(body);
    const std::int32_t device = graph[task_id(i)].device;
    if (device >= 0 && static_cast<std::size_t>(device) < work.of_devices.size())
      work.of_devices[static_cast<std::size_t>(device)].push_back(static_cast<std::uint32_t>(i));
  }
  return work;
}

CoreWork CoreWork::of_device(std::size_t device) const {
  CoreWork own{.bodies = {}, .room = room};
  own.bodies.reserve(of_devices[device].size());
  for (const std::uint32_t body : of_devices[device]) own.bodies.push_back(bodies[body]);
  const auto share = [this](std::int64_t of_all) { return (of_all + room.devices - 1) / room.devices; };
  for (std::int64_t& cores : own.room.cores) cores = share(cores);
  own.room.clusters = share(room.clusters);
  own.room.devices = 1;
  return own;
}

namespace {

Duration area_together(const CoreWork& work) {
  Duration bound{};
  for (const auto& [type, word] : Words<CoreType>::entries) {
    const std::int64_t room = work.room.cores[index_of(type)] * work.room.per_core;
    if (room == 0) continue;
    long double taken = 0;
    for (const BodyWork& body : work.bodies) {
      if (!body.other_type) taken += work.room.taken(body, body.type, body.time, type);
    }
    bound = std::max(bound, rounded_up(taken / static_cast<long double>(room)));
  }
  return bound;
}

/// A body with the least that must run before it and after it.
template <class Sum>
struct Between {
  Duration head;
  Duration tail;
  Sum taken;
};

/// Whether head + tail + work / room is more than `bound`.
template <class Sum>
bool is_beyond(Duration bound, Duration head, Duration tail, Sum taken, std::int64_t room) {
  return taken > static_cast<Sum>((bound - head - tail).count()) * room;
}

/// The highest of `bound` and head + tail + work / room over the bodies, by falling head, with so long a tail or a longer one: these all
/// run between the least head among them and the end, less `tail`. `taken`: by bodies of higher heads.
template <class Sum>
Duration highest(std::span<const Between<Sum>> rising, Duration tail, Sum taken, std::int64_t room, Duration bound) {
  for (const Between<Sum>& body : rising | std::views::reverse) {
    if (body.tail < tail) continue;
    taken += body.taken;
    if (is_beyond(bound, body.head, tail, taken, room))
      bound = body.head + tail + Duration{static_cast<std::int64_t>((taken + room - 1) / room)};
  }
  return bound;
}

template <class Sum>
Duration head_tail_bound_of(const CoreWork& work, CoreType type, std::int64_t room, const std::vector<Duration>& heads,
                            const std::vector<Duration>& tails, std::span<const Duration> thresholds) {
  std::vector<Between<Sum>> bodies;
  bodies.reserve(work.bodies.size());
  for (std::size_t i = 0; i < work.bodies.size(); ++i) {
    const BodyWork& body = work.bodies[i];
    const Sum taken = body.other_type ? 0 : static_cast<Sum>(work.room.core_time(body, body.type, body.time, type).count()) * body.room;
    if (taken > 0) bodies.push_back({heads[i], tails[i], taken});
  }
  sort_by_time(bodies, &Between<Sum>::head);
  // Block by block: none of its bodies gives more than its highest head with all that they take, which nearly always is too little.
  constexpr std::size_t kBlock = 1024;
  Duration bound{};
  const auto reached = [thresholds](Duration tail) {
    return static_cast<std::size_t>(std::ranges::upper_bound(thresholds, tail) - thresholds.begin()) - 1;
  };
  std::vector<Sum> taken(thresholds.size());  // so far, by bodies whose tail reaches the threshold
  for (std::span<const Between<Sum>> left(bodies); !left.empty();) {
    const auto block = left.last(std::min(kBlock, left.size()));
    left = left.first(left.size() - block.size());
    std::vector<Sum> of_block(thresholds.size());  // by the last threshold that the tail reaches
    for (const Between<Sum>& body : block) of_block[reached(body.tail)] += body.taken;
    Sum further = 0;
    for (std::size_t i = thresholds.size(); i-- > 0;) {
      further += of_block[i];
      if (is_beyond(bound, block.back().head, thresholds[i], taken[i] + further, room))
        bound = highest(block, thresholds[i], taken[i], room, bound);
      taken[i] += further;
    }
  }
  return bound;
}

/// Whether all that is taken, and what is held against it, is far within 64 bits.
bool is_narrow(const CoreWork& work, std::int64_t room) {
  long double most = 0;
  for (const BodyWork& body : work.bodies) {
    long double taken = static_cast<long double>(room) * body.time.count();
    for (const auto& [type, word] : Words<CoreType>::entries) taken = std::max(taken, work.room.taken(body, body.type, body.time, type));
    most += taken;
  }
  return most < 1e18L;
}

/// The least, the greatest, and what lies between them at equal steps of how many are lower.
std::vector<Duration> quantiles(std::vector<Duration> values, std::size_t steps) {
  sort_by_time(values);
  std::vector<Duration> chosen;
  for (std::size_t step = 0; step <= steps && !values.empty(); ++step) chosen.push_back(values[step * (values.size() - 1) / steps]);
  return chosen;
}

Duration head_tail_together(const CoreWork& work, const std::vector<Duration>& heads, const std::vector<Duration>& tails) {
  constexpr std::size_t kSteps = 32;
  const std::vector<Duration> thresholds = quantiles(tails, kSteps);
  Duration bound{};
  for (const auto& [type, word] : Words<CoreType>::entries) {
    const std::int64_t room = work.room.cores[index_of(type)] * work.room.per_core;
    if (room == 0) continue;
    bound = std::max(bound, is_narrow(work, room) ? head_tail_bound_of<std::int64_t>(work, type, room, heads, tails, thresholds)
                                                  : head_tail_bound_of<Wide>(work, type, room, heads, tails, thresholds));
  }
  return bound;
}

std::vector<Duration> chosen(const std::vector<Duration>& times, std::span<const std::uint32_t> bodies) {
  std::vector<Duration> of_bodies;
  of_bodies.reserve(bodies.size());
  for (const std::uint32_t body : bodies) of_bodies.push_back(times[body]);
  return of_bodies;
}

}  // namespace

Duration area_bound(const CoreWork& work) {
  Duration bound = area_together(work);
  for (std::size_t device = 0; device < work.of_devices.size(); ++device) {
    if (!work.of_devices[device].empty()) bound = std::max(bound, area_together(work.of_device(device)));
  }
  return bound;
}

Duration head_tail_bound(const TaskGraph& graph, const CoreWork& work) {
  std::vector<Duration> heads(graph.size());
  std::vector<Duration> tails(graph.size());
  for (const TaskId task : graph.topological_order()) {
    for (const TaskId before : graph.predecessors(task)) {
      heads[index(task)] = std::max(heads[index(task)], heads[index(before)] + work.bodies[index(before)].shortest());
    }
  }
  for (const TaskId task : graph.topological_order() | std::views::reverse) {
    for (const TaskId after : graph.successors(task)) {
      tails[index(task)] = std::max(tails[index(task)], tails[index(after)] + work.bodies[index(after)].shortest());
    }
  }
  Duration bound = head_tail_together(work, heads, tails);
  for (std::size_t device = 0; device < work.of_devices.size(); ++device) {
    const std::vector<std::uint32_t>& bodies = work.of_devices[device];
    if (!bodies.empty()) bound = std::max(bound, head_tail_together(work.of_device(device), chosen(heads, bodies), chosen(tails, bodies)));
  }
  return bound;
}

}  // namespace tasktwin
