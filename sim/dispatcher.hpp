#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/timeline.hpp"
#include "sim/core.hpp"
#include "sim/event_semaphore.hpp"
#include "sim/owned_cores.hpp"
#include "sim/wirings.hpp"
#include "sim/work_queue.hpp"

namespace tasktwin::sim {

/// The control cores: each a serial loop over the compute cores it owns (core modulo the number of dispatchers), all on
/// one ready queue per core type. An iteration that begins at T
///   sees the completions written by T − completion_hop,
///   has taken them in and resolved their successors at t1: the ready among those enter the queue together,
///   hands over from t1 until t2: first one task to each idle core, then one to each core that holds one, and so on.
/// Which cores are idle or hold how many changes, for all dispatchers, at t1. An iteration that did nothing parks the
/// dispatcher: it goes on sweeping, and its next iteration is the first sweep that begins at or after a completion or
/// another dispatcher's push.
class Dispatchers final : public EventHandler, private Cores::Listener {
 public:
  explicit Dispatchers(const WiringInputs& inputs);

  /// The roots are ready; every dispatcher begins at 0.
  void begin();

  void handle(EventKind kind, std::uint32_t subject, TimePoint now) override;

 private:
  struct Visible {
    TimePoint time;
    std::uint32_t core;
    friend auto operator<=>(const Visible&, const Visible&) = default;
  };
  struct Seen {
    std::uint32_t core;
    TaskId task;
  };
  struct Dispatcher {
    explicit Dispatcher(OwnedCores cores) : owned(std::move(cores)) {}

    OwnedCores owned;
    Nanoseconds sweep{};
    std::vector<Visible> completions;  ///< known and not yet seen; a binary heap, the earliest first
    TimePoint began{};                 ///< the iteration under way, or the last one
    std::vector<Seen> seen;            ///< in it
    std::vector<TaskId> ready;         ///< the successors it found ready, not yet pushed
    bool parked = false;
    TimePoint sweeps_from{};  ///< where its idle sweeps begin, while parked
    TimePoint next{};         ///< when the next iteration begins; kAbsent while nothing is known to wake it
  };
  struct Mailbox {
    std::array<TaskId, kMaxMailboxDepth> tasks{};  ///< handed over, completion not yet seen; a ring
    std::uint32_t first = 0;
    std::uint32_t count = 0;
  };

  void iterate(std::uint32_t id, TimePoint now);
  void release(std::uint32_t id, TimePoint now);
  void hand_over(std::uint32_t id, TimePoint now);
  Duration handing_over(int nth) const;
  bool hand_next(std::uint32_t id, std::uint32_t core, TimePoint now, int already);
  void park(std::uint32_t id, TimePoint now);
  void wake(std::uint32_t id, TimePoint at);
  void wake_others(std::uint32_t id, std::uint32_t pushed_types, TimePoint now);
  void begin_next(std::uint32_t id, TimePoint at);
  bool may_fill(CoreType type) const;
  std::int64_t rounds(std::size_t items) const { return (static_cast<std::int64_t>(items) + lanes_ - 1) / lanes_; }
  void will_publish(CoreId core, TaskId task, TimePoint slot_free, TimePoint published) override;

  const TaskGraph& graph_;
  const Design& design_;
  const Constants& constants_;
  Calendar& calendar_;
  Timeline& timeline_;
  std::int64_t lanes_;
  Duration mailbox_hop_;
  Duration completion_hop_;
  EventSemaphores semaphores_;
  WorkQueues queues_;
  Cores cores_;
  std::vector<Mailbox> mailboxes_;                ///< by CoreId
  std::array<int, kCoreTypeCount> idle_cores_{};  ///< nothing outstanding, over all dispatchers
  std::vector<Dispatcher> dispatchers_;
};

}  // namespace tasktwin::sim
