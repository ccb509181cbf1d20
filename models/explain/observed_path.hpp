#pragma once

#include <array>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "models/design.hpp"
#include "models/timeline.hpp"

namespace tasktwin {

/// Why a stretch of the observed critical path took its time.
enum class PathCause : std::uint8_t {
  kBody,          ///< a body that the path's next task needed, or the last one
  kBandwidth,     ///< the part of any body beyond its time on an otherwise idle machine
  kDataWait,      ///< a body that the next task did not need, but had to wait for before its own data counted as there (a barrier)
  kCoreWait,      ///< a body that the next task did not need, but that had its core, its place in the mailbox or its stream
  kDispatch,      ///< a control core busy between what made the hand-over possible and the hand-over
  kQueue,         ///< through a ready queue or a list of tasks, without a control core
  kNotification,  ///< news on its way: mailbox, completion, counter, event
  kStart,         ///< the core has the task and is free → the body starts
  kPublish,       ///< body ended → completion written, successors released
  kLaunch,        ///< the host launching kernels, and a launch on its way
  kSubmit,        ///< orchestrators submitting tasks, or waiting for room to
};
template <>
struct Words<PathCause> {
  static constexpr std::array entries{
      std::pair{PathCause::kBody, std::string_view{"body"}},
      std::pair{PathCause::kBandwidth, std::string_view{"bandwidth"}},
      std::pair{PathCause::kDataWait, std::string_view{"wait_for_data"}},
      std::pair{PathCause::kCoreWait, std::string_view{"wait_for_core"}},
      std::pair{PathCause::kDispatch, std::string_view{"dispatch"}},
      std::pair{PathCause::kQueue, std::string_view{"queue"}},
      std::pair{PathCause::kNotification, std::string_view{"notification"}},
      std::pair{PathCause::kStart, std::string_view{"start"}},
      std::pair{PathCause::kPublish, std::string_view{"publish"}},
      std::pair{PathCause::kLaunch, std::string_view{"launch"}},
      std::pair{PathCause::kSubmit, std::string_view{"submit"}},
  };
};
inline constexpr std::size_t kPathCauseCount = Words<PathCause>::entries.size();

struct PathSegment {
  TimePoint begin;
  TimePoint end;
  PathCause cause{};
  TaskId task{};          ///< whose phase it is; of a wait for a core or for data, the task that ran
  CoreId core = kNoCore;  ///< kNoCore away from cores
};

/// Segments that follow each other from 0 to the makespan without gap or overlap.
struct ObservedPath {
  std::vector<PathSegment> segments;
  std::array<Duration, kPathCauseCount> by_cause{};

  Duration of(PathCause cause) const { return by_cause[static_cast<std::size_t>(cause)]; }
};

/// Walks back from the last completion along what arrived last (the last-arriving edges of Fields, Rubin, Bodík 2001): a
/// start was held by the core's task before, or by its own hand-over; a hand-over by the task's readiness, or by the core
/// that had no room, and from then on by the control core; readiness by the last predecessor. Where a phase was not
/// observed, the nearest one before it stands in. `design.hardware_queues` counts as it stands, 0 for one a stream. `alone` are the bodies'
/// durations on an otherwise idle machine, by TaskId; where it is empty, no time counts as bandwidth.
ObservedPath observed_path(const TaskGraph& graph, const Design& design, const Timeline& timeline, std::span<const Duration> alone);

}  // namespace tasktwin
