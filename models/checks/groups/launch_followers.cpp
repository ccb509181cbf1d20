#include "models/checks/groups/launch_followers.hpp"

#include <cstdint>

#include "models/program/stream_plan.hpp"
#include "models/runtimes/runtimes.hpp"

namespace tasktwin {

namespace {

/// Whether kernels are launched into streams, and not ordered by dependencies alone.
bool launches_into_streams(const Design& design) {
  const Runtime& runtime = runtime_of(design);
  return (runtime.graph() && design.graph_source == GraphSource::kCapture) ||
         (runtime.streams() && design.stream_wait != StreamWait::kProgram);
}

/// By TaskId: what follows it, which is launched later.
std::vector<std::vector<TaskId>> launched_behind(const TaskGraph& graph, const Design& design, const std::vector<TaskId>& order) {
  std::vector<std::vector<TaskId>> behind(graph.size());
  const std::vector<std::uint32_t> stream = assign_streams(graph, design);
  std::vector<const TaskId*> last;
  for (std::size_t at = 0; at < order.size(); ++at) {
    if (stream[at] >= last.size()) last.resize(stream[at] + 1, nullptr);
    if (last[stream[at]] != nullptr) behind[index(*last[stream[at]])].push_back(order[at]);
    last[stream[at]] = &order[at];
  }
  for (const auto& [before, rank] : communicator_order(graph, order)) behind[index(before)].push_back(rank);
  return behind;
}

}  // namespace

LaunchFollowers::LaunchFollowers(const TaskGraph& graph, const Design& design) {
  const bool streams = launches_into_streams(design);
  order = streams ? launch_order(graph) : graph.topological_order();
  later = streams ? launched_behind(graph, design, order) : std::vector<std::vector<TaskId>>(graph.size());
}

}  // namespace tasktwin
