#pragma once

#include <array>
#include <cstdint>

#include "models/base/names.hpp"

namespace tasktwin {

// Axes of a Design: what starts, releases, orders and places tasks, and where ready tasks wait.

/// What starts the work.
enum class Driver : std::uint8_t { kStreams, kPersistent, kDeviceGraphLaunch, kDynamicParallelism, kHostDispatcher, kCudaGraph };
template <>
struct Words<Driver> {
  static constexpr std::array values{
      AxisValue{Driver::kStreams, "streams", "the host launches a kernel a task into streams"},
      AxisValue{Driver::kPersistent, "persistent", "workers that stay on the cores take tasks until none are left"},
      AxisValue{Driver::kDeviceGraphLaunch, "device_graph_launch",
                "a scheduler kernel on the device launches a graph for each batch of ready tasks"},
      AxisValue{Driver::kDynamicParallelism, "dynamic_parallelism", "the kernel that makes a task ready launches its kernel"},
      AxisValue{Driver::kHostDispatcher, "host_dispatcher", "resident workers, which threads of the host hand tasks to"},
      AxisValue{Driver::kCudaGraph, "cuda_graph", "the host launches one graph that has a kernel node a task"},
  };
  static constexpr auto entries = words_of(values);
};

/// Who finds out that a task's predecessors are done.
enum class Release : std::uint8_t { kEvents, kCounters, kDispatcher, kBarrier };
template <>
struct Words<Release> {
  static constexpr std::array values{
      AxisValue{Release::kEvents, "events", "streams, or a graph's nodes, wait for events"},
      AxisValue{Release::kCounters, "counters", "the finishing worker tells its successors"},
      AxisValue{Release::kDispatcher, "dispatcher", "a control core does, on seeing the completion"},
      AxisValue{Release::kBarrier, "barrier", "all workers wait for each other between layers"},
  };
  static constexpr auto entries = words_of(values);
};

/// Where ready tasks wait for a core.
enum class ReadyQueue : std::uint8_t { kShared, kPerCoreType, kPerDispatcher, kSharded, kPerWorker, kPerWorkerAndShared, kGroupQueue };
template <>
struct Words<ReadyQueue> {
  static constexpr std::array values{
      AxisValue{ReadyQueue::kShared, "shared", "one queue for all"},
      AxisValue{ReadyQueue::kPerCoreType, "per_core_type", "one for each core type"},
      AxisValue{ReadyQueue::kPerDispatcher, "per_dispatcher", "one for each dispatcher, who pushes what it released itself"},
      AxisValue{ReadyQueue::kSharded, "sharded", "'shards' of them; each dispatcher, or worker, has one to push to and to take from"},
      AxisValue{ReadyQueue::kPerWorker, "per_worker",
                "each worker's own: filled before the run by a frozen placement, else by the worker that releases"},
      AxisValue{ReadyQueue::kPerWorkerAndShared, "per_worker_and_shared",
                "each worker's own, filled beforehand with 'static_percent' of the tasks, and one for the others"},
      AxisValue{ReadyQueue::kGroupQueue, "group_queue",
                "slots of a hardware controller a dispatcher, which compares what tasks wait for with what is done and hands them over"},
  };
  static constexpr auto entries = words_of(values);
};

/// Which ready task goes first; each is a file in models/policies/.
enum class TaskOrder : std::uint8_t { kFifo, kLifo, kRandom, kCriticalPath, kLongest, kShortest, kMostSuccessors, kPriority };
template <>
struct Words<TaskOrder> {
  static constexpr std::array values{
      AxisValue{TaskOrder::kFifo, "fifo", "the one that became ready first"},
      AxisValue{TaskOrder::kLifo, "lifo", "the one that became ready last"},
      AxisValue{TaskOrder::kRandom, "random", "a random one: by a hash of seed and task"},
      AxisValue{TaskOrder::kCriticalPath, "critical_path",
                "the one with the longest expected way to the end of the graph (highest bottom level)"},
      AxisValue{TaskOrder::kLongest, "longest", "the one expected to take the most time"},
      AxisValue{TaskOrder::kShortest, "shortest", "the one expected to take the least time"},
      AxisValue{TaskOrder::kMostSuccessors, "most_successors", "the one with the most direct successors"},
      AxisValue{TaskOrder::kPriority, "priority", "the one with the highest priority of its own"},
  };
  static constexpr auto entries = words_of(values);
};

/// Which core a task goes to; each is a file in models/policies/. From round_robin on they are frozen before the run.
enum class Placement : std::uint8_t {
  kAnyIdle,
  kLeastLoaded,
  kLocality,
  kRoundRobin,
  kHeft,
  kCpop,
  kPeft,
  kDls,
  kLookahead,
  kMinMin,
  kReplay
};
template <>
struct Words<Placement> {
  static constexpr std::array values{
      AxisValue{Placement::kAnyIdle, "any_idle", "the first core that asks or is found with room"},
      AxisValue{Placement::kLeastLoaded, "least_loaded", "the core that holds the least expected work"},
      AxisValue{Placement::kLocality, "locality", "the core that holds most of the task's inputs, if it has room"},
      AxisValue{Placement::kRoundRobin, "round_robin", "the i-th task in topological order to core, or stream, i modulo their number"},
      AxisValue{Placement::kHeft, "heft", "by HEFT: tasks by upward rank, each where it finishes first (Topcuoglu, Hariri, Wu 2002)"},
      AxisValue{Placement::kCpop, "cpop",
                "by CPOP: the critical path on one core, the others where they finish first (Topcuoglu, Hariri, Wu 2002)"},
      AxisValue{Placement::kPeft, "peft", "by PEFT: earliest finish plus an optimistic cost of what follows (Arabnejad, Barbosa 2014)"},
      AxisValue{Placement::kDls, "dls",
                "by dynamic level scheduling: the ready task and core of the highest dynamic level (Sih, Lee 1993)"},
      AxisValue{Placement::kLookahead, "lookahead",
                "HEFT that looks a step ahead: where the successors are finished first (Bittencourt et al. 2010)"},
      AxisValue{Placement::kMinMin, "min_min", "by min-min: always the ready task and core that finish first (Ibarra, Kim 1977)"},
      AxisValue{Placement::kReplay, "replay", "as in a given timeline"},
  };
  static constexpr auto entries = words_of(values);
};

/// Whether kernels on the device launch further ones.
constexpr bool launches_on_device(Driver driver) { return driver == Driver::kDeviceGraphLaunch || driver == Driver::kDynamicParallelism; }

/// Whether a worker stays on each core until no task is left.
constexpr bool has_workers(Driver driver) { return driver == Driver::kPersistent || driver == Driver::kHostDispatcher; }

constexpr bool is_static(Placement placement) { return placement >= Placement::kRoundRobin; }

}  // namespace tasktwin
