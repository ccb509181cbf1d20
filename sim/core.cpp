#include "sim/core.hpp"

#include <algorithm>
#include <cassert>

namespace tasktwin::sim {

Cores::Cores(Calendar& calendar, const TaskGraph& graph, const Machine& machine, const PublishCost& publish,
             std::span<const BodyCost> costs, Timeline& timeline, Listener& listener)
    : graph_(graph),
      timeline_(timeline),
      listener_(listener),
      bodies_(calendar, machine.constants, costs, *this),
      cores_(timeline.cores.size()),
      start_(round_ns(machine.constants.start)),
      publish_(publish) {}

void Cores::receive(CoreId id, TaskId task, TimePoint received) {
  TaskTimes& times = timeline_.tasks[index(task)];
  times.received = received;
  times.core = id;
  Core& core = cores_[index(id)];
  assert(core.count < kMaxMailboxDepth);
  core.mailbox[(core.first + core.count++) % kMaxMailboxDepth] = task;
  run(id);
}

void Cores::run(CoreId id) {
  Core& core = cores_[index(id)];
  while (core.count > 0 && !core.running) {
    const TaskId task = core.mailbox[core.first];
    TaskTimes& times = timeline_.tasks[index(task)];
    times.started = std::max(times.received, core.ended) + start_;
    const TimePoint end = bodies_.start(task, times.started);
    if (is_present(end)) {
      finish(id, task, end);
    } else {
      core.running = true;
    }
  }
}

void Cores::body_ended(TaskId task, TimePoint end) {
  const CoreId id = timeline_.tasks[index(task)].core;
  cores_[index(id)].running = false;
  finish(id, task, end);
  run(id);
}

void Cores::finish(CoreId id, TaskId task, TimePoint end) {
  Core& core = cores_[index(id)];
  core.first = static_cast<std::uint8_t>((core.first + 1) % kMaxMailboxDepth);
  --core.count;
  const TimePoint slot_free = std::max(end, core.published);
  core.ended = end;
  core.published = slot_free + publish_.of(graph_.out_degree(task));
  TaskTimes& times = timeline_.tasks[index(task)];
  times.ended = end;
  times.published = core.published;
  listener_.will_publish(id, task, slot_free, core.published);
}

}  // namespace tasktwin::sim
