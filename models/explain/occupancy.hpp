#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/run/timeline.hpp"

namespace tasktwin {

/// A core's time with a task, or with its part of one that occupies several.
struct Occupancy {
  TaskId task{};
  CoreId core = kNoCore;
  TimePoint started = kAbsent;
  TimePoint ended = kAbsent;
  TimePoint published = kAbsent;

  TimePoint finish() const { return is_present(published) ? published : ended; }
};

/// Whether a task's body was seen to run on a known core.
bool ran(const TaskTimes& times);

/// Of every task that ran, ascending by task; where `cores` are streams, of each task its stream.
std::vector<Occupancy> occupancies(const Timeline& timeline);

/// The time of bodies on compute cores, ascending by task: of a kernel on streams that of its blocks. Where its place was not observed it
/// is of kNoCore, once for each of its blocks up to the number of cores. What is no kernel takes no core.
std::vector<Occupancy> core_occupancies(const TaskGraph& graph, const Timeline& timeline);

/// The occupancies by task, and by core in the order of their start. Positions are into all().
class OccupancyIndex {
 public:
  explicit OccupancyIndex(const Timeline& timeline) : OccupancyIndex(occupancies(timeline), timeline.tasks.size(), timeline.cores.size()) {}
  /// Of `all`, ascending by task, those of kNoCore left out of what is by core.
  OccupancyIndex(std::vector<Occupancy> all, std::size_t tasks, std::size_t cores);

  const std::vector<Occupancy>& all() const { return all_; }
  /// Empty for a task that did not run.
  std::span<const Occupancy> of(TaskId task) const;
  /// Positions, by start.
  std::span<const std::uint32_t> on(CoreId core) const;
  /// The one that started `steps` before this on its core; nullptr where there is none.
  const Occupancy* before(const Occupancy& occupancy, std::size_t steps) const;

 private:
  std::size_t position(const Occupancy& occupancy) const { return static_cast<std::size_t>(&occupancy - all_.data()); }

  std::vector<Occupancy> all_;
  std::vector<std::uint32_t> first_;       ///< by TaskId, into all_; one more at the end
  std::vector<std::uint32_t> by_core_;     ///< positions, core after core
  std::vector<std::uint32_t> core_first_;  ///< by CoreId, into by_core_; one more at the end
  std::vector<std::uint32_t> rank_;        ///< by position: its place in by_core_
};

}  // namespace tasktwin
