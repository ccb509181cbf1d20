#include "models/stream_plan.hpp"

#include <algorithm>

namespace tasktwin {

std::vector<StreamLaunch> plan_streams(const TaskGraph& graph, int streams) {
  const auto stream_count = static_cast<std::size_t>(streams);
  std::vector<StreamLaunch> plan;
  plan.reserve(graph.size());
  std::vector<std::size_t> position(graph.size());
  for (const TaskId task : graph.topological_order()) {
    const std::size_t here = plan.size();
    position[index(task)] = here;
    StreamLaunch launch{task, static_cast<std::uint32_t>(here % stream_count), {}, false};
    // A stream runs in order, so of several predecessors in one stream only the latest matters, and none in our own.
    std::vector<std::size_t> latest;
    for (const TaskId predecessor : graph.predecessors(task)) latest.push_back(position[index(predecessor)]);
    std::ranges::sort(
        latest, [stream_count](std::size_t a, std::size_t b) { return std::pair(a % stream_count, b) < std::pair(b % stream_count, a); });
    const auto repeated = std::ranges::unique(latest, {}, [stream_count](std::size_t p) { return p % stream_count; });
    latest.erase(repeated.begin(), repeated.end());
    for (const std::size_t p : latest) {
      if (p % stream_count == launch.stream) continue;
      launch.awaited.push_back(plan[p].task);
      plan[p].records_event = true;
    }
    plan.push_back(std::move(launch));
  }
  return plan;
}

}  // namespace tasktwin
