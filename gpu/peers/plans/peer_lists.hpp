#pragma once

#include <cstdint>
#include <vector>

#include "models/base/host_device.hpp"
#include "models/graph/task_graph.hpp"
#include "models/policies/policies.hpp"

namespace tasktwin::gpu {

/// Devices that resident workers of one run may be on: what a successor's entry has room to name.
inline constexpr int kMostPeers = 15;

/// A successor in a row of PeerList: its place in its device's list, and where decrements of its counter come from several devices, 1 + its
/// device from kPeerShift on. Those of tasks all of whose predecessors are on their own device are that device's business alone.
inline constexpr std::uint32_t kPeerShift = 27;
inline constexpr std::uint32_t kPeerPlaceMask = (1u << kPeerShift) - 1;

TASKTWIN_HOST_DEVICE constexpr std::uint32_t peer_place(std::uint32_t entry) { return entry & kPeerPlaceMask; }
/// 0 for a task that only its own device's workers decrement.
TASKTWIN_HOST_DEVICE constexpr std::uint32_t peer_code(std::uint32_t entry) { return entry >> kPeerShift; }

/// What the workers of one device have to do.
struct PeerList {
  std::vector<std::uint32_t> first;       ///< per worker, and one more: the place of its first task
  std::vector<TaskId> tasks;              ///< by place
  std::vector<std::uint32_t> counts;      ///< by place: predecessors
  std::vector<std::uint32_t> row_begins;  ///< by place, and one more: where its row begins
  std::vector<std::uint32_t> rows;        ///< successors, as above
};

/// By device. `lists`: of each device's workers, one device after the other, as many each. Contract: a task's list is on its device, and
/// there are at most kMostPeers devices. Edges of `ignored` are left out; `extra` wait for one predecessor more than they have.
std::vector<PeerList> peer_lists(const TaskGraph& graph, const FrozenSchedule& lists, int devices,
                                 const std::vector<std::pair<TaskId, TaskId>>& ignored = {}, const std::vector<TaskId>& extra = {});

}  // namespace tasktwin::gpu
