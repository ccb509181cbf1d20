#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "models/graph/task_graph.hpp"
#include "models/machine/machine.hpp"
#include "sim/control/state/lanes.hpp"
#include "sim/queues/event_semaphore.hpp"

namespace tasktwin::sim {

/// What the completions that a control core took in make ready.
struct Resolution {
  std::vector<TaskId> ready;         ///< in the order in which they are found
  std::size_t by_heads = 0;          ///< that many of them, the first, by the heads of rows of successors
  std::vector<std::size_t> by_head;  ///< of each completed task in turn
  bool beyond_heads = false;         ///< some row is longer than its head
  std::vector<TaskId> events;        ///< counters (Operation::kEvent) that reached zero; `ready` has what they released
  Nanoseconds telling{};             ///< of the successors, ready or not
  Nanoseconds spawning{};            ///< of those that the completed tasks spawned

  void clear();
};

/// How a control core resolves the successors of completed tasks: in which order, and how long that takes.
class SuccessorWork {
 public:
  virtual ~SuccessorWork() = default;

  /// `who` resolves the successors of `completed`. Contract: `found` is clear.
  virtual void tell(std::uint32_t who, std::span<const TaskId> completed, Resolution& found) = 0;
  /// Whether `who` comes to the counters in steps, since other control cores may have their cache lines.
  virtual bool in_steps() const { return false; }
  /// When the next step of `who`, which begins at `now`, is over; nothing once all counters are decremented.
  virtual std::optional<TimePoint> go_on(std::uint32_t /*who*/, TimePoint /*now*/) { return std::nullopt; }
  /// `who` has released the completions of `completed` at `now`.
  virtual void released(std::uint32_t /*who*/, std::span<const TaskId> /*completed*/, TimePoint /*now*/) {}
  /// How many ready tasks are put into a queue at a time.
  virtual std::size_t group() const { return std::numeric_limits<std::size_t>::max(); }
  /// How long all takes that is not done in steps.
  virtual Nanoseconds cost(const Resolution& found) const = 0;
};

/// Whether the heads of rows take time of their own, or each is worked on by the lane that takes its completion in.
enum class RowHeads : std::uint8_t { kTakeTime, kComeWithCompletions };

/// The part that resolves successors on each of `control_cores` control cores of that many lanes.
/// Contract: what is passed by reference outlives it.
std::unique_ptr<SuccessorWork> make_successor_work(const TaskGraph& graph, EventSemaphores& semaphores, const mechanism::ControlLoop& times,
                                                   Lanes lanes, std::size_t control_cores, RowHeads heads);

}  // namespace tasktwin::sim
