#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "models/base/random.hpp"
#include "sim/control/state/core_shares.hpp"
#include "sim/control/state/dispatch_queues.hpp"
#include "sim/control/state/fill_rules.hpp"
#include "sim/engine/calendar.hpp"

namespace tasktwin::sim {

/// When a control core begins its next iteration. One that found nothing to do is parked: it continues sweeping, and notices a completion
/// by the first sweep that begins at or after it, and another's push as soon as the sweep in flight is over; both late by a draw from 0 to
/// the back-off.
class Parking {
 public:
  /// `loop` receives kIteration and kLook. Contract: what is passed by reference outlives this.
  Parking(Calendar& calendar, EventHandler& loop, const CoreShares& shares, const DispatchQueues& queues, const FillRule& fill,
          Duration backoff, std::uint64_t chance);

  /// Whether an event of kIteration, or of kLook, at `now` is the one that is due: the control core may have been woken earlier.
  bool begins(std::uint32_t id, TimePoint now) const { return waiting_[id].next == now; }
  bool looks(std::uint32_t id, TimePoint now) const { return waiting_[id].parked && waiting_[id].look == now; }

  void begin_next(std::uint32_t id, TimePoint at);
  void park(std::uint32_t id, TimePoint now, Duration sweep);
  /// It has something to do.
  void unpark(std::uint32_t id);

  /// A core of `share` will have a completion that can be seen at `visible`.
  void completion(const CoreShare& share, TimePoint visible);
  /// Cores that have become free let the other dispatchers that own them hand over waiting tasks.
  void cores_freed(std::uint32_t by, TimePoint now);
  /// Those parked that have room for tasks of these types (bits), which may be handed over early from now on, look.
  void found_early(std::optional<std::uint32_t> by, std::uint32_t types, TimePoint now);
  /// Those parked that could take what `by` has pushed, in the state at `now`, look at the queue.
  void pushed(std::optional<std::uint32_t> by, const DispatchQueues::Pushed& pushed, TimePoint now);

 private:
  struct Waiting {
    bool parked = false;
    TimePoint sweeps_from{};   ///< where its idle sweeps begin, while parked
    Duration sweep{};          ///< how long one takes
    TimePoint next = kAbsent;  ///< when the next iteration begins; kAbsent while nothing is known to wake it
    TimePoint look = kAbsent;  ///< while parked, when it looks at the ready queue next
  };

  void wake(std::uint32_t id, TimePoint at);
  bool takes(std::uint32_t id, const DispatchQueues::Pushed& pushed) const;
  bool has_room(std::uint32_t id, CoreType type) const;
  void look(Waiting& waiting, std::uint32_t id, TimePoint now);
  TimePoint idle_sweep_end(const Waiting& waiting, TimePoint at);

  Calendar& calendar_;
  EventHandler& loop_;
  const CoreShares& shares_;
  const DispatchQueues& queues_;
  const FillRule& fill_;
  Duration backoff_;
  Random random_;
  std::vector<Waiting> waiting_;  ///< by control core
};

}  // namespace tasktwin::sim
