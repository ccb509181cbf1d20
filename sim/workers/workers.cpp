#include "sim/workers/workers.hpp"

#include <algorithm>
#include <ranges>

#include "sim/queues/count_down.hpp"
#include "sim/queues/open_roots.hpp"

namespace tasktwin::sim {

Workers::Workers(const WiringInputs& inputs, const PublishCost& publish, Cores::Units units)
    : graph_(inputs.graph),
      calendar_(inputs.calendar),
      events_(inputs.events),
      per_core_(inputs.design.workers_per_core),
      publish_cost_(publish),
      event_read_(2 * inputs.machine.memory->read_latency),
      semaphores_(graph_, inputs.machine, inputs.design),
      orchestrators_(inputs, *this),
      fetches_(inputs.cores.size(), inputs.design.mailbox_depth),
      types_(inputs.cores),
      publishers_(graph_.size()),
      gathering_(inputs, *this),
      handed_(gathering_.any() ? inputs.cores.size() : 0),
      told_(publish.batch > 0 ? graph_.size() : 0) {
  Cores::Listener& completions = *this;
  for (int device = 0; device < inputs.machine.devices.count(); ++device)
    devices_.emplace_back(inputs, publish, completions, units, device);
}

void Workers::begin() {
  for (const TaskId root : open_roots(graph_, semaphores_, [this](TaskId event) { publishers_[index(event)] = {TimePoint{}, kNoCore}; })) {
    events_.ready(root, TimePoint{});
    release(root, kNoCore, TimePoint{});
  }
  all_begin();
  orchestrators_.begin();
}

void Workers::resume_shared(const SharedState& state, const TaskGraph& graph) {
  semaphores_.resume(state.semaphores, graph);
  devices_.front().resume(state.cores);
  fetches_ = state.fetches;
  publishers_ = state.publishers;
  told_ = state.told;
}

std::vector<EventHandler*> Workers::all_handlers() {
  std::vector<EventHandler*> handlers{this};
  devices_.front().add_handlers(handlers);
  return handlers;
}

void Workers::handle(EventKind kind, std::uint32_t subject, TimePoint now) {
  switch (kind) {
    case EventKind::kSlotFree:
      fetches_[subject].slot_freed(now);
      has_room(CoreId{subject});
      break;
    case EventKind::kBatchTold:
      tell_batch(TaskId{subject}, now);
      break;
    case EventKind::kPublished:
      publish(TaskId{subject}, now);
      break;
    case EventKind::kPassed:
      tell_rest(TaskId{subject}, now);
      break;
    default:
      happened(kind, subject, now);
      break;
  }
}

void Workers::publish(TaskId task, TimePoint now) {
  if (!semaphores_.block_done(task)) return;
  if (orchestrators_.any()) orchestrators_.completed(task, now);
  tell_rest(task, now);
}

void Workers::tell_rest(TaskId task, TimePoint now) {
  const std::size_t told = told_.empty() ? 0 : told_[index(task)];
  for (const TaskId successor : graph_.successors(task) | std::views::drop(told)) signal(successor, publisher(task).core, now);
}

bool Workers::in_lots(TaskId task) const {
  return publish_cost_.batch > 0 && graph_.out_degree(task) > publish_cost_.batch && graph_.traits(task).blocks <= 1 &&
         graph_[task].core_type != CoreType::kMix;
}

void Workers::tell_batch(TaskId task, TimePoint now) {
  std::uint32_t& told = told_[index(task)];
  for (const TaskId successor : graph_.successors(task) | std::views::drop(told) | std::views::take(publish_cost_.batch))
    signal(successor, publisher(task).core, now);
  told += static_cast<std::uint32_t>(publish_cost_.batch);
}

/// The worker that counted an event down to zero reads what waits for it, and counts and pushes that as it does its own task's successors.
void Workers::pass(TaskId event, TimePoint now) {
  const std::size_t successors = graph_.out_degree(event);
  const TimePoint passed = now + round_ns(event_read_) + publish_cost_.of(successors);
  for (std::size_t told = publish_cost_.batch; told < successors; told += publish_cost_.batch)
    calendar_.schedule(passed - publish_cost_.behind(told, successors), EventKind::kBatchTold, static_cast<std::uint32_t>(index(event)),
                       *this);
  calendar_.schedule(passed, EventKind::kPassed, static_cast<std::uint32_t>(index(event)), *this);
}

/// Those who watch an event see that it has come to zero, all at once; where workers push what they have made ready, one passes it on.
void Workers::signal(TaskId task, CoreId by, TimePoint now) {
  const bool pushes = publish_cost_.batch > 0 && by != kNoCore;
  count_down(
      graph_, task, [this](TaskId one) { return semaphores_.signal(one); },
      [&](TaskId one) {
        if (graph_[one].operation == Operation::kEvent) {
          publishers_[index(one)] = {now, by};
          events_.ready(one, now);
          if (orchestrators_.any()) orchestrators_.completed(one, now);
          return;
        }
        events_.ready(one, now);
        release(one, by, now);
      },
      [&](TaskId event) {
        if (pushes) pass(event, now);
        return !pushes;
      });
}

void Workers::release(TaskId task, CoreId by, TimePoint now) {
  if (gathering_.takes(task)) return gathering_.ready(task, now);
  released(task, by, now);
}

void Workers::handed(CoreId core, TaskId task, TimePoint now) {
  handed_[index(core)].push_back(task);
  found_handed(core, now);
}

void Workers::receive_handed(CoreId core, TimePoint received) {
  const TaskId task = handed_[index(core)].front();
  handed_[index(core)].pop_front();
  fetches_[index(core)].received(received);
  devices_[device_of(core)].receive(core, task, received);
}

void Workers::submitted(TaskId task, TimePoint now) {
  known(task, now);
  signal(task, kNoCore, now);
}

void Workers::receive(CoreId core, TaskId task, TimePoint dispatched, TimePoint received) {
  events_.dispatched(task, dispatched);
  fetches_[index(core)].received(received);
  devices_[device_of(core)].receive(core, task, received);
}

void Workers::will_publish(const Cores::Completion& completion) {
  const auto& [core, task, ended, slot_free, published] = completion;
  Publisher& last = publishers_[index(task)];
  if (published > last.at || (published == last.at && core < last.core)) last = {published, core};  // kAbsent is before all times
  calendar_.schedule(slot_free, EventKind::kSlotFree, static_cast<std::uint32_t>(index(core)), *this);
  if (in_lots(task)) {
    const std::size_t successors = graph_.out_degree(task);
    for (std::size_t told = publish_cost_.batch; told < successors; told += publish_cost_.batch)
      calendar_.schedule(published - publish_cost_.behind(told, successors), EventKind::kBatchTold, static_cast<std::uint32_t>(index(task)),
                         *this);
  }
  calendar_.schedule(published, EventKind::kPublished, static_cast<std::uint32_t>(index(task)), *this);
}

}  // namespace tasktwin::sim
