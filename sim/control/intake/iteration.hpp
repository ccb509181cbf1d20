#pragma once

#include <cstdint>
#include <vector>

#include "sim/control/intake/successor_work.hpp"

namespace tasktwin::sim {

/// One pass of a control core through its loop. Of one that is parked: the last one.
struct Iteration {
  struct Seen {
    std::uint32_t core;
    TaskId task;
  };

  TimePoint began{};
  std::vector<Seen> seen;         ///< completions
  std::vector<TaskId> completed;  ///< of those, whose last blocks they are
  std::size_t freed = 0;          ///< cores whose last task is among those seen
  Resolution resolution;          ///< of the completed
  std::size_t pushed = 0;         ///< of the ready ones, that many are in a queue
  std::vector<TaskId> given;      ///< to its own idle cores, not from the queue as it hands over
  std::size_t served = 0;         ///< of those, that many waited as the iteration began
  bool takes = true;              ///< from the queue, when it hands over
  std::int64_t handed = 0;        ///< tasks, or blocks of them

  Nanoseconds sweep{};      ///< polling its cores
  Nanoseconds serving{};    ///< what waited, after that
  Nanoseconds taking_in{};  ///< both and the rest, until it continues to the successors
  TimePoint resolved{};     ///< it has told them

  void begin(TimePoint now) {
    began = now;
    seen.clear();
    completed.clear();
    freed = 0;
    resolution.clear();
    pushed = 0;
    given.clear();
    served = 0;
    takes = true;
    handed = 0;
  }
};

}  // namespace tasktwin::sim
