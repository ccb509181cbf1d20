#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "models/names.hpp"

namespace tasktwin {

// Axes of a Design: how kernels go into streams.

/// Which stream a kernel is launched into.
enum class StreamGranularity : std::uint8_t {
  kPerCore,        ///< the i-th launch into stream i modulo `streams`
  kPerTaskType,    ///< a stream for each kernel
  kPerLayer,       ///< layer modulo `streams`
  kSingle,         ///< one stream
  kListScheduled,  ///< behind a predecessor that is the last in its stream, if there is one; else into the shortest of `streams`
  kHinted,         ///< the one that the task asks for, modulo `streams`
};
template <>
struct Words<StreamGranularity> {
  static constexpr std::array entries{
      std::pair{StreamGranularity::kPerCore, std::string_view{"per_core"}},
      std::pair{StreamGranularity::kPerTaskType, std::string_view{"per_task_type"}},
      std::pair{StreamGranularity::kPerLayer, std::string_view{"per_layer"}},
      std::pair{StreamGranularity::kSingle, std::string_view{"single"}},
      std::pair{StreamGranularity::kListScheduled, std::string_view{"list_scheduled"}},
      std::pair{StreamGranularity::kHinted, std::string_view{"hinted"}},
  };
};

/// How a kernel's predecessors in other streams are waited for.
enum class StreamWait : std::uint8_t {
  kEvents,      ///< its stream waits for their events; the host goes on
  kEventSync,   ///< the host blocks for each event before the launch
  kEventQuery,  ///< the host asks for each event, again and again, before the launch
  kStreamSync,  ///< the host blocks for all of their streams
  kDeviceSync,  ///< the host blocks for the whole device
  kCallback,    ///< the host launches each stream's next kernel once host functions behind its predecessors have run
};
template <>
struct Words<StreamWait> {
  static constexpr std::array entries{
      std::pair{StreamWait::kEvents, std::string_view{"events"}},
      std::pair{StreamWait::kEventSync, std::string_view{"event_sync"}},
      std::pair{StreamWait::kEventQuery, std::string_view{"event_query"}},
      std::pair{StreamWait::kStreamSync, std::string_view{"stream_sync"}},
      std::pair{StreamWait::kDeviceSync, std::string_view{"device_sync"}},
      std::pair{StreamWait::kCallback, std::string_view{"callback"}},
  };
};

/// What CUDA's default stream has to do with stream 0.
enum class DefaultStream : std::uint8_t {
  kNone,       ///< nothing: no stream waits for a default stream
  kLegacy,     ///< stream 0 is the legacy default stream: it waits for all that was launched before, and all launched later for it
  kPerThread,  ///< stream 0 is the thread's own default stream, which waits for no other
};
template <>
struct Words<DefaultStream> {
  static constexpr std::array entries{
      std::pair{DefaultStream::kNone, std::string_view{"none"}},
      std::pair{DefaultStream::kLegacy, std::string_view{"legacy"}},
      std::pair{DefaultStream::kPerThread, std::string_view{"per_thread"}},
  };
};

/// Which of the kernels that wait for room on the device goes first.
enum class StreamPriorities : std::uint8_t {
  kNone,          ///< whichever came first
  kTask,          ///< by the tasks' priorities, spread over the levels the device has
  kCriticalPath,  ///< by the tasks' bottom levels, likewise
};
template <>
struct Words<StreamPriorities> {
  static constexpr std::array entries{
      std::pair{StreamPriorities::kNone, std::string_view{"none"}},
      std::pair{StreamPriorities::kTask, std::string_view{"task"}},
      std::pair{StreamPriorities::kCriticalPath, std::string_view{"critical_path"}},
  };
};

}  // namespace tasktwin
