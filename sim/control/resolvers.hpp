#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "models/random.hpp"
#include "models/row_head.hpp"
#include "sim/control/control_log.hpp"
#include "sim/control/counter_walks.hpp"
#include "sim/engine/run_context.hpp"
#include "sim/queues/event_semaphore.hpp"

namespace tasktwin::sim {

/// What one control core resolves at a time: completions whose successors it tells. One of several lanes tells the heads of all rows first,
/// and then what lies beyond them.
struct Resolution {
  std::int64_t rows = 0;             ///< completed tasks that have successors, if working on the head of their row takes time of its own
  std::int64_t beyond = 0;           ///< their successors that do not come with the row's head
  std::int64_t spawned = 0;          ///< of their successors
  std::int64_t spawned_by = 0;       ///< rows whose heads hold some of them
  std::int64_t in_heads = 0;         ///< so many of them
  std::vector<TaskId> ready;         ///< the successors that this made ready
  std::size_t by_heads = 0;          ///< so many of them, the first, by the heads of rows
  std::vector<std::size_t> by_head;  ///< of each completed task in turn

  void clear();
  void tell(const TaskGraph& graph, EventSemaphores& semaphores, std::span<const TaskId> completed, std::int64_t lanes);
  /// Telling them is a matter of CounterWalks, and no part of the cost.
  void tell_apart() { rows = beyond = 0; }
  /// (⌈rows / lanes⌉ + ⌈beyond / lanes⌉) resolve + ⌈ready / lanes⌉ enqueue, walk where several lanes find anything beyond heads, and
  /// control_spawn for each lot of spawned ones: of several lanes for as many heads of rows, and for as many tasks beyond heads. The head
  /// of a row is kRowHead successors where there are several lanes, else one.
  Nanoseconds cost(const AsRun& constants, std::int64_t lanes) const;

 private:
  void tell_one(const TaskGraph& graph, EventSemaphores& semaphores, TaskId completed, TaskId successor);
};

/// The control cores that resolve for the dispatchers: each a serial loop that takes all completions sent to it and visible,
/// resolves them, and puts the successors that are ready into the queues together. An empty inbox is looked at all the
/// time, or noticed late by a draw from 0 to the design's back-off. Dispatcher d sends to resolver d modulo their number.
class Resolvers final : public EventHandler {
 public:
  class Listener {
   public:
    /// `ready` stand in the queues from `now` on.
    virtual void resolved(const std::vector<TaskId>& ready, TimePoint now) = 0;

   protected:
    ~Listener() = default;
  };

  Resolvers(const WiringInputs& inputs, EventSemaphores& semaphores, ControlLog& log, Listener& listener);

  bool any() const { return !resolvers_.empty(); }
  /// `dispatcher` has taken in the completion of `task` at `now`; it is visible control_hop later.
  void send(std::uint32_t dispatcher, TaskId task, TimePoint now);

  void handle(EventKind kind, std::uint32_t subject, TimePoint now) override;

 private:
  struct Message {
    TaskId task;
    TimePoint visible;
  };
  struct Resolver {
    std::uint32_t id = 0;  ///< DispatcherId
    std::deque<Message> inbox;
    Resolution at_work;
    TimePoint began{};  ///< with that
    bool parked = true;
  };

  void look_at(std::uint32_t which, TimePoint earliest);
  void walk(std::uint32_t which, TimePoint now);
  void finish(Resolver& resolver, std::uint32_t which, TimePoint now);

  const TaskGraph& graph_;
  const AsRun& constants_;
  Calendar& calendar_;
  EventSemaphores& semaphores_;
  ControlLog& log_;
  Listener& listener_;
  std::int64_t lanes_;
  Duration hop_;
  int backoff_ns_;
  Random random_;
  std::vector<Resolver> resolvers_;
  std::optional<CounterWalks> walks_;  ///< where there are several, of one lane
};

}  // namespace tasktwin::sim
