#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <simgrid/kernel/resource/Model.hpp>

#include "models/base/units.hpp"

namespace tasktwin::sim {

/// What happens. Events of one nanosecond happen in the order of this list, then by subject, then as scheduled.
enum class EventKind : std::uint8_t {
  kCopyMoves,        ///< a copy's bytes begin to move; subject: its launch
  kCopyEnd,          ///< all its bytes have; subject: its launch
  kReadMoves,        ///< a block's loads from other devices' memory begin to arrive; subject: the block
  kReadEnd,          ///< some block has all that it reads in a device's memory; subject: that device
  kCollectiveMoves,  ///< its bytes begin to move; subject: its number
  kCollectiveEnd,    ///< all its ranks have ended; subject: its number
  kHostTask,         ///< a function of the host has run; subject: its launch
  kBodyGone,         ///< a body leaves a core that others share; subject: the runner
  kFlowStart,        ///< a body begins to draw on the memory; subject: the task
  kFlowEnd,          ///< the next flow may be through
  kBodyWork,         ///< a body on a core that others share may be through with its work; subject: the core
  kPrologue,         ///< a block that waits on the device for its kernel's predecessors begins what needs none of them; subject: the block
  kBlockFed,         ///< a block that has room is there; subject: the block
  kBodyEnd,          ///< a kernel's body, or its prologue, has ended; subject: the block
  kBatchTold,        ///< some of a task's successors know of its completion; subject: the task
  kPublished,        ///< a completion is written; subject: the task
  kPassed,           ///< the worker that counted an event down to zero has counted down what waits for it; subject: the event
  kSlotFree,         ///< a place in a core's mailbox is free; subject: the core
  kWindow,           ///< an orchestrator sees room in its window; subject: which one
  kSubmitted,        ///< it has submitted a task
  kInbox,            ///< a resolver looks at what it was sent; subject: which one
  kResolved,         ///< it has resolved that
  kArrived,          ///< what an orchestrator or resolver has handed on can be seen; subject: the task, or which batch
  kIteration,        ///< a dispatcher begins an iteration; subject: the dispatcher
  kLook,             ///< an idle one looks at the ready queue; subject: which one
  kCounters,         ///< it, or a resolver, comes to the next cache line of counters; subject: which one
  kRelease,          ///< it has resolved what it saw
  kHandOver,         ///< it hands tasks over
  kPushed,           ///< a task is in a ready queue, or a dispatcher has found some; subject: the task or dispatcher
  kStolen,           ///< a thief has what it took; subject: the core
  kClaim,            ///< a core's claim reaches the shared queue, or it looks for a task; subject: the core
  kHost,             ///< a host function has run, or the host can launch again; subject: the launch, or their number
  kReplay,           ///< the graph is run again
  kPlace,            ///< room has come free for blocks that wait for a core
  kStartable,        ///< a kernel may be handed to the device; subject: its place in the order of launches
  kTrigger,          ///< a block has come to where it lets the next kernel come; subject: the block
  kEndSeen,          ///< what waits for a kernel of several blocks sees its end; subject: its place in the order of launches
  kComes,            ///< a kernel that waits there for others comes onto the device; subject: its place in the order of launches
};

class EventHandler {
 public:
  virtual void handle(EventKind kind, std::uint32_t subject, TimePoint now) = 0;

 protected:
  ~EventHandler() = default;
};

/// Whether the calendar may process its events without returning to the engine for each.
enum class RunAhead : std::uint8_t {
  kWhenAlone,  ///< while nothing else in the engine can happen
  kNever,      ///< the engine's clock is right in every event: for parts that start activities of SimGrid's own
};

/// The events of a run, at whole nanoseconds: SimGrid's engine asks it for its next date and calls it when that has come,
/// as it does with every resource model. One second of the engine's clock is one nanosecond of the run.
class Calendar final : public simgrid::kernel::resource::Model {
 public:
  Calendar();

  /// Forgets all events; times of the run to come count from the engine's present date. `interrupted`: SimulationOptions has it.
  void begin_run(std::function<bool()> interrupted = {});

  /// Contract: `time` is not before the event being handled. Past the last date that a double holds exactly: throws InputError, or
  /// RunError where it is earlier runs of the process that have come so far.
  void schedule(TimePoint time, EventKind kind, std::uint32_t subject, EventHandler& handler);

  /// What a run that is continued from between two events needs of it.
  struct State;
  State state() const;
  /// Contract: after begin_run(). Each handler of an event to come was from[i], and is to[i].
  void resume(const State& state, std::span<EventHandler* const> from, std::span<EventHandler* const> to);
  /// Until the next run, `pause` is called between events, each time that so many have been handled.
  void pause_each(std::uint32_t events, std::function<void()> pause);
  std::uint64_t handled() const { return handled_; }  ///< events of this run, without those before the one that it continues from

  /// The first whole nanosecond of the run at or after the engine's date `date`; not before the latest event.
  TimePoint next_whole(double date) const;

  /// Of the latest event.
  TimePoint now() const { return now_; }
  /// Whether no further event is scheduled for that time.
  bool is_last_of_now() const { return events_.empty() || events_.front().time > now_; }

  void set_run_ahead(RunAhead run_ahead) { run_ahead_ = run_ahead; }
  std::uint64_t rounds() const { return rounds_; }  ///< times the engine has handed over, since begin_run

  double next_occurring_event(double now) override;
  void update_actions_state(double now, double delta) override;

 private:
  struct Event {
    TimePoint time;
    std::uint64_t order;  ///< kind, then subject
    std::uint64_t sequence;
    EventHandler* handler;
  };
  struct Later {
    bool operator()(const Event& a, const Event& b) const {
      if (a.time != b.time) return a.time > b.time;
      if (a.order != b.order) return a.order > b.order;
      return a.sequence > b.sequence;
    }
  };

  [[noreturn]] void refuse(TimePoint time) const;
  bool alone() const;
  void between_events();

  std::vector<Event> events_;  ///< a binary heap, the next event first
  std::uint64_t next_sequence_ = 0;
  std::uint64_t rounds_ = 0;
  double base_ = 0;  ///< the engine's date at the run's origin
  TimePoint now_{};  ///< of the latest event
  RunAhead run_ahead_ = RunAhead::kWhenAlone;
  std::function<bool()> interrupted_;
  std::function<void()> pause_;
  std::uint32_t each_ = 0;  ///< pause_ is called after so many events; 0 for never
  std::uint64_t handled_ = 0;
  std::uint64_t next_stop_ = 0;  ///< of handled_, when one of them is due
  std::uint64_t next_pause_ = 0;
  std::uint64_t next_question_ = 0;
};

struct Calendar::State {
  std::vector<Event> events;
  std::uint64_t next_sequence = 0;
  TimePoint now{};
};

}  // namespace tasktwin::sim
