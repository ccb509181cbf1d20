#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/control/hand_over/mailbox_hops.hpp"
#include "sim/engine/run_context.hpp"
#include "sim/engine/run_events.hpp"

namespace tasktwin::sim {

/// The control core that hands workers the tasks which they cannot arrange among themselves (Design::fallback `task`), one after the other
/// as they become ready, each to cores in turn: a `mix` task to the next cluster, one of several blocks to the next cores of its type. All
/// cores so get such tasks in one order, and none waits for a core that waits for another of them. A task comes to it as a completion comes
/// to a dispatcher, and from it as a dispatcher's to a core:
///   handed(k-th core) = max(ready + publish, free) + poll + complete + k · dispatch
///   comes             = handed + hop
class Gathering final : public EventHandler {
 public:
  class Listener {
   public:
    /// `task`, or its part, lies with the worker, which takes it before anything else.
    virtual void handed(CoreId core, TaskId task, TimePoint now) = 0;

   protected:
    ~Listener() = default;
  };

  /// Under another fallback it takes no task.
  Gathering(const WiringInputs& inputs, Listener& listener);

  bool any() const { return !taken_.empty(); }
  bool takes(TaskId task) const { return !taken_.empty() && taken_[index(task)]; }
  /// Contract: takes(task).
  void ready(TaskId task, TimePoint now);

  void handle(EventKind kind, std::uint32_t subject, TimePoint now) override;

 private:
  struct Delivery {
    CoreId core{};
    TaskId task{};
  };

  std::vector<CoreId> next_cores(TaskId task);

  const TaskGraph& graph_;
  const mechanism::ControlLoop& times_;
  Calendar& calendar_;
  RunEvents& events_;
  Listener& listener_;
  std::span<const CoreType> cores_;
  Duration comes_;  ///< ready to seen
  MailboxHops hops_;
  std::vector<bool> taken_;                    ///< by TaskId; empty where it takes none
  std::vector<std::vector<CoreId>> clusters_;  ///< that tasks can go to
  std::size_t cluster_ = 0;                    ///< the next one's
  std::array<std::vector<CoreId>, kCoreTypeCount> by_type_;
  std::array<std::size_t, kCoreTypeCount> turn_{};
  DispatcherId id_{};
  TimePoint free_{};
  std::vector<Delivery> deliveries_;
};

}  // namespace tasktwin::sim
