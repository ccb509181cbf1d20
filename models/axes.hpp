#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "models/names.hpp"

namespace tasktwin {

// The axes of a Design whose values are words. A value's word is what files, tables and errors write.
/// What starts the work.
enum class Driver : std::uint8_t {
  kStreams,     ///< the host launches a kernel a task into streams
  kPersistent,  ///< one resident worker a core takes tasks until none are left
  kDeviceGraphLaunch,   ///< a scheduler kernel on the device launches a graph for each batch of ready tasks
  kDynamicParallelism,  ///< the kernel that makes a task ready launches its kernel
  kHostDispatcher,      ///< resident workers, which threads of the host hand tasks to
  kCudaGraph,   ///< the host launches one graph that has a kernel node a task
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

/// Which stream a kernel is launched into.
enum class StreamGranularity : std::uint8_t {
  kPerCore,      ///< the i-th launch into stream i modulo `streams`
  kPerTaskType,  ///< a stream for each kernel
  kPerLayer,     ///< layer modulo `streams`
  kSingle,       ///< one stream
  kListScheduled,  ///< behind a predecessor that is the last in its stream, if there is one; else into the shortest of `streams`
};
template <>
struct Words<StreamGranularity> {
  static constexpr std::array entries{
      std::pair{StreamGranularity::kPerCore, std::string_view{"per_core"}},
      std::pair{StreamGranularity::kPerTaskType, std::string_view{"per_task_type"}},
      std::pair{StreamGranularity::kPerLayer, std::string_view{"per_layer"}},
      std::pair{StreamGranularity::kSingle, std::string_view{"single"}},
      std::pair{StreamGranularity::kListScheduled, std::string_view{"list_scheduled"}},
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

/// How a CUDA graph comes to be.
enum class GraphSource : std::uint8_t {
  kNodes,    ///< a node a task and an edge a dependency
  kCapture,  ///< what stream capture makes of the program of driver `streams`
};
template <>
struct Words<GraphSource> {
  static constexpr std::array entries{
      std::pair{GraphSource::kNodes, std::string_view{"nodes"}},
      std::pair{GraphSource::kCapture, std::string_view{"capture"}},
  };
};

/// What the host does to a CUDA graph before it launches it again.
enum class GraphUpdate : std::uint8_t {
  kNone,
  kNodeParams,     ///< sets the parameters of each of its nodes
  kWholeGraph,     ///< updates it in place from another graph
  kReinstantiate,  ///< instantiates it anew
};
template <>
struct Words<GraphUpdate> {
  static constexpr std::array entries{
      std::pair{GraphUpdate::kNone, std::string_view{"none"}},
      std::pair{GraphUpdate::kNodeParams, std::string_view{"node_params"}},
      std::pair{GraphUpdate::kWholeGraph, std::string_view{"whole_graph"}},
      std::pair{GraphUpdate::kReinstantiate, std::string_view{"reinstantiate"}},
  };
};

/// Whether a kernel is brought onto the device while the one before it still runs, and waits there for its end.
enum class ProgrammaticLaunch : std::uint8_t { kOff, kOn };
template <>
struct Words<ProgrammaticLaunch> {
  static constexpr std::array entries{
      std::pair{ProgrammaticLaunch::kOff, std::string_view{"off"}},
      std::pair{ProgrammaticLaunch::kOn, std::string_view{"on"}},
  };
};

/// How a scheduler kernel in a graph launches further graphs.
enum class LaunchMode : std::uint8_t {
  kFireAndForget,  ///< they run at once; the scheduler's own graph is over only when they are
  kTail,           ///< they run one after the other once the scheduler has ended, and then it runs again
  kSibling,        ///< they run at once, and the scheduler's own graph does not wait for them
};
template <>
struct Words<LaunchMode> {
  static constexpr std::array entries{
      std::pair{LaunchMode::kFireAndForget, std::string_view{"fire_and_forget"}},
      std::pair{LaunchMode::kTail, std::string_view{"tail"}},
      std::pair{LaunchMode::kSibling, std::string_view{"sibling"}},
  };
};

/// Which dispatcher looks after a compute core.
enum class Ownership : std::uint8_t {
  kOwned,   ///< each core has one: whole clusters, or cores, dealt out in turn
  kShared,  ///< all dispatchers look after all cores
};
template <>
struct Words<Ownership> {
  static constexpr std::array entries{
      std::pair{Ownership::kOwned, std::string_view{"owned"}},
      std::pair{Ownership::kShared, std::string_view{"shared"}},
  };
};

/// What a dispatcher does between one hand-over and the next.
enum class Loop : std::uint8_t {
  kCompleteFirst,  ///< takes in all completions it sees, resolves them, then hands over
  kInterleaved,    ///< takes in one completion, resolves it, hands over, and goes on from the next core
};
template <>
struct Words<Loop> {
  static constexpr std::array entries{
      std::pair{Loop::kCompleteFirst, std::string_view{"complete_first"}},
      std::pair{Loop::kInterleaved, std::string_view{"interleaved"}},
  };
};

/// Which cores a dispatcher polls.
enum class Sweep : std::uint8_t {
  kAllCores,   ///< all it looks after
  kBusyCores,  ///< those that hold a task
};
template <>
struct Words<Sweep> {
  static constexpr std::array entries{
      std::pair{Sweep::kAllCores, std::string_view{"all_cores"}},
      std::pair{Sweep::kBusyCores, std::string_view{"busy_cores"}},
  };
};

/// How many tasks one operation on a ready queue takes.
enum class Claim : std::uint8_t {
  kAll,     ///< as many as can be used at once; one for a worker
  kFixed,   ///< `claim_size`
  kGuided,  ///< what is left over twice the takers, at least `claim_size` (Polychronopoulos, Kuck 1987)
};
template <>
struct Words<Claim> {
  static constexpr std::array entries{
      std::pair{Claim::kAll, std::string_view{"all"}},
      std::pair{Claim::kFixed, std::string_view{"fixed"}},
      std::pair{Claim::kGuided, std::string_view{"guided"}},
  };
};

/// How much is taken from another's ready queue when one's own has nothing.
enum class Stealing : std::uint8_t {
  kOff,    ///< nothing
  kOne,    ///< one task
  kHalf,   ///< half of them
  kBatch,  ///< up to `steal_batch`
};
template <>
struct Words<Stealing> {
  static constexpr std::array entries{
      std::pair{Stealing::kOff, std::string_view{"off"}},
      std::pair{Stealing::kOne, std::string_view{"one"}},
      std::pair{Stealing::kHalf, std::string_view{"half"}},
      std::pair{Stealing::kBatch, std::string_view{"batch"}},
  };
};

/// Whom a thief tries first; each is a policy in models/policies/.
enum class Victim : std::uint8_t {
  kRandom,
  kNext,
  kNearest,
  kMostLoaded,
};
template <>
struct Words<Victim> {
  static constexpr std::array entries{
      std::pair{Victim::kRandom, std::string_view{"random"}},
      std::pair{Victim::kNext, std::string_view{"next"}},
      std::pair{Victim::kNearest, std::string_view{"nearest"}},
      std::pair{Victim::kMostLoaded, std::string_view{"most_loaded"}},
  };
};

/// When a core that holds a task is given a further one ahead of time.
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

/// Whether kernels on the device launch further ones.
constexpr bool launches_on_device(Driver driver) { return driver == Driver::kDeviceGraphLaunch || driver == Driver::kDynamicParallelism; }

/// Whether a worker stays on each core until no task is left.
constexpr bool has_workers(Driver driver) { return driver == Driver::kPersistent || driver == Driver::kHostDispatcher; }

constexpr bool is_static(Placement placement) { return placement >= Placement::kRoundRobin; }

}  // namespace tasktwin
