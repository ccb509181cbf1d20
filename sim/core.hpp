#pragma once

#include <array>
#include <vector>

#include "models/design.hpp"
#include "models/timeline.hpp"
#include "sim/bodies.hpp"

namespace tasktwin::sim {

/// What publishing a task's completion takes, by its number of successors.
struct PublishCost {
  Nanoseconds fixed{};
  Nanoseconds per_successor{};
  Nanoseconds without_successors{};

  static PublishCost to_dispatcher(const Constants& c) { return {c.publish, Nanoseconds{0}, c.publish}; }
  static PublishCost to_counters(const Constants& c) { return {c.release, c.release_per_successor, c.retire}; }
  static PublishCost to_shared_queue(const Constants& c) {
    return {c.release + c.push, c.release_per_successor + c.push_per_successor, c.retire};
  }

  Duration of(std::size_t successors) const {
    return round_ns(successors == 0 ? without_successors : fixed + static_cast<double>(successors) * per_successor);
  }
};

/// The persistent compute cores, each a pipeline: a mailbox, a unit that runs bodies, a unit that publishes completions.
///   started(k)   = max(received(k), ended(k−1)) + start
///   published(k) = max(ended(k), published(k−1)) + publish
/// and task k leaves the mailbox when the publishing unit takes it: slot free(k) = max(ended(k), published(k−1)).
class Cores final : private Bodies::Listener {
 public:
  class Listener {
   public:
    /// Told as soon as it is certain, at or before `slot_free`; `published` is at or after that.
    virtual void will_publish(CoreId core, TaskId task, TimePoint slot_free, TimePoint published) = 0;

   protected:
    ~Listener() = default;
  };

  /// `costs` by TaskId.
  Cores(Calendar& calendar, const TaskGraph& graph, const Machine& machine, const PublishCost& publish, std::span<const BodyCost> costs,
        Timeline& timeline, Listener& listener);

  /// `task` is in the core's mailbox at `received`, now or later. Contract: in the order of `received` on each core, and
  /// never more than the mailbox holds.
  void receive(CoreId core, TaskId task, TimePoint received);

 private:
  struct Core {
    TimePoint ended{};
    TimePoint published{};
    std::array<TaskId, kMaxMailboxDepth> mailbox{};  ///< received, end not yet certain; a ring
    std::uint8_t first = 0;
    std::uint8_t count = 0;
    bool running = false;  ///< the first of them has started, its end depends on other bodies
  };

  void body_ended(TaskId task, TimePoint end) override;
  void run(CoreId id);
  void finish(CoreId id, TaskId task, TimePoint end);

  const TaskGraph& graph_;
  Timeline& timeline_;
  Listener& listener_;
  Bodies bodies_;
  std::vector<Core> cores_;
  Duration start_;
  PublishCost publish_;
};

}  // namespace tasktwin::sim
