#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "models/design/design.hpp"
#include "models/graph/task_graph.hpp"
#include "models/machine/machine.hpp"

namespace tasktwin {

/// What a body asks of the compute cores, for as long as it runs.
struct BodyWork {
  Duration time{};
  Duration other_time{};         ///< on the other choice, where there is one
  std::int64_t room = 1;         ///< in all, of the one resource that CoreRoom counts; for `mix`, on each core of a cluster
  std::uint32_t of_cluster = 0;  ///< of `mix`: in CoreRoom::of_clusters, the cores that it takes, and for how long
  CoreType type{};
  std::optional<CoreType> other_type{};

  Duration shortest() const { return other_type ? std::min(time, other_time) : time; }
};

/// Cores of a cluster that a body takes together. By type: how many, and where their parts take times of their own these.
struct ClusterPart {
  std::array<int, kCoreTypeCount> cores{};
  std::array<std::vector<Duration>, kCoreTypeCount> times = {};
  Duration longest{};  ///< of `times`; 0 where the whole body has all its cores

  friend auto operator<=>(const ClusterPart&, const ClusterPart&) = default;
};

/// The room there is on the cores for bodies to run side by side.
struct CoreRoom {
  std::array<std::int64_t, kCoreTypeCount> cores{};  ///< by type
  std::vector<ClusterPart> of_clusters{{}, {}};      ///< what bodies take: none, all, and what tasks state
  std::int64_t clusters = 0;
  std::int64_t per_core = 1;
  std::int64_t devices = 1;  ///< whose cores these are, as many of each

  /// Time on the cores of type `of` that a body of `type` takes, all these together, where it takes `time`: of parts each its own.
  Duration core_time(const BodyWork& work, CoreType type, Duration time, CoreType of) const;
  /// Room for time that it takes.
  long double taken(const BodyWork& work, CoreType type, Duration time, CoreType of) const;
};

/// Bodies by TaskId, and the room for them. Each block takes a whole core, but for a design of driver `streams` where blocks
/// state what they need of a core: then what counts is the one of threads, registers, shared memory and blocks that limits
/// them most together. A type of which there is no core drops out of a task's choices. `other_durations` are empty where no task has a
/// choice.
struct CoreWork {
  std::vector<BodyWork> bodies;
  CoreRoom room;
  /// By device, the bodies of tasks that state it: no other device's cores help them. Empty where there is one device.
  std::vector<std::vector<std::uint32_t>> of_devices = {};

  /// Those bodies, in that order, and the room on the device's own cores.
  CoreWork of_device(std::size_t device) const;
};
CoreWork core_work(const TaskGraph& graph, const Machine& machine, std::span<const CoreType> cores, bool side_by_side,
                   std::span<const Duration> durations, std::span<const Duration> other_durations);

/// The work of the tasks that have no other type over the room on their type's cores; the most of all types, of all devices together and of
/// each with the tasks that state it. So are the bounds below.
Duration area_bound(const CoreWork& work);

/// For thresholds a and b: tasks of a type that cannot start before a (their head) and after which at least b follows (their
/// tail) run between a and makespan − b, so that makespan >= a + b + their work over the room (Fernandez, Bussell 1973; Jackson's
/// rule for one machine). Tried: every head with 33 tails, evenly spaced in order. O(33 · tasks) at worst, in addition to sorting.
Duration head_tail_bound(const TaskGraph& graph, const CoreWork& work);

}  // namespace tasktwin
