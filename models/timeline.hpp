#pragma once

#include <string>
#include <vector>

#include "models/ids.hpp"
#include "models/task_graph.hpp"
#include "models/units.hpp"

namespace tasktwin {

/// One task's way through a run. A phase that the executor cannot observe is kAbsent.
struct TaskTimes {
  TimePoint ready = kAbsent;       ///< last predecessor visible to whoever releases the task
  TimePoint dispatched = kAbsent;  ///< handed over: written to a mailbox, claimed from a queue, launched
  TimePoint received = kAbsent;    ///< the core has it
  TimePoint started = kAbsent;     ///< its body starts
  TimePoint ended = kAbsent;       ///< its body has ended
  TimePoint published = kAbsent;   ///< its completion is written
  CoreId core = kNoCore;
  DispatcherId dispatcher = kNoDispatcher;

  friend bool operator==(const TaskTimes&, const TaskTimes&) = default;
};

struct Span {
  TimePoint begin;
  TimePoint end;
  friend bool operator==(const Span&, const Span&) = default;
};

struct QueueSample {
  TimePoint time;
  int length = 0;
  friend bool operator==(const QueueSample&, const QueueSample&) = default;
};

/// What one run of a graph did, whoever ran it. The origin (0 ns) is the moment the run could begin: the host's first
/// call under `streams`, all workers resident under `persistent`.
struct Timeline {
  std::vector<TaskTimes> tasks;                ///< by TaskId
  std::vector<CoreType> cores;                 ///< by CoreId: the cores, or streams, that could take tasks
  std::vector<std::vector<Span>> dispatchers;  ///< by DispatcherId: when it did anything but look; ascending, disjoint
  std::vector<QueueSample> ready_queue;        ///< tasks ready and not yet taken, at each change; empty where not observed

  /// Origin to the last completion written (to the last body's end where that is not observed).
  Duration makespan() const;

  friend bool operator==(const Timeline&, const Timeline&) = default;
};

/// The last moment a task occupied its core: published, or ended where that is absent.
constexpr TimePoint finish(const TaskTimes& times) { return is_present(times.published) ? times.published : times.ended; }

}  // namespace tasktwin
