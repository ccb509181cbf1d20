#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "models/checks/groups/core_line.hpp"
#include "models/checks/groups/group_order.hpp"
#include "models/machine/machine.hpp"

namespace tasktwin {

/// What groups of one graph can keep from each other under a design that launches kernels.
///
/// Kernels come to each device in any order that theirs allows, and get cores as core_line.hpp says. So of the cores of a type and share
/// one kernel at a time has a part of what it needs, those that came before it have all, and those that came after it none. Some groups are
/// stuck where each misses something on some cores, or has a kernel that waits for the end of another of them.
///
/// Where all blocks take a whole core, cores can be kept from each of some groups by all kernels but the smallest of each of these groups,
/// of which the largest has all its blocks but one: if these fill the cores. Others, of clusters or footprints, are tried in several
/// orders.
class GroupSearch {
 public:
  /// Contract: what is passed outlives this.
  GroupSearch(const TaskGraph& graph, const Machine& machine, const Design& design, const std::vector<TaskGroup>& groups);

  struct Held {
    std::vector<std::size_t> groups{};
    std::vector<TaskId> holders{};  ///< with blocks on cores
    std::vector<TaskId> without{};  ///< with blocks that find no room, or that cannot begin
  };
  /// The fewest groups found that can hold cores in such a way that none gets all of its own.
  std::optional<Held> fewest() const;

 private:
  struct Member {
    TaskId task{};
    std::size_t pool = 0;
    CoreClaim claim;
  };
  /// Cores of a device that the same kernels may take.
  struct Pool {
    std::int32_t device = 0;
    int share = 0;
    CoreType type{};
    int cores = 0;
    bool plain = true;  ///< each block of each of its kernels takes a whole core
  };
  /// A member of one of the chosen groups.
  struct Asking {
    const Member* member;
    std::size_t of;  ///< of the chosen
  };
  /// By pool: those of the chosen groups that may begin.
  using Asked = std::vector<std::vector<Asking>>;
  using Few = std::vector<std::size_t>;  ///< of the chosen

  void add_members(const TaskGraph& graph, const Machine& machine, const Design& design, const std::vector<TaskGroup>& groups);
  void find_pools(const TaskGraph& graph, const Machine& machine, const Design& design);
  bool may_begin(std::size_t group, std::size_t member, std::span<const std::size_t> chosen) const;
  std::vector<int> placed(std::span<const Asking> order) const;
  /// In which order they have to come so that each of `few` misses something; none where there is no such order.
  std::optional<std::vector<Asking>> keeping_from(std::size_t pool, std::span<const Asking> asking, const Few& few) const;
  std::optional<std::vector<Asking>> smallest_last(std::span<const Asking> asking, const Few& few, int& taken) const;
  bool misses(std::span<const Asking> order, const Few& few) const;
  /// Divides the groups from `next` on among the pools. `steps`: how often it may try.
  bool divide(const Few& groups, std::size_t next, const Asked& asked, std::vector<Few>& kept, int& steps) const;
  std::optional<Held> stuck(std::span<const std::size_t> chosen) const;

  bool has_order_left() const { return orders_-- > 0; }

  GroupOrder order_;
  mutable int orders_;  ///< in which kernels of clusters and footprints may still be tried
  BlockSeats empty_;    ///< of a device
  int parts_ = 1;       ///< kernels that can have a part of their blocks on cores at a time
  std::vector<std::vector<Member>> groups_;
  std::vector<Pool> pools_;
};

}  // namespace tasktwin
