#include "sim/control/ready_tasks.hpp"

#include <algorithm>
#include <bit>

namespace tasktwin::sim {

ReadyTasks::ReadyTasks(DispatchQueues& queues, QueueAccess& access, Parking& parking, RunEvents& events, std::size_t tasks)
    : queues_(queues), access_(access), parking_(parking), events_(events), stands_from_(tasks) {}

void ReadyTasks::push_root(TaskId task) {
  events_.ready(task, TimePoint{});
  queues_.push(std::nullopt, task);
}

TimePoint ReadyTasks::push(std::optional<std::uint32_t> by, std::span<const TaskId> ready, TimePoint now) {
  std::optional<DispatchQueues::Pushed> before;
  for (const TaskId task : ready) {
    const DispatchQueues::Pushed pushed = queues_.push(by, task);
    if (!before || !queues_.held_together(*before, pushed)) {
      if (by) access_.pushes(*by);
      now = queues_.operate(pushed.shard, pushed.type, now);
    }
    if (!before || before->shard != pushed.shard || before->type != pushed.type) parking_.pushed(by, pushed, now);
    if (!stands_from_.empty()) stands_from_[index(task)] = now;
    events_.ready(task, now);
    before = pushed;
  }
  return now;
}

void ReadyTasks::offer(std::uint32_t by, std::uint32_t types, TimePoint now) {
  if (stands_from_.empty()) return;
  for (; types != 0; types &= types - 1) {
    const auto type = CoreType(std::countr_zero(types));
    for (std::size_t shard = 0; shard < queues_.shards(); ++shard) {
      if (queues_.empty(shard, type)) continue;
      parking_.pushed(by, {shard, type}, std::max(now, stands_from_[index(queues_.front(shard, type))]));
    }
  }
}

}  // namespace tasktwin::sim
