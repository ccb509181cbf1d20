#include <algorithm>
#include <deque>

#include "models/policies.hpp"
#include "sim/core.hpp"
#include "sim/event_semaphore.hpp"
#include "sim/fetch_unit.hpp"
#include "sim/wirings.hpp"
#include "sim/work_queue.hpp"

namespace tasktwin::sim {

namespace {

/// One queue per core type, a ring of slots with two counters: the finishing core writes a ready task to the next slot, a
/// core claims the next slot to read (its ticket) and waits for it to be written. A claim made at t reaches the memory at
/// t + atomic_latency / 2, is served when those before it have been, for atomic_service, and is back after another
/// atomic_latency / 2. The k-th task pushed goes to the k-th ticket:
///   dispatched = max(claim back, pushed)
///   received   = max(claim back + 2 · read_latency, pushed + queue_hop)
/// Under another order than fifo the queue is one that no ring of slots can be: the best waiting task goes to the ticket
/// that has waited longest since its claim reached the memory.
class SharedQueue final : public Wiring, public EventHandler, private Cores::Listener {
 public:
  explicit SharedQueue(const WiringInputs& inputs)
      : graph_(inputs.graph),
        calendar_(inputs.calendar),
        timeline_(inputs.timeline),
        both_reads_(round_ns(2 * inputs.machine.constants.read_latency)),
        queue_hop_(round_ns(inputs.machine.constants.queue_hop)),
        half_atomic_(round_ns(inputs.machine.constants.atomic_latency / 2)),
        atomic_service_(round_ns(inputs.machine.constants.atomic_service)),
        semaphores_(graph_),
        waiting_tasks_(make_task_order(inputs.design.order, {graph_, expected_durations(graph_, inputs.machine), inputs.seed}),
                       inputs.design.order),
        cores_(calendar_, graph_, inputs.machine, PublishCost::to_shared_queue(inputs.machine.constants), inputs.costs, timeline_, *this),
        fetches_(timeline_.cores.size(), FetchUnit(inputs.design.mailbox_depth)) {}

  void begin() override {
    for (std::size_t i = 0; i < graph_.size(); ++i) {
      if (semaphores_.open(task_id(i))) push(task_id(i), TimePoint{});
    }
    for (std::size_t core = 0; core < fetches_.size(); ++core) claim(core_id(core));
  }

  void handle(EventKind kind, std::uint32_t subject, TimePoint now) override {
    switch (kind) {
      case EventKind::kSlotFree:
        fetches_[subject].slot_freed(now);
        claim(CoreId{subject});
        break;
      case EventKind::kClaim:
        serve(CoreId{subject}, now);
        break;
      default:
        for (const TaskId successor : graph_.successors(TaskId{subject})) {
          if (semaphores_.signal(successor)) push(successor, now);
        }
        break;
    }
  }

 private:
  struct Ticket {
    CoreId core;
    TimePoint back;
  };
  struct Claims {
    TimePoint served{};          ///< when the memory is through with all claims so far
    std::deque<Ticket> waiting;  ///< in the order of service
  };

  void claim(CoreId core) {
    const std::optional<TimePoint> begin = fetches_[index(core)].begin();
    if (begin) calendar_.schedule(*begin + half_atomic_, EventKind::kClaim, static_cast<std::uint32_t>(index(core)), *this);
  }

  void serve(CoreId core, TimePoint now) {
    const CoreType type = timeline_.cores[index(core)];
    Claims& claims = claims_[static_cast<std::size_t>(type)];
    claims.served = std::max(claims.served, now) + atomic_service_;
    claims.waiting.push_back({core, claims.served + half_atomic_});
    match(type);
  }

  void push(TaskId task, TimePoint now) {
    const CoreType type = graph_[task].core_type;
    timeline_.tasks[index(task)].ready = now;
    waiting_tasks_.push(type, task);
    match(type);
  }

  void match(CoreType type) {
    std::deque<Ticket>& tickets = claims_[static_cast<std::size_t>(type)].waiting;
    if (tickets.empty() || waiting_tasks_.empty(type)) return;
    const Ticket ticket = tickets.front();
    tickets.pop_front();
    const TaskId task = waiting_tasks_.pop(type);
    TaskTimes& times = timeline_.tasks[index(task)];
    times.dispatched = std::max(ticket.back, times.ready);
    const TimePoint received = std::max(ticket.back + both_reads_, times.ready + queue_hop_);
    fetches_[index(ticket.core)].received(received);
    cores_.receive(ticket.core, task, received);
    claim(ticket.core);
  }

  void will_publish(CoreId core, TaskId task, TimePoint slot_free, TimePoint published) override {
    calendar_.schedule(slot_free, EventKind::kSlotFree, static_cast<std::uint32_t>(index(core)), *this);
    calendar_.schedule(published, EventKind::kPublished, static_cast<std::uint32_t>(index(task)), *this);
  }

  const TaskGraph& graph_;
  Calendar& calendar_;
  Timeline& timeline_;
  Duration both_reads_;  ///< of the slot, and of the task it names
  Duration queue_hop_;
  Duration half_atomic_;
  Duration atomic_service_;
  EventSemaphores semaphores_;
  WorkQueues waiting_tasks_;
  Cores cores_;
  std::vector<FetchUnit> fetches_;  ///< by CoreId
  std::array<Claims, kCoreTypeCount> claims_;
};

}  // namespace

std::unique_ptr<Wiring> make_shared_queue(const WiringInputs& inputs) { return std::make_unique<SharedQueue>(inputs); }

}  // namespace tasktwin::sim
