#pragma once

#include <array>
#include <string_view>
#include <utility>

#include "models/design/design.hpp"
#include "models/run/timeline.hpp"

namespace tasktwin {

/// Why a core runs no body.
enum class IdleCause : std::uint8_t {
  kNoReadyWork,    ///< no task that it could take is ready
  kDispatch,       ///< some is, and has not been handed over or launched
  kGang,           ///< only tasks that need several cores at once are, until all those that they then get are idle
  kHeadOfLine,     ///< some is, after another in its ready queue that no core can take yet
  kNotification,   ///< one has been handed over to it and is in transit: hops, queue, start; of launched kernels, one to the device
  kRoom,           ///< a kernel on the device does not fit next to the running ones, or has to wait for others' end or turn
  kHardwareQueue,  ///< a kernel whose predecessors are done waits behind another in a hardware queue
  kStream,         ///< the same in its stream
  kHostBlocked,    ///< a kernel's predecessors are done, but the host that is to launch it is blocked by the device
  kWindow,         ///< nothing is ready while orchestrators wait for room in the window
  kTail,           ///< its last task is done, and nothing that it could take is ready
};
template <>
struct Words<IdleCause> {
  static constexpr std::array entries{
      std::pair{IdleCause::kNoReadyWork, std::string_view{"no_ready_work"}},
      std::pair{IdleCause::kDispatch, std::string_view{"dispatch"}},
      std::pair{IdleCause::kGang, std::string_view{"gang"}},
      std::pair{IdleCause::kHeadOfLine, std::string_view{"head_of_line"}},
      std::pair{IdleCause::kNotification, std::string_view{"notification"}},
      std::pair{IdleCause::kRoom, std::string_view{"no_room"}},
      std::pair{IdleCause::kHardwareQueue, std::string_view{"hardware_queue"}},
      std::pair{IdleCause::kStream, std::string_view{"stream"}},
      std::pair{IdleCause::kHostBlocked, std::string_view{"host_blocked"}},
      std::pair{IdleCause::kWindow, std::string_view{"window"}},
      std::pair{IdleCause::kTail, std::string_view{"tail"}},
  };
};
inline constexpr std::size_t kIdleCauseCount = Words<IdleCause>::entries.size();

/// Core time, over all cores of a Timeline that can take tasks; where these are streams, over the compute cores.
struct IdleTime {
  Duration busy{};  ///< bodies running
  std::array<Duration, kIdleCauseCount> by_cause{};

  Duration of(IdleCause cause) const { return by_cause[static_cast<std::size_t>(cause)]; }
  /// Busy and idle: exactly the number of cores times the makespan.
  Duration total() const;
};

/// A core with a frozen list of its own can take only the tasks it ran; any other can take those that ran on cores of its
/// type. A task is ready from its `ready` phase, where not observed from its last predecessor's finish; handed over at
/// `dispatched`, where not observed at `received`, else at its start. Of kernels that the host launches into streams or graphs every core
/// could take blocks; one whose cores were not observed counts as on those that are free. Of several causes at a time the first of
/// IdleCause counts, but for kernels the latest stage that any of them has come to. `design.hardware_queues` counts as given, 0 for
/// one a stream.
IdleTime idle_time(const TaskGraph& graph, const Design& design, const Timeline& timeline);

/// The task's readiness as observed, else its last predecessor's finish, never after its start. Contract: ran(times of task).
TimePoint ready_time(const TaskGraph& graph, const Timeline& timeline, TaskId task);

}  // namespace tasktwin
