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

/// Each core walks its own list, written beforehand. A fetch that begins at f reads the task's entry, then waits until its
/// predecessors are done; `ready` is the last one's completion written.
///   no predecessors   received = f + read_latency
///   counter           received = max(f + 2 · read_latency, ready + counter_hop): the first read of the counter may do
///   flag              reads the flags in the order of predecessors, each for read_latency or until flag_hop after it is written
///   semaphore         received = max(f + read_latency, ready + semaphore_hop)
/// A task that an orchestrator makes known waits for that too, as for one more predecessor; its flag is read first. Who had
/// to wait notices late by a back-off.
class StaticQueues final : public Workers {
 public:
  explicit StaticQueues(const WiringInputs& inputs)
      : Workers(inputs, publish_cost(inputs.design, inputs.machine.constants)),
        schedule_(frozen_schedule(inputs.graph, inputs.machine, inputs.design, inputs.replayed)),
        notification_(inputs.design.notification),
        read_latency_(inputs.machine.constants.read_latency),
        read_(reads(1)),
        two_reads_(reads(2)),
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
    if (graph_.in_degree(task) == 0 && known_.empty()) return receive(core, task, begin, begin + read_);
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
        return {begin + read_, std::max(begin + read_, ready + semaphore_hop_)};
      default:
        return {begin + two_reads_, std::max(begin + two_reads_, ready + counter_hop_)};
    }
  }

  Looks flags(TaskId task, TimePoint begin) const {
    auto left = static_cast<double>(graph_.in_degree(task));
    const TimePoint looked = begin + reads(1 + left + (known_.empty() ? 0 : 1));
    TimePoint seen = looked;
    if (!known_.empty()) seen = std::max(seen, known_[index(task)] + flag_hop_ + reads(left));
    for (const TaskId predecessor : graph_.predecessors(task)) {
      seen = std::max(seen, timeline_.tasks[index(predecessor)].published + flag_hop_ + reads(--left));
    }
    return {looked, seen};
  }

  Duration reads(double number) const { return round_ns(number * read_latency_); }

  FrozenSchedule schedule_;
  Notification notification_;
  Nanoseconds read_latency_;
  Duration read_;
  Duration two_reads_;
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
