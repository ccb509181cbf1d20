#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "models/design/design.hpp"
#include "models/machine/machine.hpp"
#include "sim/control/hand_over/hand_over.hpp"
#include "sim/control/intake/intake.hpp"
#include "sim/control/intake/iteration.hpp"
#include "sim/control/intake/successor_work.hpp"
#include "sim/control/parking.hpp"
#include "sim/control/ready_tasks.hpp"
#include "sim/control/state/fill_rules.hpp"
#include "sim/engine/run_events.hpp"

namespace tasktwin::sim {

/// In which order a control core goes through the stages of its loop, and when each begins: taking in completions, telling successors in
/// steps, pushing what is ready in groups, releasing, handing over in rounds. A stage is an event of its own where another control core may
/// act in between; a single one runs through its iteration at once.
class ControlLoop {
 public:
  /// Contract: outlives this.
  struct Parts {
    Calendar& calendar;
    EventHandler& handler;  ///< of stages; passes them on to handle
    const CoreShares& shares;
    FillRule& fill;
    SuccessorWork& work;
    Intake& intake;
    ReadyTasks& ready;
    HandOver& hand_over;
    Parking& parking;
    EarlyTasks& early;
    Deliveries& deliveries;
    RunEvents& events;
  };
  /// `count`: from the release of completions until it looks at the queue. `others`: there are control cores besides the dispatchers.
  ControlLoop(const Parts& parts, Nanoseconds count, bool others);

  void begin(TimePoint opened);
  /// A stage of control core `id`, or one of the events of Parking.
  void handle(EventKind kind, std::uint32_t id, TimePoint now);

 private:
  struct Stage {
    EventKind kind;
    TimePoint begin;
  };
  /// Returns the next one; nothing once the iteration is over.
  std::optional<Stage> run(EventKind kind, std::uint32_t id, TimePoint now);
  Stage take_in(std::uint32_t id, TimePoint now);
  Stage tell(std::uint32_t id, TimePoint now);
  Stage resolved(std::uint32_t id, TimePoint at);
  TimePoint ring(Iteration& iteration, TimePoint now);
  Stage push_next(const Iteration& iteration) const;
  Stage push_group(std::uint32_t id, TimePoint now);
  Stage release(std::uint32_t id, TimePoint now);
  std::optional<Stage> hand_over(std::uint32_t id, TimePoint now);
  void end(std::uint32_t id, TimePoint now);
  void tell_steps(std::uint32_t id, const Iteration& iteration) const;

  Parts parts_;
  Duration count_;
  bool alone_;                         ///< no other control core acts between two stages
  std::vector<Iteration> iterations_;  ///< by control core
};

}  // namespace tasktwin::sim
