#pragma once

#include <array>
#include <string_view>
#include <utility>

#include "models/design.hpp"
#include "models/timeline.hpp"

namespace tasktwin {

/// Why a core runs no body.
enum class IdleCause : std::uint8_t {
  kNoReadyWork,   ///< no task that it could take is ready
  kDispatch,      ///< some is, and has not been handed over
  kNotification,  ///< one has been handed over to it and is on its way: hops, queue, start
  kTail,          ///< its last task is done, and nothing that it could take is ready
};
template <>
struct Words<IdleCause> {
  static constexpr std::array entries{
      std::pair{IdleCause::kNoReadyWork, std::string_view{"no_ready_work"}},
      std::pair{IdleCause::kDispatch, std::string_view{"dispatch"}},
      std::pair{IdleCause::kNotification, std::string_view{"notification"}},
      std::pair{IdleCause::kTail, std::string_view{"tail"}},
  };
};
inline constexpr std::size_t kIdleCauseCount = Words<IdleCause>::entries.size();

/// Core time, over all cores (under driver `streams`: streams) of a Timeline.
struct IdleTime {
  Duration busy{};  ///< bodies running
  std::array<Duration, kIdleCauseCount> by_cause{};

  Duration of(IdleCause cause) const { return by_cause[static_cast<std::size_t>(cause)]; }
  /// Busy and idle: exactly the number of cores times the makespan.
  Duration total() const;
};

/// A core with a frozen list of its own can take only the tasks it ran; any other can take those that ran on cores of its
/// type. A task is ready from its `ready` phase, where not observed from its last predecessor's finish; handed over at
/// `dispatched`, where not observed at `received`, else at its start.
IdleTime idle_time(const TaskGraph& graph, const Design& design, const Timeline& timeline);

/// The task's readiness as observed, else its last predecessor's finish, never after its start. Contract: ran(times of task).
TimePoint ready_time(const TaskGraph& graph, const Timeline& timeline, TaskId task);

}  // namespace tasktwin
