#pragma once

#include <array>
#include <cstdint>

#include "models/base/names.hpp"

namespace tasktwin {

// Axes of a Design: how kernels go into streams.

/// Which stream a kernel is launched into.
enum class StreamGranularity : std::uint8_t { kPerCore, kPerTaskType, kPerLayer, kSingle, kListScheduled, kHinted };
template <>
struct Words<StreamGranularity> {
  static constexpr std::array values{
      AxisValue{StreamGranularity::kPerCore, "per_core", "the i-th launch into stream i modulo 'streams'"},
      AxisValue{StreamGranularity::kPerTaskType, "per_task_type", "a stream for each kernel"},
      AxisValue{StreamGranularity::kPerLayer, "per_layer", "layer modulo 'streams'"},
      AxisValue{StreamGranularity::kSingle, "single", "one stream"},
      AxisValue{StreamGranularity::kListScheduled, "list_scheduled",
                "after a predecessor that is the last in its stream, if there is one; else into the shortest of 'streams'"},
      AxisValue{StreamGranularity::kHinted, "hinted", "the one that the task asks for, modulo 'streams'"},
  };
  static constexpr auto entries = words_of(values);
};

/// How a kernel's predecessors in other streams are waited for.
enum class StreamWait : std::uint8_t { kEvents, kEventSync, kEventQuery, kStreamSync, kDeviceSync, kCallback, kProgram };
template <>
struct Words<StreamWait> {
  static constexpr std::array values{
      AxisValue{StreamWait::kEvents, "events", "its stream waits for their events; the host continues"},
      AxisValue{StreamWait::kEventSync, "event_sync", "the host blocks for each event before the launch"},
      AxisValue{StreamWait::kEventQuery, "event_query", "the host asks for each event, again and again, before the launch"},
      AxisValue{StreamWait::kStreamSync, "stream_sync", "the host blocks for all of their streams"},
      AxisValue{StreamWait::kDeviceSync, "device_sync", "the host blocks for the whole device"},
      AxisValue{StreamWait::kCallback, "callback",
                "the host launches each stream's next kernel once host functions after its predecessors have run"},
      AxisValue{StreamWait::kProgram, "program",
                "as the graph's host program does: its threads make the calls that were captured, waits and syncs included"},
  };
  static constexpr auto entries = words_of(values);
};

/// What CUDA's default stream has to do with stream 0.
enum class DefaultStream : std::uint8_t { kNone, kLegacy, kPerThread };
template <>
struct Words<DefaultStream> {
  static constexpr std::array values{
      AxisValue{DefaultStream::kNone, "none", "nothing: no stream waits for a default stream"},
      AxisValue{DefaultStream::kLegacy, "legacy",
                "stream 0 is the legacy default stream: it waits for all that was launched before, and all launched later for it"},
      AxisValue{DefaultStream::kPerThread, "per_thread", "stream 0 is the thread's own default stream, which waits for no other"},
  };
  static constexpr auto entries = words_of(values);
};

/// Which of the kernels that wait for room on the device goes first.
enum class StreamPriorities : std::uint8_t { kNone, kTask, kCriticalPath };
template <>
struct Words<StreamPriorities> {
  static constexpr std::array values{
      AxisValue{StreamPriorities::kNone, "none", "whichever came first"},
      AxisValue{StreamPriorities::kTask, "task", "by the tasks' priorities, spread over the levels the device has"},
      AxisValue{StreamPriorities::kCriticalPath, "critical_path", "by the tasks' bottom levels, likewise"},
  };
  static constexpr auto entries = words_of(values);
};

}  // namespace tasktwin
