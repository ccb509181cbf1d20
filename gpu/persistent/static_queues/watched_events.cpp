#include "gpu/persistent/static_queues/watched_events.hpp"

#include <algorithm>
#include <string>

#include "models/base/error.hpp"
#include "models/graph/events.hpp"

namespace tasktwin::gpu {

std::vector<std::vector<TaskId>> watched_events(const TaskGraph& graph) {
  constexpr std::size_t kMost = 20'000'000;
  std::vector<std::vector<TaskId>> watched(graph.size());
  if (event_count(graph) == 0) return watched;
  std::size_t all = 0;
  for (const TaskId task : graph.topological_order()) {
    std::vector<TaskId>& own = watched[index(task)];
    for (const TaskId before : graph.predecessors(task)) {
      if (is_event(graph[before])) {
        const std::vector<TaskId>& through = watched[index(before)];
        own.insert(own.end(), through.begin(), through.end());
      } else if (is_event(graph[task]) && (own.empty() || own.back() != task)) {
        own.push_back(task);  // its counter counts tasks
      }
    }
    std::ranges::sort(own);
    const auto repeated = std::ranges::unique(own);
    own.erase(repeated.begin(), repeated.end());
    all += own.size();
    if (all > kMost)
      throw InputError("its events follow each other so that workers with lists would look at more than " + std::to_string(kMost) +
                       " counters; use a design with queues");
  }
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (is_event(graph[task_id(i)])) watched[i].clear();
  }
  return watched;
}

}  // namespace tasktwin::gpu
