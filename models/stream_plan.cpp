#include "models/stream_plan.hpp"

#include <algorithm>
#include <array>
#include <bitset>
#include <optional>
#include <utility>

#include "models/bounds.hpp"

namespace tasktwin {

namespace {

/// The kernels of the tasks in the order in which they first occur.
std::vector<Kernel> kernels_in_order(const TaskGraph& graph) {
  std::vector<Kernel> kernels;
  std::bitset<kMostKernels> met;
  for (const TaskId task : graph.topological_order()) {
    const Kernel kernel = graph[task].kernel;
    if (met[static_cast<std::size_t>(kernel)]) continue;
    met.set(static_cast<std::size_t>(kernel));
    kernels.push_back(kernel);
  }
  return kernels;
}

std::vector<std::uint32_t> positions(const TaskGraph& graph) {
  std::vector<std::uint32_t> position(graph.size());
  for (std::uint32_t at = 0; const TaskId task : graph.topological_order()) position[index(task)] = at++;
  return position;
}

/// List scheduling onto `count` streams; without a count a new one is begun whenever no chain can be continued.
std::vector<std::uint32_t> list_schedule(const TaskGraph& graph, std::optional<std::uint32_t> count) {
  constexpr std::uint32_t kNobody = ~0u;
  const std::vector<std::uint32_t> position = positions(graph);
  std::vector<std::uint32_t> streams;
  std::vector<std::uint32_t> last(count.value_or(0), kNobody);  // by stream: the position of its latest launch
  std::vector<std::uint32_t> load(count.value_or(0), 0);
  for (const TaskId task : graph.topological_order()) {
    std::uint32_t followed = kNobody;
    for (const TaskId predecessor : graph.predecessors(task)) {
      const std::uint32_t at = position[index(predecessor)];
      if (last[streams[at]] == at && (followed == kNobody || at > followed)) followed = at;
    }
    std::uint32_t stream = 0;
    if (followed != kNobody) {
      stream = streams[followed];
    } else if (count) {
      stream = static_cast<std::uint32_t>(std::ranges::min_element(load) - load.begin());
    } else {
      stream = static_cast<std::uint32_t>(last.size());
      last.push_back(kNobody);
      load.push_back(0);
    }
    last[stream] = static_cast<std::uint32_t>(streams.size());
    ++load[stream];
    streams.push_back(stream);
  }
  return streams;
}

/// What the host knows to have ended, by having waited for it.
class KnownEnds {
 public:
  KnownEnds(StreamWait wait, std::size_t streams) : wait_(wait), known_(streams, 0), launched_(streams, 0) {}

  bool knows(std::uint32_t stream, std::uint32_t position) const { return position < known_[stream]; }
  void wait_for(std::uint32_t stream, std::uint32_t position) {
    if (wait_ == StreamWait::kDeviceSync) {
      known_ = launched_;
    } else if (wait_ == StreamWait::kStreamSync) {
      known_[stream] = launched_[stream];
    } else if (host_waits(wait_)) {
      known_[stream] = std::max(known_[stream], position + 1);
    }
  }
  void launch(std::uint32_t stream, std::uint32_t position) { launched_[stream] = position + 1; }

 private:
  StreamWait wait_;
  std::vector<std::uint32_t> known_;  ///< by stream: all of its launches before this position
  std::vector<std::uint32_t> launched_;
};

std::vector<StreamLaunch> plan(const TaskGraph& graph, const Design& design, const std::vector<std::uint32_t>& streams,
                               std::uint32_t count) {
  std::vector<StreamLaunch> plan;
  plan.reserve(graph.size());
  const std::vector<std::uint32_t> position = positions(graph);
  const bool marks = design.stream_wait != StreamWait::kStreamSync && design.stream_wait != StreamWait::kDeviceSync;
  KnownEnds ends(design.stream_wait, count);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> others;  // predecessors in other streams: stream, position
  for (const TaskId task : graph.topological_order()) {
    const auto here = static_cast<std::uint32_t>(plan.size());
    StreamLaunch launch{.task = task, .stream = streams[here], .awaited = {}};
    // A stream runs in order, so of several predecessors in one stream only the latest matters, and none in our own.
    others.clear();
    for (const TaskId predecessor : graph.predecessors(task)) {
      const std::uint32_t at = position[index(predecessor)];
      if (streams[at] != launch.stream) others.emplace_back(streams[at], at);
    }
    std::ranges::sort(others);
    for (std::size_t i = 0; i < others.size(); ++i) {
      if (i + 1 < others.size() && others[i + 1].first == others[i].first) continue;
      if (ends.knows(others[i].first, others[i].second)) continue;
      ends.wait_for(others[i].first, others[i].second);
      StreamLaunch& awaited = plan[others[i].second];
      launch.awaited.push_back(awaited.task);
      launch.first_waits += awaited.records_event ? 0 : 1;
      awaited.records_event = marks;
    }
    ends.launch(launch.stream, here);
    plan.push_back(std::move(launch));
  }
  return plan;
}

void mark_programmatic(std::vector<StreamLaunch>& plan, std::uint32_t count) {
  std::vector<const StreamLaunch*> last(count, nullptr);
  for (StreamLaunch& launch : plan) {
    const StreamLaunch* before = std::exchange(last[launch.stream], &launch);
    launch.programmatic = before != nullptr && !before->records_event && launch.awaited.empty();
  }
}

}  // namespace

bool host_waits(StreamWait wait) { return wait != StreamWait::kEvents && wait != StreamWait::kCallback; }

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
  if (design.stream_granularity == StreamGranularity::kListScheduled) return list_schedule(graph, count);
  std::array<std::uint32_t, kMostKernels> of_kernel{};
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
      case StreamGranularity::kHinted:
        streams.push_back(static_cast<std::uint32_t>(graph.traits(task).stream) % count);
        break;
      case StreamGranularity::kSingle:
      case StreamGranularity::kListScheduled:
        streams.push_back(0);
        break;
    }
  }
  return streams;
}

std::vector<StreamLaunch> plan_streams(const TaskGraph& graph, const Design& design) {
  const std::uint32_t count = stream_count(graph, design);
  std::vector<StreamLaunch> launches = plan(graph, design, assign_streams(graph, design), count);
  if (design.programmatic_launch == ProgrammaticLaunch::kOn) mark_programmatic(launches, count);
  return launches;
}

std::vector<StreamLaunch> plan_branches(const TaskGraph& graph) {
  const std::vector<std::uint32_t> branches = list_schedule(graph, std::nullopt);
  return plan(graph, Design{}, branches, branches.empty() ? 0 : *std::ranges::max_element(branches) + 1);
}

std::vector<std::uint8_t> launch_levels(const TaskGraph& graph, const Design& design, std::span<const Duration> durations, int levels) {
  std::vector<std::uint8_t> level(graph.size(), 0);
  if (design.stream_priorities == StreamPriorities::kNone || levels < 2 || graph.size() == 0) return level;
  std::vector<std::int64_t> urgency(graph.size());
  if (design.stream_priorities == StreamPriorities::kCriticalPath) {
    std::ranges::transform(bottom_levels(graph, durations), urgency.begin(), [](Duration below) { return below.count(); });
  } else {
    std::ranges::transform(graph.tasks(), urgency.begin(), &Task::priority);
  }
  const auto [least, greatest] = std::ranges::minmax(urgency);
  for (std::size_t i = 0; i < level.size(); ++i) {
    const double below = static_cast<double>(greatest - urgency[i]) / static_cast<double>(greatest - least + 1);
    level[i] = static_cast<std::uint8_t>(below * levels);
  }
  return level;
}

}  // namespace tasktwin
