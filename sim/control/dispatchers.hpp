#pragma once

#include <memory>
#include <vector>

#include "sim/control/control_loop.hpp"
#include "sim/control/hand_over/hand_over.hpp"
#include "sim/control/intake/intake.hpp"
#include "sim/control/intake/resolvers.hpp"
#include "sim/control/intake/successor_work.hpp"
#include "sim/control/parking.hpp"
#include "sim/control/ready_tasks.hpp"
#include "sim/control/state/core_shares.hpp"
#include "sim/control/state/dispatch_queues.hpp"
#include "sim/control/state/fill_rules.hpp"
#include "sim/control/state/mailboxes.hpp"
#include "sim/control/state/orchestrators.hpp"
#include "sim/control/state/queue_access.hpp"
#include "sim/cores/core.hpp"
#include "sim/engine/run_context.hpp"
#include "sim/engine/run_events.hpp"
#include "sim/queues/event_semaphore.hpp"

namespace tasktwin::sim {

/// The control cores that hand out tasks, each a serial loop over the compute cores it looks after: which parts they consist of under a
/// design, and the messages between parts. The loop as a whole: docs/model/control_loop.md.
class Dispatchers final : public EventHandler, private Cores::Listener, private Resolvers::Listener, private Orchestrators::Listener {
 public:
  explicit Dispatchers(const WiringInputs& inputs);

  /// The roots are ready, unless orchestrators make them known; every control core begins at `opened`.
  void begin(TimePoint opened = {});
  /// As Wiring::failure.
  const std::string& failure() const { return orchestrators_.failure(); }

  void handle(EventKind kind, std::uint32_t subject, TimePoint now) override { loop_.handle(kind, subject, now); }

 private:
  /// What all control cores of a run read and write.
  struct State {
    explicit State(const WiringInputs& inputs);

    CoreShares shares;
    Mailboxes mailboxes;
    std::vector<PastRun> past_runs;  ///< by TaskId; empty where no placement looks at them
    EventSemaphores semaphores;
    DispatchQueues queues;
    BlockCounts blocks;
  };

  Intake make_intake(const WiringInputs& inputs);
  HandOver make_hand_over(const WiringInputs& inputs);
  void will_publish(const Cores::Completion& completion) override;
  void resolved(const std::vector<TaskId>& ready, const std::vector<TaskId>& events, TimePoint now) override;
  void submitted(TaskId task, TimePoint now) override;

  const TaskGraph& graph_;
  RunEvents& events_;
  State state_;
  Cores cores_;
  std::unique_ptr<FillRule> fill_;
  std::unique_ptr<QueueAccess> access_;
  Parking parking_;
  ReadyTasks ready_;
  Resolvers resolvers_;
  Orchestrators orchestrators_;
  std::unique_ptr<SuccessorWork> work_;
  Intake intake_;
  EarlyTasks early_;
  Deliveries deliveries_;
  HandOver hand_over_;
  ControlLoop loop_;
};

}  // namespace tasktwin::sim
