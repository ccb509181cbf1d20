#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "models/names.hpp"

namespace tasktwin {

// Axes of a Design: the tasks' coming and going at compute cores on which a worker stays.

/// Who makes the tasks known, and when.
enum class GraphBuild : std::uint8_t {
  kHost,    ///< the host, all of them before the run
  kDevice,  ///< orchestrators on the device, one task after the other, into a window
};
template <>
struct Words<GraphBuild> {
  static constexpr std::array entries{
      std::pair{GraphBuild::kHost, std::string_view{"host"}},
      std::pair{GraphBuild::kDevice, std::string_view{"device"}},
  };
};

/// When a core that holds a task is given a further one ahead of time; of tasks of several blocks each block counts
/// (models/rules/fill.hpp).
enum class Fill : std::uint8_t {
  kAlways,          ///< whenever its mailbox has room
  kWhenNoCoreIdle,  ///< only while no core is idle
  kNotInTail,       ///< only while more tasks are left to hand over than there are cores
};
template <>
struct Words<Fill> {
  static constexpr std::array entries{
      std::pair{Fill::kAlways, std::string_view{"always"}},
      std::pair{Fill::kWhenNoCoreIdle, std::string_view{"when_no_core_idle"}},
      std::pair{Fill::kNotInTail, std::string_view{"not_in_tail"}},
  };
};

/// How a task that needs several cores starts.
enum class Gang : std::uint8_t {
  kTogether,  ///< on all of them at once, or not at all
  kApart,     ///< each block as soon as a core is free
};
template <>
struct Words<Gang> {
  static constexpr std::array entries{
      std::pair{Gang::kTogether, std::string_view{"together"}},
      std::pair{Gang::kApart, std::string_view{"apart"}},
  };
};

/// How a waiting worker learns that a task's predecessors are done.
enum class Notification : std::uint8_t {
  kCounter,    ///< a counter of those outstanding, decremented by each
  kFlag,       ///< a flag in memory for each, read one after the other
  kSemaphore,  ///< a hardware semaphore
};
template <>
struct Words<Notification> {
  static constexpr std::array entries{
      std::pair{Notification::kCounter, std::string_view{"counter"}},
      std::pair{Notification::kFlag, std::string_view{"flag"}},
      std::pair{Notification::kSemaphore, std::string_view{"semaphore"}},
  };
};

/// How workers learn that nothing is left.
enum class Termination : std::uint8_t {
  kCounter,    ///< a central counter of tasks outstanding
  kVote,       ///< a tree of votes among the workers, up and down
  kSentinels,  ///< a last task for each worker
};
template <>
struct Words<Termination> {
  static constexpr std::array entries{
      std::pair{Termination::kCounter, std::string_view{"counter"}},
      std::pair{Termination::kVote, std::string_view{"vote"}},
      std::pair{Termination::kSentinels, std::string_view{"sentinels"}},
  };
};

}  // namespace tasktwin
