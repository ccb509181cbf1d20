#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "models/design/design.hpp"
#include "models/graph/task_graph.hpp"

namespace tasktwin {

/// Tasks that all have to be on cores before any of them ends.
using TaskGroup = std::vector<TaskId>;

/// Which of some groups have to end before a task begins: by edges, its place in its stream, and, of ranks, in their communicator.
class GroupOrder {
 public:
  /// Contract: no task is in two groups.
  GroupOrder(const TaskGraph& graph, const Design& design, const std::vector<TaskGroup>& groups);

  /// Whether `other` has to end before the `member`-th task of `group` begins: directly, or as a group that has to needs it.
  bool behind(std::size_t group, std::size_t member, std::size_t other) const { return has(all_[group][member], other); }

  /// Groups each of which waits for the end of the one before it, and the first for the last; the shortest found, none where there is none.
  std::vector<std::size_t> circle() const;

 private:
  using Bits = std::vector<std::uint64_t>;  ///< a bit a group
  using Pairs = std::vector<std::pair<TaskId, TaskId>>;
  static bool has(const Bits& bits, std::size_t at);

  std::vector<Bits> reach(const TaskGraph& graph, const Design& design, const std::vector<TaskGroup>& groups) const;
  void close();

  std::vector<Bits> direct_;            ///< by group: of which some task ends before one of its own begins
  std::vector<std::vector<Bits>> all_;  ///< by group and member
};

}  // namespace tasktwin
