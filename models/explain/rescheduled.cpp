#include "models/explain/rescheduled.hpp"

#include <algorithm>
#include <numeric>

#include "models/explain/occupancy.hpp"

namespace tasktwin {

namespace {

struct Ends {
  TimePoint ended{};
  TimePoint finished{};
};

/// What a start waited for: its predecessors' signals and its core, at the times that `ends` knows.
TimePoint held_until(const TaskGraph& graph, TaskId task, std::span<const Ends> ends, TimePoint core_free) {
  TimePoint held = core_free;
  for (const TaskId before : graph.predecessors(task)) held = std::max(held, ends[index(before)].finished);
  return held;
}

}  // namespace

std::vector<Duration> body_times(const Timeline& timeline) {
  std::vector<Duration> times(timeline.tasks.size(), Duration{-1});
  std::vector<std::int64_t> parts(timeline.tasks.size(), 0);
  for (const BlockTimes& block : timeline.blocks) {
    if (!is_present(block.started) || !is_present(block.ended)) continue;
    Duration& sum = times[index(block.task)];
    if (parts[index(block.task)]++ == 0) sum = Duration{0};
    sum += block.ended - block.started;
  }
  for (std::size_t i = 0; i < times.size(); ++i) {
    const TaskTimes& task = timeline.tasks[i];
    if (parts[i] > 0) {
      times[i] /= parts[i];
    } else if (is_present(task.started) && is_present(task.ended)) {
      times[i] = std::max(Duration{0}, task.ended - task.started);
    }
  }
  return times;
}

Duration rescheduled_makespan(const TaskGraph& graph, const Timeline& timeline, std::span<const Duration> bodies) {
  std::vector<std::uint32_t> order(graph.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, {}, [&timeline](std::uint32_t task) { return timeline.tasks[task].started; });
  std::vector<Ends> seen(graph.size());
  std::vector<Ends> now(graph.size());
  std::vector<TimePoint> seen_free(timeline.cores.size());
  std::vector<TimePoint> now_free(timeline.cores.size());
  TimePoint last{};
  for (const std::uint32_t i : order) {
    const TaskTimes& times = timeline.tasks[i];
    if (!ran(times)) continue;
    const TaskId task = task_id(i);
    const std::size_t core = index(times.core);
    const Duration gap = times.started - held_until(graph, task, seen, seen_free[core]);
    const TimePoint started = held_until(graph, task, now, now_free[core]) + gap;
    const TimePoint ended = started + (bodies[i] < Duration{0} ? times.ended - times.started : bodies[i]);
    seen[i] = {times.ended, finish(times)};
    now[i] = {ended, ended + (finish(times) - times.ended)};
    seen_free[core] = times.ended;
    now_free[core] = ended;
    last = std::max(last, now[i].finished);
  }
  return last.time_since_epoch();
}

}  // namespace tasktwin
