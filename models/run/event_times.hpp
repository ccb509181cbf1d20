#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include "models/graph/events.hpp"
#include "models/run/timeline.hpp"

namespace tasktwin {

/// Calls pass(event, at) for each event of `graph` in turn: when it became ready, where that is known, else with the latest `done` of its
/// predecessors that ran, as `tasks` have it by then: nothing else happens to a counter.
void pass_events(const TaskGraph& graph, const std::vector<TaskTimes>& tasks, auto done, auto pass) {
  if (event_count(graph) == 0) return;
  for (const TaskId task : graph.topological_order()) {
    if (!is_event(graph[task])) continue;
    if (const TimePoint known = tasks[index(task)].ready; is_present(known)) {
      pass(task, known);
      continue;
    }
    TimePoint at{};
    bool any = graph.in_degree(task) == 0;
    for (const TaskId predecessor : graph.predecessors(task)) {
      const TimePoint last = std::invoke(done, tasks[index(predecessor)]);
      any = any || is_present(last);
      at = std::max(at, last);
    }
    if (any) pass(task, at);
  }
}

/// Gives events of a run that had none, or did not note them, their times: `done` of the last task. Of a measured run that is its end, for
/// its worker notes that it is published when what that released may run already.
inline void note_events(const TaskGraph& graph, std::vector<TaskTimes>& tasks, auto done) {
  pass_events(graph, tasks, done, [&tasks](TaskId event, TimePoint at) {
    tasks[index(event)] = {.ready = at, .dispatched = at, .received = at, .started = at, .ended = at, .published = at};
  });
}

}  // namespace tasktwin
