#include "models/program/stream_plan.hpp"

#include <algorithm>
#include <array>
#include <bitset>
#include <functional>
#include <map>
#include <optional>
#include <queue>
#include <string>
#include <utility>

#include "models/base/error.hpp"
#include "models/cost/collective_flows.hpp"
#include "models/graph/critical_path.hpp"

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

std::vector<std::uint32_t> positions(std::span<const TaskId> order) {
  std::vector<std::uint32_t> position(order.size());
  for (std::uint32_t at = 0; const TaskId task : order) position[index(task)] = at++;
  return position;
}

std::size_t device_of(const TaskGraph& graph, TaskId task) { return static_cast<std::size_t>(std::max(0, graph[task].device)); }

/// List scheduling onto `count` streams a device; without a count a new one is begun whenever no chain can be continued.
std::vector<std::uint32_t> list_schedule(const TaskGraph& graph, std::span<const TaskId> order, std::optional<std::uint32_t> count) {
  constexpr std::uint32_t kNobody = ~0u;
  const std::vector<std::uint32_t> position = positions(order);
  std::vector<std::uint32_t> streams;
  const std::size_t all = static_cast<std::size_t>(graph.devices()) * count.value_or(0);
  std::vector<std::uint32_t> last(all, kNobody);  // by stream: the position of its latest launch
  std::vector<std::uint32_t> load(all, 0);
  for (const TaskId task : order) {
    std::uint32_t followed = kNobody;
    for (const TaskId predecessor : graph.predecessors(task)) {
      const std::uint32_t at = position[index(predecessor)];
      if (device_of(graph, predecessor) != device_of(graph, task)) continue;
      if (last[streams[at]] == at && (followed == kNobody || at > followed)) followed = at;
    }
    std::uint32_t stream = 0;
    if (followed != kNobody) {
      stream = streams[followed];
    } else if (count) {
      const auto own = std::span(load).subspan(device_of(graph, task) * *count, *count);
      stream = static_cast<std::uint32_t>(&*std::ranges::min_element(own) - load.data());
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

/// Who is before whom in communicator_order().
class Communicators {
 public:
  explicit Communicators(const TaskGraph& graph) : graph_(graph) {
    if (!graph.has_collectives()) return;
    for (const std::vector<TaskId>& ranks : collectives_of(graph)) {
      std::vector<std::int32_t>& devices = devices_.emplace_back();
      for (const TaskId rank : ranks) devices.push_back(graph[rank].device);
    }
  }

  /// The rank of the communicator's collective before, on the task's device; none for a task that is no rank, and for the first. Contract:
  /// asked once for each task, in the order of the calls.
  std::optional<TaskId> before(TaskId task) {
    if (!is_collective(graph_[task].operation)) return std::nullopt;
    std::optional<TaskId>& last = last_[{devices_[static_cast<std::size_t>(graph_[task].args[1])], graph_[task].device}];
    return std::exchange(last, task);
  }

 private:
  const TaskGraph& graph_;
  std::vector<std::vector<std::int32_t>> devices_;  ///< by number of collective
  std::map<std::pair<std::vector<std::int32_t>, std::int32_t>, std::optional<TaskId>> last_;
};

std::vector<StreamLaunch> plan(const TaskGraph& graph, const Design& design, std::span<const TaskId> order,
                               const std::vector<std::uint32_t>& streams, std::uint32_t count) {
  std::vector<StreamLaunch> plan;
  plan.reserve(graph.size());
  const std::vector<std::uint32_t> position = positions(order);
  const bool marks = design.stream_wait != StreamWait::kStreamSync && design.stream_wait != StreamWait::kDeviceSync;
  KnownEnds ends(design.stream_wait, count);
  Communicators communicators(graph);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> others;  // predecessors in other streams: stream, position
  for (const TaskId task : order) {
    const auto here = static_cast<std::uint32_t>(plan.size());
    StreamLaunch launch{.task = task, .stream = streams[here], .awaited = {}, .device = std::max(0, graph[task].device)};
    // A stream runs in order, so of several predecessors in one stream only the latest matters, and none in our own.
    others.clear();
    const auto follow = [&](TaskId before) {
      const std::uint32_t at = position[index(before)];
      if (streams[at] != launch.stream) others.emplace_back(streams[at], at);
    };
    for (const TaskId predecessor : graph.predecessors(task)) follow(predecessor);
    if (const auto before = communicators.before(task)) follow(*before);
    std::ranges::sort(others);
    for (std::size_t i = 0; i < others.size(); ++i) {
      if (i + 1 < others.size() && others[i + 1].first == others[i].first) continue;
      if (ends.knows(others[i].first, others[i].second)) continue;
      ends.wait_for(others[i].first, others[i].second);
      StreamLaunch& awaited = plan[others[i].second];
      launch.awaited.push_back(awaited.task);
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

/// By launch in `order`.
std::vector<std::uint32_t> assign(const TaskGraph& graph, const Design& design, std::span<const TaskId> order) {
  const std::uint32_t count = stream_count(graph, design);
  if (design.stream_granularity == StreamGranularity::kListScheduled) return list_schedule(graph, order, count);
  std::array<std::uint32_t, kMostKernels> of_kernel{};
  if (design.stream_granularity == StreamGranularity::kPerTaskType) {
    for (std::uint32_t stream = 0; const Kernel kernel : kernels_in_order(graph)) of_kernel[static_cast<std::size_t>(kernel)] = stream++;
  }
  std::vector<std::uint32_t> streams;
  streams.reserve(graph.size());
  std::vector<std::uint32_t> launches(static_cast<std::size_t>(graph.devices()), 0);  // by device
  const auto own = [&](TaskId task) -> std::uint32_t {
    switch (design.stream_granularity) {
      case StreamGranularity::kPerCore:
        return launches[device_of(graph, task)]++ % count;
      case StreamGranularity::kPerTaskType:
        return of_kernel[static_cast<std::size_t>(graph[task].kernel)];
      case StreamGranularity::kPerLayer: {
        const std::int64_t layer = graph[task].layer % std::int64_t{count};
        return static_cast<std::uint32_t>(layer < 0 ? layer + count : layer);
      }
      case StreamGranularity::kHinted:
        return static_cast<std::uint32_t>(graph.traits(task).stream) % count;
      case StreamGranularity::kSingle:
      case StreamGranularity::kListScheduled:
        break;
    }
    return 0;
  };
  for (const TaskId task : order) streams.push_back(static_cast<std::uint32_t>(device_of(graph, task)) * count + own(task));
  return streams;
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

std::uint32_t total_streams(const TaskGraph& graph, const Design& design) {
  return stream_count(graph, design) * static_cast<std::uint32_t>(graph.devices());
}

std::vector<TaskId> launch_order(const TaskGraph& graph) {
  if (!graph.has_collectives()) return graph.topological_order();
  const std::vector<std::vector<TaskId>> collectives = collectives_of(graph);
  // Each collective is one with its first rank.
  std::vector<TaskId> one(graph.size());
  std::vector<std::size_t> waiting(graph.size(), 0);
  for (std::size_t i = 0; i < graph.size(); ++i) one[i] = task_id(i);
  for (const std::vector<TaskId>& ranks : collectives) {
    for (const TaskId rank : ranks) one[index(rank)] = ranks.front();
  }
  for (std::size_t i = 0; i < graph.size(); ++i) waiting[index(one[i])] += graph.in_degree(task_id(i));
  std::priority_queue<TaskId, std::vector<TaskId>, std::greater<>> ready;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (one[i] == task_id(i) && waiting[i] == 0) ready.push(task_id(i));
  }
  std::vector<TaskId> order;
  order.reserve(graph.size());
  const auto launch = [&](TaskId task) {
    order.push_back(task);
    for (const TaskId successor : graph.successors(task)) {
      const TaskId next = one[index(successor)];
      if (--waiting[index(next)] == 0) ready.push(next);
    }
  };
  while (!ready.empty()) {
    const TaskId next = ready.top();
    ready.pop();
    if (!is_collective(graph[next].operation)) {
      launch(next);
      continue;
    }
    for (const TaskId rank : collectives[static_cast<std::size_t>(graph[next].args[1])]) launch(rank);
  }
  if (order.size() == graph.size()) return order;
  for (std::size_t i = 0;; ++i) {
    if (one[i] == task_id(i) && waiting[i] > 0 && is_collective(graph[task_id(i)].operation))
      throw InputError(
          "task '" + std::string(graph.name(task_id(i))) +
          "': its collective waits for itself, or for another that waits for it: some rank of one is behind a rank of the other, "
          "and elsewhere it is the other way about");
  }
}

std::vector<std::pair<TaskId, TaskId>> communicator_order(const TaskGraph& graph, std::span<const TaskId> order) {
  std::vector<std::pair<TaskId, TaskId>> pairs;
  if (!graph.has_collectives()) return pairs;
  Communicators communicators(graph);
  for (const TaskId task : order) {
    if (const auto before = communicators.before(task)) pairs.emplace_back(*before, task);
  }
  return pairs;
}

std::vector<std::uint32_t> assign_streams(const TaskGraph& graph, const Design& design) {
  return assign(graph, design, launch_order(graph));
}

std::vector<StreamLaunch> plan_streams(const TaskGraph& graph, const Design& design) {
  const std::vector<TaskId> order = launch_order(graph);
  const std::uint32_t count = total_streams(graph, design);
  std::vector<StreamLaunch> launches = plan(graph, design, order, assign(graph, design, order), count);
  if (design.programmatic_launch == ProgrammaticLaunch::kOn) mark_programmatic(launches, count);
  return launches;
}

std::vector<StreamLaunch> plan_branches(const TaskGraph& graph) {
  const std::vector<TaskId>& order = graph.topological_order();
  const std::vector<std::uint32_t> branches = list_schedule(graph, order, std::nullopt);
  return plan(graph, Design{}, order, branches, branches.empty() ? 0 : *std::ranges::max_element(branches) + 1);
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
