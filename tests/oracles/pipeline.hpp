#pragma once

#include <optional>
#include <vector>

#include "models/cost/body_cost.hpp"
#include "models/design/design.hpp"
#include "models/run/timeline.hpp"
#include "tests/oracles/fluid.hpp"

namespace tasktwin::oracles {

/// The cores of a persistent design and the memory they share, by rules over all tasks.
class Pipeline {
 public:
  Pipeline(const TaskGraph& graph, const Machine& machine, const Design& design, std::uint64_t seed);

  Timeline timeline;
  std::vector<std::vector<TaskId>> cores;  ///< by core: the tasks it received, in order
  std::vector<std::size_t> list_of = {};   ///< by TaskId: whose list it is in, where edges within a list are not told; else empty

  bool is_told(TaskId before, TaskId after) const { return list_of.empty() || list_of[index(before)] != list_of[index(after)]; }
  /// The predecessors whose ends are told to the task's core.
  std::vector<TaskId> told(TaskId task) const;
  /// Whether its result is in the message that it tells by; graphs here have neither events nor bytes of edges.
  bool in_message(TaskId task) const;

  TaskTimes& operator[](TaskId task) { return timeline.tasks[index(task)]; }

  void receive(std::size_t core, TaskId task, TimePoint received);

  /// Applies every rule of the cores until none says anything new. `now` lets the flows of bodies that start now begin.
  void settle(TimePoint now);

  /// Lets one nanosecond pass, until `now`, and settles.
  void pass(TimePoint now);

  /// When the place of the core's k-th task became free; nullopt if that is not known yet.
  std::optional<TimePoint> slot_free(std::size_t core, std::size_t k);

  /// The beginning of the core's next fetch, where cores get their tasks by themselves; nullopt while it is not known.
  std::optional<TimePoint> fetch_begin(std::size_t core);

  bool all_published() const;

  /// When the last worker notices the end by a counter that it waits for.
  void stop();

 private:
  bool apply(std::size_t core, std::size_t k, TimePoint now);
  bool any_queues() const;
  std::size_t queue_of(std::size_t core) const;  ///< that its loads wait in; one that no other core has, where none is told
  bool in_turn() const;                          ///< one unit of a core does everything in turn
  Nanoseconds publishing(std::size_t told) const;
  TimePoint published_before(std::size_t core, std::size_t k) { return k == 0 ? TimePoint{} : (*this)[cores[core][k - 1]].published; }

  const TaskGraph& graph_;
  const Machine& machine_;
  const Design& design_;
  std::uint64_t seed_;
  Fluid fluid_;
  std::vector<bool> flowing_;
};

/// Throws if the clock has gone further than any of the tests' runs could.
void check_clock(TimePoint now);

}  // namespace tasktwin::oracles
