#include <algorithm>
#include <optional>
#include <vector>

#include "sim/control/state/core_shares.hpp"
#include "sim/cores/core.hpp"
#include "sim/engine/run_events.hpp"
#include "sim/wirings.hpp"

namespace tasktwin::sim {

namespace {

/// A hardware controller for each dispatcher, with slots for tasks. Runs of as many tasks as it has slots, in topological order, go to
/// the controllers in turn, or to the next one that looks after a core of the task's type. Its dispatcher puts its tasks into slots in that
/// order, `submit` for each, and waits while no slot is free or the next task still waits for more predecessors than there are comparators.
/// It polls nothing. A completion written at c reaches all slots at c + compare; of those whose tasks then wait for nothing each controller
/// hands over the one that was put there first, to its core of that type that holds the fewest, and the slot is free. The core has it a hop
/// of the mailboxes later. More: docs/model/group_queue.md.
class GroupQueue final : public Wiring, public EventHandler, private Cores::Listener {
 public:
  explicit GroupQueue(const WiringInputs& inputs)
      : graph_(inputs.graph),
        calendar_(inputs.calendar),
        events_(inputs.events),
        group_(*inputs.machine.group_queue),
        submit_(round_ns(group_.submit)),
        compare_(round_ns(group_.compare)),
        hop_(round_ns(inputs.machine.mailboxes.hop)),
        depth_(static_cast<std::uint32_t>(inputs.design.mailbox_depth)),
        cores_(inputs, PublishCost::to_dispatcher(inputs.machine), *this),
        held_(inputs.cores.size()),
        waits_for_(graph_.size()),
        controllers_(static_cast<std::size_t>(dispatcher_count(inputs.design, inputs.machine.constants()))),
        shares_(inputs.machine.constants(), inputs.design, inputs.cores) {
    for (Controller& controller : controllers_) controller.id = events_.add_control_core(ControlRole::kScheduler);
    deal();
  }

  void begin() override {
    for (std::size_t i = 0; i < graph_.size(); ++i) {
      waits_for_[i] = static_cast<std::uint32_t>(graph_.in_degree(task_id(i)));
      if (waits_for_[i] == 0) events_.ready(task_id(i), TimePoint{});
    }
    for (std::uint32_t c = 0; c < controllers_.size(); ++c) go_on(c, TimePoint{});
  }

  void handle(EventKind kind, std::uint32_t subject, TimePoint now) override {
    if (kind == EventKind::kSubmitted) {
      Controller& controller = controllers_[subject];
      controller.slots.push_back(controller.tasks[controller.next++]);
      controller.at_work = false;
      match(subject, now);
    } else if (kind == EventKind::kSlotFree) {
      hold(subject, held_[subject] - 1);
      match(shares_.of(subject), now);
    } else {
      seen(TaskId{subject}, now);
    }
  }

 private:
  struct Controller {
    DispatcherId id{};
    std::vector<TaskId> tasks;  ///< that its dispatcher puts into slots, in this order
    std::size_t next = 0;       ///< of them
    std::vector<TaskId> slots;  ///< in the order in which they were filled
    bool at_work = false;       ///< the dispatcher puts a task into a slot
  };

  void deal() {
    const auto slots = static_cast<std::size_t>(group_.slots);
    for (std::size_t place = 0; const TaskId task : graph_.topological_order()) {
      std::size_t c = place++ / slots % controllers_.size();
      const auto usable = [&](std::size_t controller) { return (shares_[controller].owned.types() & types_for(task)) != 0; };
      for (std::size_t tried = 0; tried < controllers_.size() && !usable(c); ++tried) c = (c + 1) % controllers_.size();
      controllers_[c].tasks.push_back(task);
    }
  }

  /// The core types that run `task`, as bits.
  std::uint32_t types_for(TaskId task) const {
    const auto bit = [](CoreType type) { return 1u << static_cast<unsigned>(type); };
    const std::optional<CoreType> other = graph_.traits(task).other_type;
    return bit(graph_[task].core_type) | (other ? bit(*other) : 0u);
  }

  void hold(std::size_t core, std::uint32_t tasks) {
    shares_[shares_.of(core)].owned.move(static_cast<std::uint32_t>(core), held_[core], tasks);
    held_[core] = tasks;
  }

  /// The dispatcher's next task, if there is a slot for it and what it waits for can be compared.
  void go_on(std::uint32_t c, TimePoint now) {
    Controller& controller = controllers_[c];
    if (controller.at_work || controller.next == controller.tasks.size()) return;
    if (controller.slots.size() >= static_cast<std::size_t>(group_.slots)) return;
    if (waits_for_[index(controller.tasks[controller.next])] > static_cast<std::uint32_t>(group_.comparators)) return;
    controller.at_work = true;
    events_.busy(controller.id, now, now + submit_);
    events_.step(controller.id, StepKind::kSubmit, now, now + submit_);
    calendar_.schedule(now + submit_, EventKind::kSubmitted, c, *this);
  }

  void match(std::uint32_t c, TimePoint now) {
    Controller& controller = controllers_[c];
    std::erase_if(controller.slots, [&](TaskId task) {
      if (waits_for_[index(task)] > 0) return false;
      const std::optional<CoreId> core = core_for(c, task);
      if (!core) return false;
      hold(index(*core), held_[index(*core)] + 1);
      events_.dispatched(task, now, controller.id);
      cores_.receive(*core, task, now + hop_);
      return true;
    });
    go_on(c, now);
  }

  /// Of those that hold the fewest the first.
  std::optional<CoreId> core_for(std::uint32_t c, TaskId task) const {
    std::optional<CoreId> found;
    for (std::uint32_t held = 0; held < depth_ && !found; ++held) {
      shares_[c].owned.for_each_while(held, types_for(task), [&found](std::uint32_t core) {
        found = CoreId{core};
        return false;
      });
    }
    return found;
  }

  void seen(TaskId task, TimePoint now) {
    for (const TaskId successor : graph_.successors(task)) {
      if (--waits_for_[index(successor)] == 0) events_.ready(successor, now);
    }
    events_.completions_seen(now);
    for (std::uint32_t c = 0; c < controllers_.size(); ++c) match(c, now);
  }

  void will_publish(const Cores::Completion& completion) override {
    calendar_.schedule(completion.published + compare_, EventKind::kSlotFree, static_cast<std::uint32_t>(index(completion.core)), *this);
    calendar_.schedule(completion.published + compare_, EventKind::kArrived, static_cast<std::uint32_t>(index(completion.task)), *this);
  }

  const TaskGraph& graph_;
  Calendar& calendar_;
  RunEvents& events_;
  const mechanism::GroupQueue& group_;
  Duration submit_;
  Duration compare_;
  Duration hop_;
  std::uint32_t depth_;
  Cores cores_;
  std::vector<std::uint32_t> held_;       ///< by CoreId: tasks handed over and not done
  std::vector<std::uint32_t> waits_for_;  ///< by TaskId: predecessors that the slots have not seen done
  std::vector<Controller> controllers_;
  CoreShares shares_;  ///< one a controller
};

}  // namespace

std::unique_ptr<Wiring> make_group_queue(const WiringInputs& inputs) { return std::make_unique<GroupQueue>(inputs); }

}  // namespace tasktwin::sim
