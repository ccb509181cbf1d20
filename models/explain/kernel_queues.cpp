#include "models/explain/kernel_queues.hpp"

#include <algorithm>

#include "models/explain/occupancy.hpp"
#include "models/runtimes/runtimes.hpp"

namespace tasktwin {

namespace {

/// By TaskId, what was launched last before it into the same of `lines` lines, its stream modulo their number. Where line 0 is a legacy
/// default stream it waits for all others, and they for it: of these, what ended last.
std::vector<std::optional<TaskId>> line_up(const TaskGraph& graph, const Timeline& timeline, std::size_t lines, bool legacy = false) {
  std::vector<std::optional<TaskId>> before(graph.size());
  std::vector<std::optional<TaskId>> last(lines);
  for (const TaskId task : graph.topological_order()) {
    const TaskTimes& times = timeline.tasks[index(task)];
    if (!ran(times)) continue;
    const std::size_t line = index(times.core) % lines;
    std::optional<TaskId>& held = before[index(task)];
    const auto consider = [&](const std::optional<TaskId>& other) {
      if (other && (!held || timeline.tasks[index(*other)].ended > timeline.tasks[index(*held)].ended)) held = other;
    };
    consider(last[line]);
    if (legacy && line > 0) consider(last[0]);
    if (legacy && line == 0) std::ranges::for_each(last, consider);
    last[line] = task;
  }
  return before;
}

}  // namespace

KernelQueues::KernelQueues(const TaskGraph& graph, const Design& design, const Timeline& timeline) : graph_(graph), timeline_(timeline) {
  if (!runtime_of(design).streams() || timeline.cores.empty()) return;
  stream_ = line_up(graph, timeline, timeline.cores.size(), design.default_stream == DefaultStream::kLegacy);
  const auto queues = static_cast<std::size_t>(design.hardware_queues);
  if (queues > 0 && queues < timeline.cores.size()) queue_ = line_up(graph, timeline, queues);
}

TimePoint KernelQueues::came(TaskId task) const {
  const TaskTimes& times = timeline_.tasks[index(task)];
  return is_present(times.received) ? times.received : times.started;
}

TimePoint KernelQueues::held_until(TaskId task) const {
  TimePoint last{};
  for (const TaskId predecessor : graph_.predecessors(task)) last = std::max(last, timeline_.tasks[index(predecessor)].ended);
  if (const auto before = before_in_stream(task)) last = std::max(last, timeline_.tasks[index(*before)].ended);
  return last;
}

std::optional<TaskId> KernelQueues::behind(TaskId task, TimePoint time, TimePoint ended) const {
  std::optional<TaskId> head;
  const auto with = [this, time](TaskId other) { return came(other) == time || timeline_.tasks[index(other)].started == time; };
  for (auto before = at(queue_, task); before && with(*before); before = at(queue_, *before)) head = before;
  if (!head || held_until(*head) == ended) return std::nullopt;
  return head;
}

}  // namespace tasktwin
