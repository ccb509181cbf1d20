#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "models/random.hpp"
#include "models/timeline.hpp"
#include "sim/control/control_log.hpp"
#include "sim/control/core_shares.hpp"
#include "sim/control/dispatch_queues.hpp"
#include "sim/control/orchestrators.hpp"
#include "sim/control/resolvers.hpp"
#include "sim/cores/core.hpp"
#include "sim/engine/run_context.hpp"
#include "sim/queues/event_semaphore.hpp"

namespace tasktwin::sim {

/// The control cores that hand out tasks, each a serial loop over the compute cores it looks after. An iteration that begins
/// at T
///   polls its cores (a sweep) and sees the completions written by T − completion_hop: all of them, or, in an interleaved
///   loop, the next one after the core it came to last, having polled no further than that;
///   has taken them in (where it has several lanes, with the heads of their rows) and resolved their successors at t1, or sent them to a
///   resolver: the ready among those enter the queues together, or, where it has several lanes, as many at a time as it has, one group
///   after the other from the taking in until t1;
///
///   hands over from t1 until t2: first a `mix` task to each idle cluster, then one task to each idle core, then one to each
///   core that holds one, and so on as far as the fill rule lets it; or each task to the core that a placement chooses. A
///   claim of a fixed size, or a theft, is a round of its own;
///
///   and ends `round` later if it did anything.
///
/// Where there is one queue, without a lock, for cores of one type that one dispatcher each looks after, tasks need not go through it. If a
/// dispatcher that sees completions has idle cores for all that wait as its iteration begins, those get it (`claim`, before completions are
/// taken in), and what heads make ready then goes to the idle cores left, which spares `enqueue` and `claim`. A core whose completion makes
/// tasks ready gets one of them; finding cores for the others takes `pass_on` for each turn in which every completion passes on one. Only
/// where something is left, or may lie beyond heads, does it take from the queue in that iteration. And if it may give tasks to cores that
/// hold one, and there are enough for all cores with room, each core's stand next to each other in the queue.
///
/// A task that needs several cores at once and stands first waits until the dispatcher has as many idle; those of its type
/// behind it wait too. Which cores are idle or hold how many changes at t1, for other dispatchers once the iteration is over. An
/// iteration that did nothing parks the dispatcher: it goes on sweeping, and its next iteration is the first sweep that begins at or
/// after a completion; after another's push it looks at the queue as soon as the sweep under way is over (both noticed late by a draw from
/// 0 to the design's back-off).
///
/// Several threads of the host take turns at the lock of their queue. What another has pushed takes one host_queue_fetch longer to claim
/// than what it has pushed itself, and an operation on a queue where no other has been since takes one host_queue_reuse less; who has
/// pushed looks only once it has counted its completions (host_count), so that an idle one is often there first; and who looks while
/// another takes the last tasks waits for the lock to find none.
class Dispatchers final : public EventHandler, private Cores::Listener, private Resolvers::Listener, private Orchestrators::Listener {
 public:
  explicit Dispatchers(const WiringInputs& inputs);

  /// The roots are ready, unless orchestrators make them known; every control core begins at `opened`.
  void begin(TimePoint opened = {});

  void handle(EventKind kind, std::uint32_t subject, TimePoint now) override;

 private:
  struct Seen {
    std::uint32_t core;
    TaskId task;
    bool last_block;
  };
  struct Dispatcher {
    std::uint32_t share = 0;
    TimePoint began{};              ///< the iteration under way, or the last one
    std::vector<Seen> seen;         ///< in it
    std::vector<TaskId> completed;  ///< of those, whose last blocks they are
    Resolution resolution;          ///< of these
    std::size_t pushed = 0;         ///< of the ready ones, already
    std::int64_t handed = 0;
    std::int64_t freed = 0;         ///< cores whose last task is among those seen
    std::vector<TaskId> given;      ///< to its own idle cores, not from the queue as it hands over
    Nanoseconds serving{};          ///< of that time, spent on what waited
    Nanoseconds taken_in{};         ///< from the iteration's begin until it goes on to their successors
    bool takes = true;              ///< from the queue, when it hands over
    DispatchQueues::Theft theft{};  ///< under way
    std::size_t cursor = 0;         ///< where an interleaved sweep goes on
    Nanoseconds sweep{};            ///< of the latest iteration
    bool parked = false;
    TimePoint sweeps_from{};   ///< where its idle sweeps begin, while parked
    TimePoint next{};          ///< when the next iteration begins; kAbsent while nothing is known to wake it
    TimePoint look = kAbsent;  ///< while parked, when it looks at the ready queue next

    void begin(TimePoint now);  ///< an iteration
  };
  struct Mailbox {
    std::array<TaskId, kMaxMailboxDepth> tasks{};  ///< handed over, completion not yet seen; a ring
    std::uint32_t first = 0;                       ///< where the next completion belongs
    std::uint32_t next = 0;                        ///< where the next task goes
    std::uint32_t count = 0;                       ///< as all dispatchers know it
    std::uint32_t seen = 0;                        ///< of them, completions that a dispatcher is taking in
  };
  /// Tasks handed over together.
  struct Round {
    TimePoint begin;
    Duration in_queues{};  ///< spent on queue operations
    Nanoseconds claim{};   ///< spent on taking from the queue
    std::int64_t handed = 0;
    std::int64_t limit = 0;
    std::uint32_t blocked = 0;  ///< types whose first task waits for more idle cores, as bits
    std::uint32_t charged = 0;  ///< types of the queue already operated on, as bits
  };

  static std::vector<Dispatcher> make_dispatchers(std::size_t count, const CoreShares& shares, ControlLog& log);

