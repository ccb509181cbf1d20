#include <algorithm>

#include "models/policies.hpp"
#include "sim/backoff.hpp"
#include "sim/workers.hpp"

namespace tasktwin::sim {

namespace {

PublishCost publish_cost(const Design& design, const Constants& c) {
  if (design.notification == Notification::kCounter) return PublishCost::to_counters(c);
  return {c.release, Nanoseconds{0}, c.retire};  // one flag or one semaphore, however many wait for it
}

/// Each core walks its own list, written beforehand. A fetch that begins at f goes on to the task's entry at e = f + list_read, then
/// waits until its predecessors are done; `ready` is the last one's completion written.
///   no predecessors   received = e
///   counter           received = max(e + read_latency, ready + counter_hop): the first read of the counter may do
///   flag              reads the flags in the order of predecessors, 32 at once, for read_latency or until flag_hop after the last
///                     of them is written
///   semaphore         received = max(e, ready + semaphore_hop)
/// A task that an orchestrator makes known waits for that too, as for one more predecessor; its flag is read first. Who had
/// to wait notices late by a back-off.
class StaticQueues final : public Workers {
 public:
  explicit StaticQueues(const WiringInputs& inputs)
      : Workers(inputs, publish_cost(inputs.design, inputs.machine.constants)),
        schedule_(frozen_schedule(inputs.graph, inputs.machine, inputs.design, inputs.replayed)),
        notification_(inputs.design.notification),
        list_read_(inputs.machine.constants.list_read),
        read_latency_(inputs.machine.constants.read_latency),
        entry_(round_ns(list_read_)),
        counter_read_(round_ns(list_read_ + read_latency_)),
        counter_hop_(round_ns(inputs.machine.constants.counter_hop)),
        flag_hop_(round_ns(inputs.machine.constants.flag_hop)),
        semaphore_hop_(round_ns(inputs.machine.constants.semaphore_hop)),
        backoff_(inputs.design, inputs.seed),
        next_(count()) {
    if (inputs.design.graph_build == GraphBuild::kDevice) known_.resize(graph_.size());
  }

 private:
  void has_room(CoreId core) override {
    std::uint32_t& next = next_[index(core)];
    const std::vector<TaskId>& list = schedule_[index(core)];
    while (next < list.size()) {
      const std::optional<TimePoint> begin = fetch(core).begin();
      if (!begin) return;
      const TaskId task = list[next++];
      TaskTimes& times = timeline_.tasks[index(task)];
      times.dispatched = *begin;
      times.core = core;
      if (!open(task)) return;  // its release goes on from here
      get(core, task);
    }
  }

  void released(TaskId task, CoreId /*by*/, TimePoint /*now*/) override {
    const TaskTimes& times = timeline_.tasks[index(task)];
    if (!is_present(times.dispatched)) return;  // its core has not come to it
    const CoreId core = times.core;
    get(core, task);
    has_room(core);
  }

  void known(TaskId task, TimePoint now) override { known_[index(task)] = now; }

  void get(CoreId core, TaskId task) {
    const TimePoint begin = timeline_.tasks[index(task)].dispatched;
    if (graph_.in_degree(task) == 0 && known_.empty()) return receive(core, task, begin, begin + entry_);
    const auto [looked, seen] = looks(task, begin);
    receive(core, task, begin, seen > looked ? seen + backoff_.draw(index(core), index(task)) : looked);
  }

  struct Looks {
    TimePoint looked;  ///< through, had nothing to wait for
    TimePoint seen;    ///< through, as it is
  };
  Looks looks(TaskId task, TimePoint begin) const {
    const TimePoint ready = timeline_.tasks[index(task)].ready;
    switch (notification_) {
      case Notification::kFlag:
        return flags(task, begin);
      case Notification::kSemaphore:
        return {begin + entry_, std::max(begin + entry_, ready + semaphore_hop_)};
      default:
        return {begin + counter_read_, std::max(begin + counter_read_, ready + counter_hop_)};
    }
  }

  Looks flags(TaskId task, TimePoint begin) const {
    Nanoseconds looked = list_read_;  // both from `begin`
    Nanoseconds seen = list_read_;
    const auto read = [&](TimePoint written) {
      looked += read_latency_;
      seen = std::max(seen + read_latency_, Nanoseconds{written + flag_hop_ - begin});
    };
    if (!known_.empty()) read(known_[index(task)]);
    const auto predecessors = graph_.predecessors(task);
    for (auto next = predecessors.begin(); next != predecessors.end();) {
      TimePoint last = kAbsent;
      for (int i = 0; i < kFlagsAtOnce && next != predecessors.end(); ++i, ++next)
        last = std::max(last, timeline_.tasks[index(*next)].published);
      read(last);
    }
    return {begin + round_ns(looked), begin + round_ns(seen)};
  }

  static constexpr int kFlagsAtOnce = 32;

  FrozenSchedule schedule_;
  Notification notification_;
  Nanoseconds list_read_;
  Nanoseconds read_latency_;
  Duration entry_;
  Duration counter_read_;
  Duration counter_hop_;
  Duration flag_hop_;
  Duration semaphore_hop_;
  Backoff backoff_;
  std::vector<std::uint32_t> next_;  ///< by CoreId: place in its list
  std::vector<TimePoint> known_;     ///< by TaskId: when an orchestrator made it known; empty where the host did
};

}  // namespace

std::unique_ptr<Wiring> make_static_queues(const WiringInputs& inputs) { return std::make_unique<StaticQueues>(inputs); }

}  // namespace tasktwin::sim
