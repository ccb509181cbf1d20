#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "models/design/design.hpp"
#include "models/graph/critical_path.hpp"
#include "models/graph/task_graph.hpp"
#include "models/machine/machine.hpp"

namespace tasktwin {

/// Times that no run can beat. All but `dispatch` hold for the bodies alone, whatever the scheduler costs (Graham 1966); a
/// task that may run on two core types counts with the shorter of its times, and with its work only where both are weighed.
struct Bounds {
  Duration critical_path{};
  Duration area{};       ///< the busiest core type's work over the room on its cores, or one device's; of tasks that run nowhere else
  Duration memory{};     ///< all bytes at the full memory bandwidth, or one device's
  Duration head_tail{};  ///< models/bounds/core_work.hpp
  Duration mixed{};      ///< models/bounds/mixed.hpp
  Duration dispatch{};   ///< models/bounds/dispatch.hpp; 0 where no control core is in the way

  static constexpr std::size_t kCount = 6;
  /// In the order of the members.
  std::array<std::pair<std::string_view, Duration>, kCount> entries() const;
  Duration highest() const;
  /// The name of the highest; of equal ones the first.
  std::string_view highest_name() const;
};

/// Of any design that has the compute cores `cores` (design.hpp: worker_cores) and gives each block a whole one. Durations by
/// TaskId, on an otherwise idle machine and the task's own core type.
Bounds lower_bounds(const TaskGraph& graph, const Machine& machine, std::span<const CoreType> cores, std::span<const Duration> durations);

/// Of `design`, its control cores included.
Bounds lower_bounds(const TaskGraph& graph, const Machine& machine, const Design& design, std::span<const Duration> durations);

/// Of the run of `design` with `seed`: the durations that are drawn, the tasks that exist, the predicates that hold.
Bounds run_bounds(const TaskGraph& graph, const Machine& machine, const Design& design, std::uint64_t seed);

}  // namespace tasktwin
