#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "models/base/random.hpp"
#include "sim/control/intake/successor_work.hpp"
#include "sim/control/state/control_hops.hpp"
#include "sim/engine/run_context.hpp"
#include "sim/engine/run_events.hpp"

namespace tasktwin::sim {

/// The control cores that resolve for the dispatchers: each a serial loop that takes all completions sent to it and visible,
/// resolves them, and puts the successors that are ready into the queues together. An empty inbox is looked at all the
/// time, or noticed late by a draw from 0 to the design's back-off. Dispatcher d sends to resolver d modulo their number.
class Resolvers final : public EventHandler {
 public:
  class Listener {
   public:
    /// `ready` come to the queues at `now`, a hop after they were resolved, and what waits for `events` learns that they are at zero.
    virtual void resolved(const std::vector<TaskId>& ready, const std::vector<TaskId>& events, TimePoint now) = 0;

   protected:
    ~Listener() = default;
  };

  Resolvers(const WiringInputs& inputs, EventSemaphores& semaphores, Listener& listener);

  bool any() const { return !resolvers_.empty(); }
  /// `dispatcher` has taken in the completion of `task` at `now`; it is visible a hop between control cores later.
  void send(std::uint32_t dispatcher, TaskId task, TimePoint now);

  void handle(EventKind kind, std::uint32_t subject, TimePoint now) override;

 private:
  struct Message {
    TaskId task;
    TimePoint visible;
  };
  struct Resolver {
    DispatcherId id{};
    std::deque<Message> inbox;
    Resolution at_work;
    TimePoint began{};  ///< with that
    bool parked = true;
  };

  void look_at(std::uint32_t which, TimePoint earliest);
  void walk(std::uint32_t which, TimePoint now);
  void finish(std::uint32_t which, TimePoint now);

  Calendar& calendar_;
  RunEvents& events_;
  Listener& listener_;
  ControlHops hops_;
  int backoff_ns_;
  Random random_;
  std::vector<Resolver> resolvers_;
  struct Batch {
    std::vector<TaskId> ready;
    std::vector<TaskId> events;
  };
  std::vector<Batch> handed_on_;
  std::unique_ptr<SuccessorWork> work_;
};

/// A dispatcher's part in that: it sends its completions, and resolves no successor itself.
class ToldByResolvers final : public SuccessorWork {
 public:
  explicit ToldByResolvers(Resolvers& resolvers) : resolvers_(resolvers) {}

  void tell(std::uint32_t /*who*/, std::span<const TaskId> /*completed*/, Resolution& /*found*/) override {}
  void released(std::uint32_t who, std::span<const TaskId> completed, TimePoint now) override {
    for (const TaskId task : completed) resolvers_.send(who, task, now);
  }
  Nanoseconds cost(const Resolution& /*found*/) const override { return Nanoseconds{0}; }

 private:
  Resolvers& resolvers_;
};

}  // namespace tasktwin::sim
