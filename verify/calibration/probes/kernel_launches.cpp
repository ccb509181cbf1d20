#include "verify/calibration/probes/kernel_launches.hpp"

#include <algorithm>
#include <optional>

namespace tasktwin::verify {

std::vector<Launch> launches_of(const TaskGraph& graph, const Timeline& timeline) {
  std::vector<TimePoint> begun(graph.size(), kAbsent);  // by launcher
  std::vector<int> launched(graph.size());
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const TimePoint dispatched = timeline.tasks[i].dispatched;
    // The launcher is the predecessor that released it: the last to end before it was launched.
    std::optional<TaskId> launcher;
    for (const TaskId before : graph.predecessors(task_id(i))) {
      const TaskTimes& times = timeline.tasks[index(before)];
      if (times.ended <= dispatched && times.published > dispatched && (!launcher || times.ended > timeline.tasks[index(*launcher)].ended))
        launcher = before;
    }
    if (!launcher) continue;
    TimePoint& first = begun[index(*launcher)];
    first = is_present(first) ? std::min(first, dispatched) : dispatched;
    ++launched[index(*launcher)];
  }
  std::vector<Launch> launches;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (launched[i] > 0) launches.push_back({task_id(i), {begun[i], timeline.tasks[i].published}, launched[i] == 1});
  }
  std::ranges::sort(launches, {}, [](const Launch& launch) { return launch.span.begin; });
  return launches;
}

std::int64_t launching_at(const std::vector<Launch>& launches, TimePoint time) {
  const auto end = std::ranges::upper_bound(launches, time, {}, [](const Launch& launch) { return launch.span.begin; });
  return std::count_if(launches.begin(), end, [time](const Launch& launch) { return launch.span.end > time; });
}

}  // namespace tasktwin::verify
