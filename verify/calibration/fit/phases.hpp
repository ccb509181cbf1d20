#pragma once

#include <optional>
#include <vector>

#include "models/graph/task_graph.hpp"
#include "models/run/timeline.hpp"
#include "verify/calibration/fit/fit.hpp"

namespace tasktwin::verify {

/// Over the tasks of a run: phase(task, its times), where that is one, trimmed mean in ns.
template <class Phase>
Estimate mean_over(const Timeline& timeline, Phase phase) {
  std::vector<double> values;
  for (std::size_t i = 0; i < timeline.tasks.size(); ++i) {
    if (const std::optional<Duration> value = phase(task_id(i), timeline.tasks[i])) values.push_back(ns(*value));
  }
  return trimmed_mean(values);
}

/// Over the links of a chain: difference(link before, link), likewise.
template <class Difference>
Estimate mean_over_links(const Timeline& timeline, Difference difference) {
  std::vector<double> values;
  for (std::size_t i = 1; i < timeline.tasks.size(); ++i) values.push_back(ns(difference(timeline.tasks[i - 1], timeline.tasks[i])));
  return trimmed_mean(values);
}

/// From each task's end to its successor's start along a chain, likewise.
inline Estimate chain_gap(const Timeline& timeline) {
  return mean_over_links(timeline, [](const TaskTimes& before, const TaskTimes& task) { return task.started - before.ended; });
}

// Phases of a task.
inline Duration fetching(const TaskTimes& task) { return task.received - task.dispatched; }
inline Duration body_of(const TaskTimes& task) { return task.ended - task.started; }
inline Duration publishing(const TaskTimes& task) { return task.published - task.ended; }

/// A phase that all tasks have.
template <class Phase>
Estimate mean_phase(const Timeline& timeline, Phase phase) {
  return mean_over(timeline, [&phase](TaskId, const TaskTimes& task) { return std::optional(phase(task)); });
}

}  // namespace tasktwin::verify
