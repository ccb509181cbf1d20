#include "sim/control/intake/passing.hpp"

#include <algorithm>

namespace tasktwin::sim {

namespace {

class ThroughQueue final : public Passing {
 public:
  Nanoseconds serve_waiting(Iteration& /*iteration*/, const OwnedCores& /*owned*/) override { return {}; }
  Nanoseconds pass_on(Iteration& /*iteration*/, const OwnedCores& /*owned*/) override { return {}; }
};

/// With those that the completions just seen leave without a task.
std::size_t idle_cores(const Iteration& iteration, const OwnedCores& owned) { return owned.count() - owned.busy() + iteration.freed; }

class PastQueue final : public Passing {
 public:
  PastQueue(const mechanism::ControlLoop& times, CoreType type, DispatchQueues& queues, const Mailboxes& mailboxes, BlockCounts& blocks)
      : times_(times), type_(type), queues_(queues), mailboxes_(mailboxes), blocks_(blocks) {}

  Nanoseconds serve_waiting(Iteration& iteration, const OwnedCores& owned) override {
    const std::size_t waiting = queues_.size(0, type_);
    if (iteration.seen.empty() || waiting > idle_cores(iteration, owned)) return {};
    iteration.takes = false;
    if (waiting == 0) return {};
    const TimePoint swept = iteration.began + round_ns(iteration.sweep);
    const Nanoseconds operating{queues_.operate(0, type_, swept) - swept};
    while (iteration.given.size() < waiting) iteration.given.push_back(queues_.pop(0, type_));
    iteration.served = waiting;
    blocks_.taken += waiting;
    return times_.claim + operating;
  }

  Nanoseconds pass_on(Iteration& iteration, const OwnedCores& owned) override {
    if (iteration.takes) return {};
    Resolution& found = iteration.resolution;
    const std::size_t direct = std::min(idle_cores(iteration, owned) - iteration.given.size(), found.by_heads);
    const std::size_t turns = direct > 0 ? most_for_others(iteration) : 0;
    const auto end = found.ready.begin() + static_cast<std::ptrdiff_t>(direct);
    iteration.given.insert(iteration.given.end(), found.ready.begin(), end);
    found.ready.erase(found.ready.begin(), end);
    blocks_.taken += direct;
    iteration.takes = direct < found.by_heads || found.beyond_heads;
    return static_cast<double>(turns) * times_.pass_on;
  }

 private:
  /// Of the tasks that one completion made ready, those that its own core does not get.
  std::size_t most_for_others(const Iteration& iteration) const {
    const std::vector<std::size_t>& by_head = iteration.resolution.by_head;
    std::size_t most = 0;
    for (std::size_t i = 0; i < by_head.size(); ++i) {
      const std::size_t own = mailboxes_.drained(iteration.seen[i].core) ? 1 : 0;
      most = std::max(most, by_head[i] - std::min(by_head[i], own));
    }
    return most;
  }

  const mechanism::ControlLoop& times_;
  CoreType type_;
  DispatchQueues& queues_;
  const Mailboxes& mailboxes_;
  BlockCounts& blocks_;
};

}  // namespace

std::unique_ptr<Passing> make_passing_through_queue() { return std::make_unique<ThroughQueue>(); }

std::unique_ptr<Passing> make_passing_past_queue(const mechanism::ControlLoop& times, CoreType type, DispatchQueues& queues,
                                                 const Mailboxes& mailboxes, BlockCounts& blocks) {
  return std::make_unique<PastQueue>(times, type, queues, mailboxes, blocks);
}

}  // namespace tasktwin::sim
