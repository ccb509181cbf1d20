#pragma once

#include <algorithm>
#include <vector>

#include "models/base/random.hpp"
#include "models/run/timeline.hpp"

namespace tasktwin::testing_graphs {

/// A plausible run: in topological order, each task on a random core of its type, every gap random.
inline Timeline random_run(const TaskGraph& graph, bool ready_observed, std::uint64_t seed) {
  Random random(seed);
  Timeline timeline;
  timeline.tasks.resize(graph.size());
  timeline.cores = {CoreType::kSm, CoreType::kAic, CoreType::kSm};
  std::vector<TimePoint> free(timeline.cores.size());
  for (const TaskId task : graph.topological_order()) {
    TaskTimes& times = timeline.tasks[index(task)];
    const std::size_t core = graph[task].core_type == CoreType::kAic ? 1 : static_cast<std::size_t>(2 * random.between(0, 1));
    TimePoint ready{};
    for (const TaskId before : graph.predecessors(task)) ready = std::max(ready, finish(timeline.tasks[index(before)]));
    if (ready_observed) times.ready = ready += Duration{random.between(0, 2)};
    times.started = std::max(ready, free[core]) + Duration{random.between(0, 4)};
    times.ended = times.started + graph[task].cost.time;
    times.published = times.ended + Duration{random.between(0, 2)};
    times.core = core_id(core);
    free[core] = times.published;
  }
  for (int d = 0; d < 2; ++d) {
    auto& spans = timeline.dispatchers.emplace_back();
    for (TimePoint at{Duration{random.between(0, 3)}}; at < at_ns(timeline.makespan().count() - 4); at += Duration{random.between(4, 9)}) {
      spans.push_back({at, at + Duration{random.between(1, 3)}});
    }
  }
  for (TimePoint at{}; at < TimePoint{timeline.makespan()}; at += Duration{random.between(1, 5)}) {
    timeline.ready_queue.push_back({at, static_cast<int>(random.between(0, 6))});
  }
  return timeline;
}

}  // namespace tasktwin::testing_graphs
