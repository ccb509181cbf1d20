#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/machine.hpp"
#include "models/names.hpp"

namespace tasktwin {

/// What starts the work.
enum class Driver : std::uint8_t {
  kStreams,     ///< the host launches a kernel a task into streams
  kPersistent,  ///< one resident worker a core takes tasks until none are left
};
template <>
struct Words<Driver> {
  static constexpr std::array entries{std::pair{Driver::kStreams, std::string_view{"streams"}},
                                      std::pair{Driver::kPersistent, std::string_view{"persistent"}}};
};

/// Who finds out that a task's predecessors are done.
enum class Release : std::uint8_t {
  kEvents,      ///< streams wait for events
  kCounters,    ///< the finishing worker decrements its successors' counters
  kDispatcher,  ///< a control core does, on seeing the completion
};
template <>
struct Words<Release> {
  static constexpr std::array entries{std::pair{Release::kEvents, std::string_view{"events"}},
                                      std::pair{Release::kCounters, std::string_view{"counters"}},
                                      std::pair{Release::kDispatcher, std::string_view{"dispatcher"}}};
};

/// Where tasks wait for a core.
enum class ReadyQueue : std::uint8_t {
  kShared,     ///< one for all (of a core type), filled as tasks become ready
  kPerWorker,  ///< each worker's own list, or stream, filled beforehand
};
template <>
struct Words<ReadyQueue> {
  static constexpr std::array entries{std::pair{ReadyQueue::kShared, std::string_view{"shared"}},
                                      std::pair{ReadyQueue::kPerWorker, std::string_view{"per_worker"}}};
};

/// Which ready task goes first; each is a file in models/policies/.
enum class TaskOrder : std::uint8_t { kFifo, kLifo, kRandom, kCriticalPath, kLongest, kShortest, kMostSuccessors, kPriority };
template <>
struct Words<TaskOrder> {
  static constexpr std::array entries{std::pair{TaskOrder::kFifo, std::string_view{"fifo"}},
                                      std::pair{TaskOrder::kLifo, std::string_view{"lifo"}},
                                      std::pair{TaskOrder::kRandom, std::string_view{"random"}},
                                      std::pair{TaskOrder::kCriticalPath, std::string_view{"critical_path"}},
                                      std::pair{TaskOrder::kLongest, std::string_view{"longest"}},
                                      std::pair{TaskOrder::kShortest, std::string_view{"shortest"}},
                                      std::pair{TaskOrder::kMostSuccessors, std::string_view{"most_successors"}},
                                      std::pair{TaskOrder::kPriority, std::string_view{"priority"}}};
};

/// Which core a task goes to.
enum class Placement : std::uint8_t {
  kAnyIdle,     ///< whichever core asks, or is found idle, first
  kRoundRobin,  ///< frozen: the i-th task in topological order to core, or stream, i modulo their number
  kHeft,        ///< frozen: heterogeneous earliest finish time (models/policies/heft.hpp)
};
template <>
struct Words<Placement> {
  static constexpr std::array entries{std::pair{Placement::kAnyIdle, std::string_view{"any_idle"}},
                                      std::pair{Placement::kRoundRobin, std::string_view{"round_robin"}},
                                      std::pair{Placement::kHeft, std::string_view{"heft"}}};
};
constexpr bool is_static(Placement placement) { return placement != Placement::kAnyIdle; }

/// When a core that is already busy is given a further task ahead of time.
enum class Fill : std::uint8_t {
  kAlways,          ///< whenever its mailbox has room
  kWhenNoCoreIdle,  ///< only when no core is idle
};
template <>
struct Words<Fill> {
  static constexpr std::array entries{std::pair{Fill::kAlways, std::string_view{"always"}},
                                      std::pair{Fill::kWhenNoCoreIdle, std::string_view{"when_no_core_idle"}}};
};

/// Every choice a runtime's author makes, each under the field's own name.
struct Design {
  std::string name;
  Driver driver = Driver::kPersistent;
  Release release = Release::kDispatcher;
  ReadyQueue ready_queue = ReadyQueue::kShared;
  TaskOrder order = TaskOrder::kFifo;
  Placement placement = Placement::kAnyIdle;
  int streams = 32;       ///< streams in use, where the driver is `streams`
  int dispatchers = 0;    ///< control cores in use, where the release is `dispatcher`; 0 for all the machine has
  int mailbox_depth = 1;  ///< tasks a core may hold, the running one included
  Fill fill = Fill::kAlways;

  friend bool operator==(const Design&, const Design&) = default;
};

inline constexpr int kMaxMailboxDepth = 16;
inline constexpr int kMaxStreams = 1024;

/// The designs that have a name of their own, in the order in which tables list them.
std::span<const Design> named_designs();

/// Throws InputError if `name` is none of them; the message lists them and the nearest.
const Design& named_design(std::string_view name);

/// The control cores that `design` uses on `machine`: none unless a dispatcher releases the tasks.
int dispatcher_count(const Design& design, const Machine& machine);

/// The compute cores left for tasks under `design`, by CoreId: the machine's, less those the control cores occupy
/// (taken from the end of the largest group).
std::vector<CoreType> worker_cores(const Design& design, const Machine& machine);

/// Throws InputError naming the axis, if its values contradict each other or the machine cannot seat the design.
void check_design(const Design& design, const Machine& machine);

}  // namespace tasktwin
