#include "models/explain/submissions.hpp"

#include <algorithm>

namespace tasktwin {

std::vector<TimePoint> submissions(const TaskGraph& graph, const Timeline& timeline, const OccupancyIndex& ran) {
  std::vector<std::vector<TimePoint>> ends;
  for (std::size_t d = 0; d < std::min(timeline.roles.size(), timeline.steps.size()); ++d) {
    if (timeline.roles[d] != ControlRole::kOrchestrator) continue;
    ends.emplace_back();
    for (const Step& step : timeline.steps[d]) {
      if (step.kind == StepKind::kSubmit) ends.back().push_back(step.end);
    }
  }
  std::vector<TimePoint> submitted(graph.size(), kAbsent);
  std::size_t place = 0;
  for (const TaskId task : graph.topological_order()) {
    if (ends.empty() || ran.of(task).empty()) continue;
    const std::vector<TimePoint>& mine = ends[place % ends.size()];
    if (place / ends.size() < mine.size()) submitted[index(task)] = mine[place / ends.size()];
    ++place;
  }
  return submitted;
}

}  // namespace tasktwin
