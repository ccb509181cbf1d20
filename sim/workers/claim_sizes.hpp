#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include "sim/engine/run_context.hpp"

namespace tasktwin::sim {

/// How many tasks a worker's next claim takes: one, a fixed number, or, guided, what is unclaimed of the tasks for its core type
/// over twice the workers of that type, at least claim_size (guided self-scheduling: Polychronopoulos, Kuck 1987). Each block
/// counts; a task that may run on two types counts for its first.
class ClaimSizes {
 public:
  explicit ClaimSizes(const WiringInputs& inputs)
      : claim_(inputs.design.claim), size_(static_cast<std::uint32_t>(inputs.design.claim_size)) {
    if (claim_ != Claim::kGuided) return;
    for (const CoreType type : inputs.cores) ++takers_[static_cast<std::size_t>(type)];
    for (std::size_t i = 0; i < inputs.graph.size(); ++i) add(inputs.graph, task_id(i), 1);
  }

  /// `task` is never claimed.
  void leave_out(const TaskGraph& graph, TaskId task) {
    if (claim_ == Claim::kGuided) add(graph, task, -1);
  }

  /// Of a worker of `type`.
  std::uint32_t next(CoreType type) const {
    const auto t = static_cast<std::size_t>(type);
    if (claim_ != Claim::kGuided) return claim_ == Claim::kFixed ? size_ : 1;
    return std::max(size_, static_cast<std::uint32_t>(unclaimed_[t] / (2 * takers_[t])));
  }
  /// So many have been claimed.
  void taken(CoreType type, std::uint32_t number) {
    std::int64_t& left = unclaimed_[static_cast<std::size_t>(type)];
    left = std::max<std::int64_t>(0, left - number);
  }

 private:
  void add(const TaskGraph& graph, TaskId task, std::int64_t sign) {
    unclaimed_[static_cast<std::size_t>(graph[task].core_type)] += sign * graph.traits(task).blocks;
  }

  Claim claim_;
  std::uint32_t size_;
  std::array<std::int64_t, kCoreTypeCount> unclaimed_{};
  std::array<std::int64_t, kCoreTypeCount> takers_{};
};

}  // namespace tasktwin::sim
