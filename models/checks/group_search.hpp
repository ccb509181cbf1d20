#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "models/cost/block_seats.hpp"
#include "models/design/design.hpp"
#include "models/graph/task_graph.hpp"
#include "models/machine/machine.hpp"

namespace tasktwin {

/// Tasks that all have to be on cores before any of them ends.
using TaskGroup = std::vector<TaskId>;

/// What groups of one graph can keep from each other under a design that launches kernels.
class GroupSearch {
 public:
  /// Contract: what is passed outlives this.
  GroupSearch(const TaskGraph& graph, const Machine& machine, const Design& design, std::vector<TaskGroup> groups);

  /// Groups each of which waits for the end of the one before it, and the first for the last; the shortest found, none where there is none.
  std::vector<std::size_t> circle() const;

  struct Held {
    std::vector<std::size_t> groups;
    std::vector<TaskId> holders;  ///< with blocks on cores
    std::vector<TaskId> without;  ///< with blocks that find no room, or that cannot begin
  };
  /// The fewest groups found that can hold cores in such a way that none gets all of its own.
  std::optional<Held> fewest() const;

 private:
  struct Member {
    TaskId task{};
    std::int32_t device = 0;
    BlockNeeds needs{};
    int blocks = 1;
    int cluster = 1;
    int share = 0;
    bool at_once = false;
  };
  using Bits = std::vector<std::uint64_t>;

  void add_members(const Machine& machine, const std::vector<std::int32_t>& devices);
  void find_order(const std::vector<std::vector<TaskId>>& in_stream);
  bool may_begin(const Member& member, std::span<const std::size_t> chosen) const;
  int place(std::vector<BlockSeats>& seats, const Member& member, int blocks) const;
  bool all_fit(std::span<const std::size_t> chosen) const;
  std::optional<Held> fill(std::span<const std::size_t> chosen, std::size_t turn) const;
  std::optional<Held> stuck(std::span<const std::size_t> chosen) const;

  const TaskGraph& graph_;
  const Design& design_;
  std::vector<std::vector<Member>> groups_;
  std::vector<BlockSeats> empty_;  ///< by device
  std::vector<Bits> behind_;       ///< by TaskId: the groups of which some task has to end before
};

}  // namespace tasktwin
