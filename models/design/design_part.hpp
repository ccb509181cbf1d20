#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "models/axes/scheduling.hpp"

namespace tasktwin {

/// What a design does otherwise with some tasks of a graph. An axis that is not there is the design's.
struct DesignPart {
  std::vector<std::string> kinds = {};            ///< of its tasks, as TaskGraph::kernel_name calls them; empty for all
  std::optional<std::array<int, 2>> layers = {};  ///< the first and the last that its tasks state (Task::layer)
  std::optional<ReadyQueue> ready_queue = {};     ///< `per_worker` for the frozen lists, or `shared`
  std::optional<Placement> placement = {};        ///< `any_idle` for tasks in no list, or the design's
  std::optional<Release> release = {};            ///< `barrier`: each of its layers begins when all tasks of lower layers are done

  friend bool operator==(const DesignPart&, const DesignPart&) = default;
};

}  // namespace tasktwin
