#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/run/timeline.hpp"

namespace tasktwin::sim {

/// By TaskId, in ns.
inline std::vector<std::int64_t> starts(const Timeline& timeline) {
  std::vector<std::int64_t> starts;
  for (const TaskTimes& times : timeline.tasks) starts.push_back(to_ns(times.started));
  return starts;
}

/// Of a task's blocks, ascending.
inline std::vector<std::size_t> cores_of(const Timeline& timeline, std::size_t task) {
  std::vector<std::size_t> cores;
  for (const BlockTimes& block : timeline.blocks) {
    if (index(block.task) == task) cores.push_back(index(block.core));
  }
  return cores;
}

}  // namespace tasktwin::sim
