#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "models/design/design.hpp"
#include "models/graph/task_graph.hpp"
#include "models/rules/claim.hpp"

namespace tasktwin::sim {

/// How many blocks a worker's next claim takes, by rules::claim_size: those of a core type share what is unclaimed for it. A task that may
/// run on two types counts for its first.
class ClaimSizes {
 public:
  /// `cores` take the graph's tasks.
  ClaimSizes(const TaskGraph& graph, const Design& design, std::span<const CoreType> cores)
      : claim_(design.claim), size_(static_cast<std::uint32_t>(design.claim_size)) {
    if (claim_ != Claim::kGuided) return;
    for (const CoreType type : cores) ++takers_[static_cast<std::size_t>(type)];
    for (std::size_t i = 0; i < graph.size(); ++i) add(graph, task_id(i), 1);
  }

  /// `task` is never claimed.
  void leave_out(const TaskGraph& graph, TaskId task) {
    if (claim_ == Claim::kGuided) add(graph, task, -1);
  }

  /// Of a worker of `type`, which can use one at once.
  std::uint32_t next(CoreType type) const {
    const auto t = static_cast<std::size_t>(type);
    return rules::claim_size({claim_, size_, takers_[t]}, static_cast<std::uint32_t>(unclaimed_[t]), 1);
  }
  /// Whether all further claims are of one size, whoever makes them.
  bool settled() const {
    return std::ranges::all_of(unclaimed_, [](std::int64_t left) { return left == 0; });
  }
  /// `number` tasks have been claimed.
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
  std::array<std::uint32_t, kCoreTypeCount> takers_{};
};

}  // namespace tasktwin::sim
