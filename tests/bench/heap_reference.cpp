#include "tests/bench/heap_reference.hpp"

#include <algorithm>
#include <queue>
#include <tuple>

namespace tasktwin::bench {

namespace {

struct Completion {
  TimePoint time;
  std::uint32_t core;
  TaskId task;
  bool operator>(const Completion& other) const { return std::tie(time, core) > std::tie(other.time, other.core); }
};

struct Core {
  TimePoint ended{};
  TimePoint published{};
  int held = 0;
};

}  // namespace

std::vector<TaskTimes> schedule_on_bare_heap(const TaskGraph& graph, const Machine& machine, std::span<const Duration> durations, int cores,
                                             int mailbox_depth) {
  const Duration sweep = round_ns(machine.device_control->poll + cores * machine.device_control->poll_per_core);
  const Duration complete = round_ns(machine.device_control->complete);
  const Duration resolve = round_ns(machine.device_control->resolve);
  const Duration dispatch = round_ns(machine.device_control->dispatch);
  const Duration to_core = round_ns(machine.device_mailboxes->hop);
  const Duration start = round_ns(machine.resident_cores->start);
  const Duration publish = round_ns(machine.device_mailboxes->publish);

  std::vector<TaskTimes> tasks(graph.size());
  std::vector<Core> core_states(static_cast<std::size_t>(cores));
  std::priority_queue<Completion, std::vector<Completion>, std::greater<>> completions;
  std::vector<std::uint32_t> waits(graph.size());
  std::vector<TaskId> ready;
  std::size_t next_ready = 0;
  const auto enter = [&](TaskId task, TimePoint now) {
    tasks[index(task)].ready = now;
    ready.push_back(task);
  };
  for (std::size_t i = 0; i < graph.size(); ++i) {
    waits[i] = static_cast<std::uint32_t>(graph.in_degree(task_id(i)));
    if (waits[i] == 0) enter(task_id(i), TimePoint{});
  }

  for (TimePoint now{};;) {
    TimePoint resolved = now + sweep;
    bool idle = true;
    while (!completions.empty() && completions.top().time <= now) {
      const Completion seen = completions.top();
      completions.pop();
      resolved += complete + static_cast<std::int64_t>(graph.out_degree(seen.task)) * resolve;
      --core_states[seen.core].held;
      for (const TaskId successor : graph.successors(seen.task)) {
        if (--waits[index(successor)] == 0) ready.push_back(successor);
      }
      idle = false;
    }
    for (std::size_t i = ready.size(); i-- > next_ready && !is_present(tasks[index(ready[i])].ready);)
      tasks[index(ready[i])].ready = resolved;

    TimePoint handed = resolved;
    for (int level = 0; level < mailbox_depth && next_ready < ready.size(); ++level) {
      for (std::uint32_t id = 0; id < core_states.size() && next_ready < ready.size(); ++id) {
        Core& core = core_states[id];
        if (core.held != level) continue;
        const TaskId task = ready[next_ready++];
        TaskTimes& times = tasks[index(task)];
        handed += dispatch;
        times.dispatched = handed;
        times.received = handed + to_core;
        times.started = std::max(times.received, core.ended) + start;
        core.ended = times.ended = times.started + durations[index(task)];
        core.published = times.published = std::max(core.ended, core.published) + publish;
        times.core = CoreId{id};
        times.dispatcher = DispatcherId{0};
        ++core.held;
        completions.push({core.published, id, task});
        idle = false;
      }
    }
    if (!idle) {
      now = handed;
    } else if (completions.empty()) {
      return tasks;
    } else {
      const Duration wait = std::max(Duration{0}, completions.top().time - handed);
      now = sweep > Duration{0} ? handed + (wait + sweep - Duration{1}) / sweep * sweep : handed + wait;
    }
  }
}

}  // namespace tasktwin::bench
