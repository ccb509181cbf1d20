#include <algorithm>

#include "models/policies.hpp"
#include "sim/core.hpp"
#include "sim/event_semaphore.hpp"
#include "sim/fetch_unit.hpp"
#include "sim/wirings.hpp"

namespace tasktwin::sim {

namespace {

/// Each core walks its own list, written beforehand. A fetch that begins at f reads the task's entry, then waits for its
/// counter to reach zero:
///   received = f + read_latency                                        for a task without predecessors
///   received = max(f + 2 · read_latency, ready + counter_hop)          otherwise; the first read of the counter may do
/// where ready is the last predecessor's completion written.
class StaticQueues final : public Wiring, public EventHandler, private Cores::Listener {
 public:
  explicit StaticQueues(const WiringInputs& inputs)
      : graph_(inputs.graph),
        calendar_(inputs.calendar),
        timeline_(inputs.timeline),
        schedule_(frozen_schedule(inputs.graph, inputs.machine, inputs.design)),
        read_(round_ns(inputs.machine.constants.read_latency)),
        two_reads_(round_ns(2.0 * inputs.machine.constants.read_latency)),
        counter_hop_(round_ns(inputs.machine.constants.counter_hop)),
        semaphores_(graph_),
        cores_(calendar_, graph_, inputs.machine, PublishCost::to_counters(inputs.machine.constants), inputs.costs, timeline_, *this),
        fetches_(timeline_.cores.size(), FetchUnit(inputs.design.mailbox_depth)),
        next_(timeline_.cores.size()) {}

  void begin() override {
    for (std::size_t i = 0; i < graph_.size(); ++i) {
      if (semaphores_.open(task_id(i))) timeline_.tasks[i].ready = TimePoint{};
    }
    for (std::size_t core = 0; core < fetches_.size(); ++core) fetch(core_id(core));
  }

  void handle(EventKind kind, std::uint32_t subject, TimePoint now) override {
    if (kind == EventKind::kSlotFree) {
      fetches_[subject].slot_freed(now);
      fetch(CoreId{subject});
      return;
    }
    for (const TaskId successor : graph_.successors(TaskId{subject})) {
      if (!semaphores_.signal(successor)) continue;
      TaskTimes& times = timeline_.tasks[index(successor)];
      times.ready = now;
      if (!is_present(times.dispatched)) continue;  // its core has not come to it
      receive(times.core, successor);
      fetch(times.core);
    }
  }

 private:
  void fetch(CoreId core) {
    std::uint32_t& next = next_[index(core)];
    const std::vector<TaskId>& list = schedule_[index(core)];
    while (next < list.size()) {
      const std::optional<TimePoint> begin = fetches_[index(core)].begin();
      if (!begin) return;
      const TaskId task = list[next++];
      TaskTimes& times = timeline_.tasks[index(task)];
      times.dispatched = *begin;
      times.core = core;
      if (!semaphores_.open(task)) return;  // the last predecessor's completion goes on from here
      receive(core, task);
    }
  }

  void receive(CoreId core, TaskId task) {
    const TaskTimes& times = timeline_.tasks[index(task)];
    const TimePoint received =
        graph_.in_degree(task) == 0 ? times.dispatched + read_ : std::max(times.dispatched + two_reads_, times.ready + counter_hop_);
    fetches_[index(core)].received(received);
    cores_.receive(core, task, received);
  }

  void will_publish(CoreId core, TaskId task, TimePoint slot_free, TimePoint published) override {
    calendar_.schedule(slot_free, EventKind::kSlotFree, static_cast<std::uint32_t>(index(core)), *this);
    calendar_.schedule(published, EventKind::kPublished, static_cast<std::uint32_t>(index(task)), *this);
  }

  const TaskGraph& graph_;
  Calendar& calendar_;
  Timeline& timeline_;
  FrozenSchedule schedule_;
  Duration read_;
  Duration two_reads_;
  Duration counter_hop_;
  EventSemaphores semaphores_;
  Cores cores_;
  std::vector<FetchUnit> fetches_;   ///< by CoreId
  std::vector<std::uint32_t> next_;  ///< by CoreId: place in its list
};

}  // namespace

std::unique_ptr<Wiring> make_static_queues(const WiringInputs& inputs) { return std::make_unique<StaticQueues>(inputs); }

}  // namespace tasktwin::sim
