#pragma once

#include <vector>

#include "models/design.hpp"
#include "models/explain/occupancy.hpp"

namespace tasktwin {

/// What may have held a kernel on a stream beside its launch, its stream and its predecessors.
class KernelHolders {
 public:
  /// All must outlive this.
  KernelHolders(const TaskGraph& graph, const Design& design, const Timeline& timeline, const OccupancyIndex& ran);

  /// A kernel that ended, on whatever stream of the same type of core, at just this time and so freed the core that `started` took, or,
  /// where none of the same share did, its place among resident kernels.
  const Occupancy* freed_for(const Occupancy& started, TimePoint time) const;

  /// A kernel launched before this one into the same hardware queue that could start no earlier than it; the last such.
  const Occupancy* ahead_in_queue(const Occupancy& occupancy) const;

 private:
  const TaskGraph& graph_;
  const Design& design_;
  const Timeline& timeline_;
  std::vector<const Occupancy*> by_end_;
  std::vector<const Occupancy*> by_start_;  ///< where streams share hardware queues
  std::vector<std::size_t> place_;          ///< by TaskId: in the order of launches, likewise
};

}  // namespace tasktwin
