#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "models/base/ids.hpp"
#include "models/base/names.hpp"
#include "models/base/units.hpp"
#include "models/graph/task_graph.hpp"

namespace tasktwin {

/// One task's way through a run. A phase that the executor cannot observe is kAbsent; all are for a task that did not come
/// to be. Where a task occupies several cores: the first of them, its earliest start, last end and last publish; handed over when the last
/// block was, or the first where blocks start apart, so that the phases are in order either way.
struct TaskTimes {
  TimePoint ready = kAbsent;       ///< last predecessor visible to the processor that releases the task
  TimePoint dispatched = kAbsent;  ///< handed over: written to a mailbox, claimed from a queue, launched
  TimePoint received = kAbsent;    ///< the core has it; of a kernel on streams or in a graph: nothing but room on the device holds it
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

/// One core's part in a task that occupies several.
struct BlockTimes {
  TaskId task{};
  CoreId core = kNoCore;
  TimePoint started = kAbsent;
  TimePoint ended = kAbsent;
  TimePoint published = kAbsent;
  friend bool operator==(const BlockTimes&, const BlockTimes&) = default;
};

/// What a control core is there for.
enum class ControlRole : std::uint8_t { kScheduler, kResolver, kOrchestrator, kHost };
template <>
struct Words<ControlRole> {
  static constexpr std::array entries{
      std::pair{ControlRole::kScheduler, std::string_view{"scheduler"}}, std::pair{ControlRole::kResolver, std::string_view{"resolver"}},
      std::pair{ControlRole::kOrchestrator, std::string_view{"orchestrator"}}, std::pair{ControlRole::kHost, std::string_view{"host"}}};
};

/// What a control core was at.
enum class StepKind : std::uint8_t { kPoll, kComplete, kResolve, kDispatch, kSubmit, kSteal, kWait };
template <>
struct Words<StepKind> {
  static constexpr std::array entries{
      std::pair{StepKind::kPoll, std::string_view{"poll"}},       std::pair{StepKind::kComplete, std::string_view{"complete"}},
      std::pair{StepKind::kResolve, std::string_view{"resolve"}}, std::pair{StepKind::kDispatch, std::string_view{"dispatch"}},
      std::pair{StepKind::kSubmit, std::string_view{"submit"}},   std::pair{StepKind::kSteal, std::string_view{"steal"}},
      std::pair{StepKind::kWait, std::string_view{"wait"}},
  };
};

struct Step {
  TimePoint begin;
  TimePoint end;
  StepKind kind;
  friend bool operator==(const Step&, const Step&) = default;
};

struct QueueSample {
  TimePoint time;
  int length = 0;
  friend bool operator==(const QueueSample&, const QueueSample&) = default;
};

/// A call of a captured program's host thread, with the thread's own time before it.
struct HostStep {
  std::uint32_t thread = 0;  ///< in HostProgram::threads
  std::uint32_t call = 0;    ///< in HostThread::calls
  TimePoint own;             ///< its own time begins: the call before has returned
  TimePoint began;           ///< the call
  TimePoint waited;          ///< what it waits for has ended; `began` where it waits for nothing
  TimePoint ended;           ///< it returns
  friend bool operator==(const HostStep&, const HostStep&) = default;
};

/// Device memory as allocations and frees leave it.
struct MemorySample {
  TimePoint time;
  std::int64_t used = 0;      ///< bytes given out to tasks
  std::int64_t reserved = 0;  ///< bytes that the allocator holds of the device, the used ones included
  friend bool operator==(const MemorySample&, const MemorySample&) = default;
};

/// Bytes that a design moved between two devices for the sake of an edge (Design::peer_data).
struct PeerTransfer {
  std::int32_t from = 0;  ///< devices
  std::int32_t to = 0;
  TaskId of{};  ///< the task whose bytes they are
  std::int64_t bytes = 0;
  TimePoint began = kAbsent;
  TimePoint ended = kAbsent;
  friend bool operator==(const PeerTransfer&, const PeerTransfer&) = default;
};

/// What one run of a graph did, simulated or measured. The origin (0 ns) is the moment the run could begin: the host's first
/// call under `streams`, all workers resident under `persistent`.
struct Timeline {
  std::vector<TaskTimes> tasks;  ///< by TaskId
  std::vector<CoreType> cores;   ///< by CoreId: the cores, or streams, that could take tasks
  /// All compute cores of the machine, by CoreId of `blocks` where `cores` are streams: what shares of core time are taken of. Empty
  /// where it is unknown: then `cores` are all there are.
  std::vector<CoreType> compute_cores;
  bool on_streams = false;                         ///< `cores` are streams
  int runs = 1;                                    ///< of the graph, one after another (Design::replays); the times are the last one's
  int workers_per_core = 1;                        ///< `cores` counts that many workers per core, as core_of_worker() numbers them
  std::vector<std::int32_t> core_devices;          ///< by CoreId of `cores`: its device; empty where there is one
  std::vector<std::int32_t> compute_core_devices;  ///< likewise of `compute_cores`
  std::vector<PeerTransfer> transfers;             ///< by TaskId of what they carry; copies that are tasks are among `tasks`
  std::vector<std::vector<Span>> dispatchers;      ///< by DispatcherId: when it did anything but look; ascending, disjoint
  std::vector<ControlRole> roles;                  ///< by DispatcherId; schedulers first, then resolvers, then orchestrators
  std::vector<std::vector<Step>> steps;            ///< by DispatcherId, ascending, disjoint; empty where not recorded
  /// Of tasks on several cores: an entry a core, ascending by task. Of kernels of several blocks an entry a block; where `cores` are
  /// streams, of those of one block as well where it was observed, and their cores are compute cores.
  std::vector<BlockTimes> blocks;
  std::vector<QueueSample> ready_queue;  ///< tasks ready and not yet taken, at each change; empty where not observed
  std::vector<HostStep> host_steps;      ///< by the time that they return; of a captured program's host alone
  std::vector<MemorySample> memory;      ///< at each change, by time of the call that made it; empty where nothing is allocated
  TimePoint seen = kAbsent;              ///< a control core saw the last completion; absent where none looks
  TimePoint stopped = kAbsent;           ///< every worker had noticed that nothing is left; absent where not observed

  /// By CoreId, the cores that bodies run on: of blocks where `cores` are streams.
  std::span<const CoreType> body_cores() const { return on_streams && !compute_cores.empty() ? compute_cores : cores; }
  /// All compute cores of the machine: what shares of core time are taken of.
  std::size_t core_count() const { return std::max(compute_cores.size(), body_cores().size()); }
  /// Origin to the last completion written (to the last body's end where that is not observed).
  Duration makespan() const;
  /// Whether a task ran on another device than one it waited for.
  bool crosses_devices(TaskId from, TaskId to) const;
  /// All times are `by` later.
  void delay(Duration by);
  /// The most bytes used, and the most reserved, at any time; its own time says nothing.
  MemorySample peak_memory() const;

  friend bool operator==(const Timeline&, const Timeline&) = default;
};

/// The last moment a task occupied its core: published, or ended where that is absent.
constexpr TimePoint finish(const TaskTimes& times) { return is_present(times.published) ? times.published : times.ended; }

}  // namespace tasktwin
