#pragma once

#include <optional>
#include <vector>

#include "models/checks/groups/group_order.hpp"
#include "models/machine/machine.hpp"

namespace tasktwin {

/// A kernel of no group that finds no room beside tasks of one, and that others of this group cannot begin without.
struct HeldKernel {
  std::size_t group = 0;
  TaskId kernel{};
  std::vector<TaskId> holders{};  ///< of the group, on the kernel's device: they wait for the others
  std::vector<TaskId> without{};  ///< of the group: behind the kernel by order, or in the line for its device's cores
  bool ahead = false;             ///< the kernel has to end before they begin
};

/// The first that can come, under a design that launches kernels, whose order is as in GroupSearch. Not looked for where graph and groups
/// are so many that it would take seconds. Contract: no task is in two groups.
std::optional<HeldKernel> find_held_kernel(const TaskGraph& graph, const Machine& machine, const Design& design,
                                           const std::vector<TaskGroup>& groups);

}  // namespace tasktwin
