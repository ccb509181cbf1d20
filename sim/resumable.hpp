#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "models/base/sparse.hpp"
#include "models/policies/policies.hpp"
#include "sim/engine/calendar.hpp"

namespace tasktwin::sim {

/// By what the inputs of a run differ from those of one before.
struct Change {
  const TaskGraph& before;                            ///< its graph
  const FrozenSchedule& lists_before;                 ///< its lists
  std::vector<TaskId> times;                          ///< whose bodies take another time
  std::vector<std::pair<TaskId, TaskId>> edges;       ///< that are in one of the two graphs alone
  std::vector<std::pair<CoreId, std::size_t>> lists;  ///< a core, and the place from which on its list is another
};

/// A wiring whose runs can be continued from between two of their events, under other inputs, if what differs was not asked for before.
class Resumable {
 public:
  /// Of a run between two events, all that a wiring needs to continue.
  struct State {
    virtual ~State() = default;
    /// Until then it may have been asked which tasks are ready; the event before, or later.
    TimePoint horizon{};
    Sparse<std::uint32_t> taken{0};  ///< by CoreId: tasks of its list that its core has come to
  };
  virtual std::unique_ptr<const State> state() const = 0;
  /// In place of begin(). Contract: `state` is of the same wiring of inputs that differ by `change` alone.
  virtual void resume(const State& state, const Change& change) = 0;
  /// Who handles its events, always in the same order.
  virtual std::vector<EventHandler*> handlers() = 0;

 protected:
  ~Resumable() = default;
};

}  // namespace tasktwin::sim
