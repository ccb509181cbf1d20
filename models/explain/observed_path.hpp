#pragma once

#include <array>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "models/design/design.hpp"
#include "models/program/host_program.hpp"
#include "models/run/timeline.hpp"

namespace tasktwin {

/// Why a stretch of the observed critical path took its time.
enum class PathCause : std::uint8_t {
  kBody,           ///< a body that the path's next task needed, or the last one
  kBandwidth,      ///< the part of any body beyond its time on an otherwise idle machine
  kWaves,          ///< later blocks of a grid waiting for room that earlier ones of it held
  kDataWait,       ///< a body that the next task did not need, but had to wait for before its own data counted as there (a barrier)
  kCoreWait,       ///< a body that the next task did not need, but that had its core or its place in the mailbox
  kStream,         ///< the same of one before it in its stream
  kCopyEngine,     ///< the same of a copy whose engine it was to take
  kRoom,           ///< a kernel on the device for which there was no room: others' blocks held the cores, or it had to be resident first
  kHardwareQueue,  ///< a kernel that could have started, behind another in a hardware queue
  kHeadOfLine,     ///< a ready task with a core that would take it, behind another in its ready queue
  kGang,           ///< a body that had one of the other cores which the task needed at the same time
  kDispatch,       ///< a control core busy between what made the hand-over possible and the hand-over
  kLock,           ///< a control core at the lock of a ready queue
  kQueue,          ///< through a ready queue or a list of tasks, without a control core
  kNotification,   ///< signalling latency: mailbox, completion, counter, event
  kCollective,     ///< a collective, from its last rank's start to its end
  kSkew,           ///< all other ranks of a collective waiting for its last, where nothing was seen that held that one
  kTransfer,       ///< bytes, or signals of them, in transit from another device
  kStart,          ///< the core has the task and is free → the body starts
  kPublish,        ///< body ended → completion written, successors released
  kLaunch,         ///< the host launching kernels, and a launch in transit
  kHostOwn,        ///< a captured program's host between its calls
  kHostCall,       ///< it in a call, without what the call waits for
  kHostSync,       ///< it in a call that blocks until something has ended
  kHostBlocked,    ///< the host blocked by the device: a synchronisation, a stream that holds no more launches
  kStartUp,        ///< all resident cores there, to their first look for work
  kSubmit,         ///< orchestrators submitting tasks, or the host building the graph
  kWindow,         ///< orchestrators waiting for room in the window, and the bodies that held it
  kReplays,        ///< runs of the graph before the last one
  kRest,           ///< what could not be explained
};
template <>
struct Words<PathCause> {
  static constexpr std::array entries{
      std::pair{PathCause::kBody, std::string_view{"body"}},
      std::pair{PathCause::kBandwidth, std::string_view{"bandwidth"}},
      std::pair{PathCause::kWaves, std::string_view{"waves"}},
      std::pair{PathCause::kDataWait, std::string_view{"wait_for_data"}},
      std::pair{PathCause::kCoreWait, std::string_view{"wait_for_core"}},
      std::pair{PathCause::kStream, std::string_view{"stream"}},
      std::pair{PathCause::kCopyEngine, std::string_view{"copy_engine"}},
      std::pair{PathCause::kRoom, std::string_view{"no_room"}},
      std::pair{PathCause::kHardwareQueue, std::string_view{"hardware_queue"}},
      std::pair{PathCause::kHeadOfLine, std::string_view{"head_of_line"}},
      std::pair{PathCause::kGang, std::string_view{"gang"}},
      std::pair{PathCause::kDispatch, std::string_view{"dispatch"}},
      std::pair{PathCause::kLock, std::string_view{"lock"}},
      std::pair{PathCause::kQueue, std::string_view{"queue"}},
      std::pair{PathCause::kNotification, std::string_view{"notification"}},
      std::pair{PathCause::kCollective, std::string_view{"collective"}},
      std::pair{PathCause::kSkew, std::string_view{"skew"}},
      std::pair{PathCause::kTransfer, std::string_view{"transfer"}},
      std::pair{PathCause::kStart, std::string_view{"start"}},
      std::pair{PathCause::kPublish, std::string_view{"publish"}},
      std::pair{PathCause::kLaunch, std::string_view{"launch"}},
      std::pair{PathCause::kHostOwn, std::string_view{"host_own"}},
      std::pair{PathCause::kHostCall, std::string_view{"host_call"}},
      std::pair{PathCause::kHostSync, std::string_view{"host_sync"}},
      std::pair{PathCause::kHostBlocked, std::string_view{"host_blocked"}},
      std::pair{PathCause::kStartUp, std::string_view{"start_up"}},
      std::pair{PathCause::kSubmit, std::string_view{"submit"}},
      std::pair{PathCause::kWindow, std::string_view{"window"}},
      std::pair{PathCause::kReplays, std::string_view{"replays"}},
      std::pair{PathCause::kRest, std::string_view{"rest"}},
  };
};
inline constexpr std::size_t kPathCauseCount = Words<PathCause>::entries.size();

/// Whether the time is another task's doing, which PathSegment::task then names.
constexpr bool has_holder(PathCause cause) {
  switch (cause) {
    case PathCause::kDataWait:
    case PathCause::kCoreWait:
    case PathCause::kStream:
    case PathCause::kCopyEngine:
    case PathCause::kRoom:
    case PathCause::kHardwareQueue:
    case PathCause::kHeadOfLine:
    case PathCause::kGang:
    case PathCause::kSkew:
    case PathCause::kHostBlocked:
    case PathCause::kWindow:
      return true;
    default:
      return false;
  }
}

struct PathSegment {
  TimePoint begin;
  TimePoint end;
  PathCause cause{};
  TaskId task{};           ///< whose phase it is; where has_holder(cause), the task that delayed the path's next one
  CoreId core = kNoCore;   ///< kNoCore away from cores
  std::uint32_t call = 0;  ///< kHostCall, kHostSync: its name, in HostProgram::names; kHostOwn: that of the innermost range, 0 for none
};

/// While the path is at what held `last`, all others wait for it: the other ranks of its collective, or the tasks that meet it.
struct LateArrival {
  TimePoint since;  ///< the last of the others is there
  TimePoint until;  ///< it is there itself
  TaskId last{};
};

/// Segments that follow each other from 0 to the makespan without gap or overlap.
struct ObservedPath {
  std::vector<PathSegment> segments;
  std::vector<LateArrival> late;  ///< by time, disjoint
  std::array<Duration, kPathCauseCount> by_cause{};

  Duration of(PathCause cause) const { return by_cause[static_cast<std::size_t>(cause)]; }
};

/// Walks back from the last completion along what arrived last (the last-arriving edges of Fields, Rubin, Bodík 2001): a
/// start was held by the core's task before, or by its own hand-over; a hand-over by the task's readiness, or by the core
/// that had no room, and from then on by the control core; readiness by the last predecessor; a collective, and bodies that meet, by the
/// last that came. A kernel launched by the host:
/// kernel_path.hpp. Where a phase was not observed, the nearest one before it is used instead. `design.hardware_queues` counts as it
/// stands, 0 for one a stream. `alone` are the bodies' durations on an otherwise idle machine, by TaskId; where it is empty, no time counts
/// as bandwidth. `reads` is what each reads of other devices first, with nobody else on the links (PeerData::kRead), a transfer as is what
/// it takes longer then; empty for none. `program` is what the timeline was simulated of, if it is a captured program's; without it its
/// host's time is not told apart.
ObservedPath observed_path(const TaskGraph& graph, const Design& design, const Timeline& timeline, std::span<const Duration> alone,
                           const HostProgram* program = nullptr, std::span<const Duration> reads = {});

}  // namespace tasktwin
