#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "models/names.hpp"

namespace tasktwin {

// Axes of a Design: who starts, releases, orders and places tasks, and where the ready ones wait.

/// What starts the work.
enum class Driver : std::uint8_t {
  kStreams,             ///< the host launches a kernel a task into streams
  kPersistent,          ///< one resident worker a core takes tasks until none are left
  kDeviceGraphLaunch,   ///< a scheduler kernel on the device launches a graph for each batch of ready tasks
  kDynamicParallelism,  ///< the kernel that makes a task ready launches its kernel
  kHostDispatcher,      ///< resident workers, which threads of the host hand tasks to
  kCudaGraph,           ///< the host launches one graph that has a kernel node a task
};
template <>
struct Words<Driver> {
  static constexpr std::array entries{
      std::pair{Driver::kStreams, std::string_view{"streams"}},
      std::pair{Driver::kPersistent, std::string_view{"persistent"}},
      std::pair{Driver::kDeviceGraphLaunch, std::string_view{"device_graph_launch"}},
      std::pair{Driver::kDynamicParallelism, std::string_view{"dynamic_parallelism"}},
      std::pair{Driver::kHostDispatcher, std::string_view{"host_dispatcher"}},
      std::pair{Driver::kCudaGraph, std::string_view{"cuda_graph"}},
  };
};

/// Who finds out that a task's predecessors are done.
enum class Release : std::uint8_t {
  kEvents,      ///< streams, or a graph's nodes, wait for events
  kCounters,    ///< the finishing worker tells its successors
  kDispatcher,  ///< a control core does, on seeing the completion
  kBarrier,     ///< all workers wait for each other between layers
};
template <>
struct Words<Release> {
  static constexpr std::array entries{
      std::pair{Release::kEvents, std::string_view{"events"}},
      std::pair{Release::kCounters, std::string_view{"counters"}},
      std::pair{Release::kDispatcher, std::string_view{"dispatcher"}},
      std::pair{Release::kBarrier, std::string_view{"barrier"}},
  };
};

/// Where ready tasks wait for a core.
enum class ReadyQueue : std::uint8_t {
  kShared,              ///< one queue for all
  kPerCoreType,         ///< one for each core type
  kPerDispatcher,       ///< one for each dispatcher, who pushes what it released itself
  kSharded,             ///< `shards` of them; each dispatcher, or worker, has one to push to and to take from
  kPerWorker,           ///< each worker's own: filled beforehand by a frozen placement, else by whoever releases
  kPerWorkerAndShared,  ///< each worker's own, filled beforehand with `static_percent` of the tasks, and one for the others
};
template <>
struct Words<ReadyQueue> {
  static constexpr std::array entries{
      std::pair{ReadyQueue::kShared, std::string_view{"shared"}},
      std::pair{ReadyQueue::kPerCoreType, std::string_view{"per_core_type"}},
      std::pair{ReadyQueue::kPerDispatcher, std::string_view{"per_dispatcher"}},
      std::pair{ReadyQueue::kSharded, std::string_view{"sharded"}},
      std::pair{ReadyQueue::kPerWorker, std::string_view{"per_worker"}},
      std::pair{ReadyQueue::kPerWorkerAndShared, std::string_view{"per_worker_and_shared"}},
  };
};

/// Which ready task goes first; each is a file in models/policies/.
enum class TaskOrder : std::uint8_t {
  kFifo,
  kLifo,
  kRandom,
  kCriticalPath,
  kLongest,
  kShortest,
  kMostSuccessors,
  kPriority,
};
template <>
struct Words<TaskOrder> {
  static constexpr std::array entries{
      std::pair{TaskOrder::kFifo, std::string_view{"fifo"}},
      std::pair{TaskOrder::kLifo, std::string_view{"lifo"}},
      std::pair{TaskOrder::kRandom, std::string_view{"random"}},
      std::pair{TaskOrder::kCriticalPath, std::string_view{"critical_path"}},
      std::pair{TaskOrder::kLongest, std::string_view{"longest"}},
      std::pair{TaskOrder::kShortest, std::string_view{"shortest"}},
      std::pair{TaskOrder::kMostSuccessors, std::string_view{"most_successors"}},
      std::pair{TaskOrder::kPriority, std::string_view{"priority"}},
  };
};

/// Which core a task goes to; each is a file in models/policies/. From round_robin on they are frozen before the run.
enum class Placement : std::uint8_t {
  kAnyIdle,      ///< whichever core asks, or is found with room, first
  kLeastLoaded,  ///< the core that holds the least expected work
  kLocality,     ///< the core that holds most of the task's inputs, if it has room
  kRoundRobin,   ///< the i-th task in topological order to core, or stream, i modulo their number
  kHeft,
  kCpop,
  kPeft,
  kDls,
  kLookahead,
  kMinMin,
  kReplay,  ///< as in a given timeline
};
template <>
struct Words<Placement> {
  static constexpr std::array entries{
      std::pair{Placement::kAnyIdle, std::string_view{"any_idle"}},    std::pair{Placement::kLeastLoaded, std::string_view{"least_loaded"}},
      std::pair{Placement::kLocality, std::string_view{"locality"}},   std::pair{Placement::kRoundRobin, std::string_view{"round_robin"}},
      std::pair{Placement::kHeft, std::string_view{"heft"}},           std::pair{Placement::kCpop, std::string_view{"cpop"}},
      std::pair{Placement::kPeft, std::string_view{"peft"}},           std::pair{Placement::kDls, std::string_view{"dls"}},
      std::pair{Placement::kLookahead, std::string_view{"lookahead"}}, std::pair{Placement::kMinMin, std::string_view{"min_min"}},
      std::pair{Placement::kReplay, std::string_view{"replay"}},
  };
};

/// Whether kernels on the device launch further ones.
constexpr bool launches_on_device(Driver driver) { return driver == Driver::kDeviceGraphLaunch || driver == Driver::kDynamicParallelism; }

/// Whether a worker stays on each core until no task is left.
constexpr bool has_workers(Driver driver) { return driver == Driver::kPersistent || driver == Driver::kHostDispatcher; }

constexpr bool is_static(Placement placement) { return placement >= Placement::kRoundRobin; }

}  // namespace tasktwin
