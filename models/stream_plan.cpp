#include "models/stream_plan.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace tasktwin {

namespace {

/// The kernels of the tasks in the order in which they first occur.
std::vector<Kernel> kernels_in_order(const TaskGraph& graph) {
  std::vector<Kernel> kernels;
  std::array<bool, kKernelCount> met{};
  for (const TaskId task : graph.topological_order()) {
    const Kernel kernel = graph[task].kernel;
    if (std::exchange(met[static_cast<std::size_t>(kernel)], true)) continue;
    kernels.push_back(kernel);
  }
  return kernels;
}

}  // namespace

std::uint32_t stream_count(const TaskGraph& graph, const Design& design) {
  switch (design.stream_granularity) {
    case StreamGranularity::kSingle:
      return 1;
    case StreamGranularity::kPerTaskType:
      return std::max(1u, static_cast<std::uint32_t>(kernels_in_order(graph).size()));
    default:
      return static_cast<std::uint32_t>(design.streams);
  }
}

std::vector<std::uint32_t> assign_streams(const TaskGraph& graph, const Design& design) {
  const std::uint32_t count = stream_count(graph, design);
  std::array<std::uint32_t, kKernelCount> of_kernel{};
  if (design.stream_granularity == StreamGranularity::kPerTaskType) {
    for (std::uint32_t stream = 0; const Kernel kernel : kernels_in_order(graph)) of_kernel[static_cast<std::size_t>(kernel)] = stream++;
  }
  std::vector<std::uint32_t> streams;
  streams.reserve(graph.size());
  for (const TaskId task : graph.topological_order()) {
    switch (design.stream_granularity) {
      case StreamGranularity::kPerCore:
        streams.push_back(static_cast<std::uint32_t>(streams.size() % count));
        break;
      case StreamGranularity::kPerTaskType:
        streams.push_back(of_kernel[static_cast<std::size_t>(graph[task].kernel)]);
        break;
      case StreamGranularity::kPerLayer: {
        const std::int64_t layer = graph[task].layer % std::int64_t{count};
        streams.push_back(static_cast<std::uint32_t>(layer < 0 ? layer + count : layer));
        break;
      }
      case StreamGranularity::kSingle:
        streams.push_back(0);
        break;
    }
  }
  return streams;
}

std::vector<StreamLaunch> plan_streams(const TaskGraph& graph, const Design& design) {
  const std::vector<std::uint32_t> streams = assign_streams(graph, design);
  std::vector<StreamLaunch> plan;
  plan.reserve(graph.size());
  std::vector<std::uint32_t> position(graph.size());
  std::vector<std::pair<std::uint32_t, std::uint32_t>> others;  // predecessors in other streams: stream, position
  for (const TaskId task : graph.topological_order()) {
    const auto here = static_cast<std::uint32_t>(plan.size());
    position[index(task)] = here;
    StreamLaunch launch{task, streams[here], {}, false};
    // A stream runs in order, so of several predecessors in one stream only the latest matters, and none in our own.
    others.clear();
    for (const TaskId predecessor : graph.predecessors(task)) {
      const std::uint32_t at = position[index(predecessor)];
      if (streams[at] != launch.stream) others.emplace_back(streams[at], at);
    }
    std::ranges::sort(others);
    for (std::size_t i = 0; i < others.size(); ++i) {
      if (i + 1 < others.size() && others[i + 1].first == others[i].first) continue;
      StreamLaunch& awaited = plan[others[i].second];
      launch.awaited.push_back(awaited.task);
      awaited.records_event = true;
    }
    plan.push_back(std::move(launch));
  }
  return plan;
}

}  // namespace tasktwin