  // The loop (dispatcher.cpp).
  void iterate(std::uint32_t id, TimePoint now);
  void walk(std::uint32_t id, TimePoint now);
  void resolve_until(std::uint32_t id, TimePoint resolved);
  void see(Dispatcher& dispatcher, std::uint32_t core);
  void see_next(Dispatcher& dispatcher, CoreShare& share);
  std::int64_t idle_cores(const Dispatcher& dispatcher) const;
  void serve_waiting(Dispatcher& dispatcher);
  Nanoseconds pass_by(Dispatcher& dispatcher);
  Nanoseconds sweep_of(std::size_t cores) const { return constants_.control.poll + static_cast<double>(rounds(cores)) * constants_.control.poll_per_core; }
  TimePoint release(std::uint32_t id, TimePoint now);
  void end_iteration(std::uint32_t id, TimePoint now);
  void push_in_groups(std::uint32_t id, TimePoint begin, TimePoint end);
  void push_group(std::uint32_t id, TimePoint now);
  Nanoseconds coming_to_queue(std::optional<std::uint32_t> by, Nanoseconds from_another);
  TimePoint push(std::optional<std::uint32_t> by, std::span<const TaskId> ready, TimePoint now);
  void park(std::uint32_t id, TimePoint now);
  void wake(std::uint32_t id, TimePoint at);
  TimePoint idle_sweep_end(std::uint32_t id, TimePoint at);
  void look_at_queue(std::uint32_t id, TimePoint now);
  void tell_idle(std::uint32_t id, TimePoint now);
  void wake_takers(std::optional<std::uint32_t> by, const DispatchQueues::Pushed& pushed, TimePoint now);
  void wake_others_of_share(std::uint32_t id, TimePoint now);
  void begin_next(std::uint32_t id, TimePoint at);
  void log_iteration(std::uint32_t id, TimePoint resolved);

  // Handing over (hand_over.cpp).
  std::optional<TimePoint> hand_over(std::uint32_t id, TimePoint now);
  bool comes_late(std::uint32_t id, TimePoint now) const;
  void hand_to_clusters(std::uint32_t id, Round& round);
  void hand_by_level(std::uint32_t id, Round& round);
  void hand_by_policy(std::uint32_t id, Round& round);
  void hand_given(std::uint32_t id, Round& round);
  bool fills_ahead(std::uint32_t id) const;
  bool fill_up(std::uint32_t id, Round& round);
  bool hand_next(std::uint32_t id, std::uint32_t core, std::uint32_t level, Round& round);
  void hand_gang(std::uint32_t id, std::size_t shard, CoreType type, std::span<const std::uint32_t> cores, Round& round);
  void claim(std::uint32_t id, std::size_t shard, CoreType type, Round& round);
  TaskId take(std::uint32_t id, std::size_t shard, CoreType type, Round& round);
  void hand(std::uint32_t id, std::uint32_t core, TaskId task, Round& round);
  DispatchQueues::Theft steal(std::uint32_t id, TimePoint now);
  std::int64_t claim_limit() const;
  bool may_fill(std::uint32_t id, CoreType type) const;
  std::uint32_t left() const { return static_cast<std::uint32_t>(known_ - handed_); }  ///< blocks to hand over
  Duration handing_over(const Round& round, std::int64_t nth) const;
  std::int64_t rounds(std::size_t items) const { return (static_cast<std::int64_t>(items) + lanes_ - 1) / lanes_; }

  void will_publish(CoreId core, TaskId task, TimePoint slot_free, TimePoint published) override;
  void resolved(const std::vector<TaskId>& ready, TimePoint now) override { push(std::nullopt, ready, now); }
  void submitted(TaskId task, TimePoint now) override;

  const TaskGraph& graph_;
  const Design& design_;
  const AsRun& constants_;
  std::span<const Duration> durations_;
  std::uint64_t chance_;
  Calendar& calendar_;
  Timeline& timeline_;
  ControlLog log_;
  std::int64_t lanes_;
  Random random_;
  CoreShares shares_;
  EventSemaphores semaphores_;
  std::vector<DispatchQueues::Load> loads_;  ///< by CoreId
  DispatchQueues queues_;
  std::unique_ptr<CorePolicy> policy_;  ///< of a placement that chooses among the cores with room
  Cores cores_;
  std::vector<Mailbox> mailboxes_;     ///< by CoreId
  std::vector<bool> has_had_task_;     ///< by CoreId
  std::vector<TimePoint> received_;    ///< by CoreId: the latest, where hops vary
  std::vector<CoreCounts> told_idle_;  ///< by share: cores with nothing outstanding, as all dispatchers know it
  std::vector<int> blocks_handed_;     ///< by TaskId; tasks of several blocks that start apart
  std::vector<Dispatcher> dispatchers_;
  Resolvers resolvers_;
  Orchestrators orchestrators_;
  std::optional<CounterWalks> walks_;           ///< where several dispatchers of one lane decrement counters
  std::size_t known_ = 0;                       ///< blocks
  std::size_t handed_ = 0;                      ///< blocks
  bool alone_;                                  ///< one dispatcher and no other control core
  bool weighs_loads_;                           ///< somebody asks what a core has to do
  bool wide_;                                   ///< some tasks occupy several cores
  bool passes_by_;                              ///< tasks need not go through the queue
  bool host_threads_;                           ///< several of the host's, with one queue under a lock:
  TimePoint emptied_{};                         ///< when whoever took its last task lets others know
  std::optional<std::uint32_t> last_at_queue_;  ///< who pushed or took last
};

}  // namespace tasktwin::sim
