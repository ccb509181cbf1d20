#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/run/timeline.hpp"

namespace tasktwin::verify {

/// A task's slice on a core; one a core of a task that occupied several.
struct Slice {
  TaskId task{};
  std::size_t core = 0;  ///< the number of cores means one that was not observed
  TimePoint started;
  TimePoint ended;
  TimePoint published;
  int wave = 0;  ///< of a grid's blocks, from 1; 0 for a task that ran in one piece

  TimePoint end() const {
    const TimePoint body = std::max(ended, started);
    return is_present(published) ? std::max(body, published) : body;
  }
  /// Whether publishing shows as a part of it.
  bool publishes() const { return is_present(published) && ended >= started && published > ended; }
};

/// Every slice with the lane that shows it: for each core as many lanes as its slices overlap, mostly one, so that slices of a
/// lane never overlap. Tasks that were not seen to run have none.
struct Lanes {
  std::vector<Slice> slices;            ///< ascending by task
  std::vector<std::size_t> lane_of;     ///< by slice
  std::vector<std::size_t> lanes_of;    ///< by core; the last entry is for slices whose core was not observed
  std::vector<std::size_t> first_of;    ///< by TaskId: its first slice; their number where it has none
  std::vector<std::uint32_t> in_order;  ///< slices by their start

  const Slice* first_slice(TaskId task) const;
};

Lanes assign_lanes(const Timeline& timeline);

}  // namespace tasktwin::verify
