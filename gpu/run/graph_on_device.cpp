#include "gpu/run/graph_on_device.hpp"

#include <algorithm>
#include <utility>

#include "models/base/error.hpp"
#include "models/graph/events.hpp"
#include "models/graph/kernel.hpp"
#include "models/run/outcome.hpp"

namespace tasktwin::gpu {

namespace {

/// The rows that the order check looks through: of each task those that must be done when its body begins. Those after an event are in
/// for it; tasks that wait for one event alone share its row.
EdgeRows checked_rows(const TaskGraph& graph, std::vector<std::uint32_t>& counts) {
  const std::vector<std::vector<TaskId>> behind = tasks_behind_events(graph);
  EdgeRows rows{.offsets = std::vector<std::uint32_t>(graph.size()), .targets = {}};
  counts.resize(graph.size());
  const auto add_row = [&](std::size_t task, const auto& add) {
    rows.offsets[task] = static_cast<std::uint32_t>(rows.targets.size());
    add();
    counts[task] = static_cast<std::uint32_t>(rows.targets.size()) - rows.offsets[task];
    if (rows.targets.size() > kMostJoinedEdges)
      throw InputError("more than " + std::to_string(kMostJoinedEdges) +
                       " edges, with those that events stand for, would have to be checked");
  };
  const auto add_behind = [&](TaskId event) {
    for (const TaskId before : behind[index(event)]) rows.targets.push_back(static_cast<std::uint32_t>(before));
  };
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (is_event(graph[task_id(i)])) add_row(i, [&] { add_behind(task_id(i)); });
  }
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const auto predecessors = graph.predecessors(task_id(i));
    if (is_event(graph[task_id(i)])) continue;
    if (predecessors.size() == 1 && is_event(graph[predecessors.front()])) {
      rows.offsets[i] = rows.offsets[index(predecessors.front())];
      counts[i] = counts[index(predecessors.front())];
      continue;
    }
    add_row(i, [&] {
      for (const TaskId before : predecessors) {
        if (is_event(graph[before]))
          add_behind(before);
        else
          rows.targets.push_back(static_cast<std::uint32_t>(before));
      }
    });
  }
  return rows;
}

}  // namespace

std::vector<std::uint32_t> events_last(const TaskGraph& graph) {
  if (event_count(graph) == 0) return {};
  std::vector<std::uint32_t> places(graph.size());
  std::uint32_t next = 0;
  for (const bool events : {false, true}) {
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (is_event(graph[task_id(i)]) == events) places[i] = next++;
    }
  }
  return places;
}

DeviceGraph::DeviceGraph(const TaskGraph& graph, const RunOptions& options, std::vector<std::uint32_t> places_of,
                         std::span<const Duration> durations, EventUse use, const ToldEdges& told)
    : places(std::move(places_of)), events(static_cast<std::uint32_t>(event_count(graph))) {
  const std::vector<TaskDescriptor> bodies = make_descriptors(graph);
  const Outcome outcome = draw_outcome(graph, options.seed);
  std::vector<std::uint32_t> rows;
  std::vector<std::uint32_t> offsets{0};
  std::vector<std::uint32_t> counts(graph.size());
  rows.reserve(graph.edge_count());
  offsets.reserve(graph.size() + 1);
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const bool tells = use == EventUse::kPassed || !is_event(graph[task_id(i)]);
    for (const TaskId successor : graph.successors(task_id(i))) {
      if (!tells) break;
      if (!told.has(task_id(i), successor)) continue;
      const bool spawned = graph.has_spawns() && graph.spawner(successor) == task_id(i);
      if (!spawned && options.ignores(task_id(i), successor)) continue;
      rows.push_back(place(index(successor)) | (spawned ? kSpawned : 0));
      ++counts[place(index(successor))];
    }
    offsets.push_back(static_cast<std::uint32_t>(rows.size()));
  }
  for (const TaskId task : options.never_released) ++counts[place(index(task))];

  std::vector<std::uint32_t> checked_counts;
  const EdgeRows with_events = events > 0 ? checked_rows(graph, checked_counts) : EdgeRows{};
  const EdgeRows& before = events > 0 ? with_events : graph.predecessor_rows();
  host_tasks.reserve(graph.size());
  for (std::size_t i = 0; i < graph.size(); ++i) {
    DeviceTask& task = host_tasks.emplace_back();
    task.body = bodies[i];
    task.holds = outcome.holds[i] ? 1 : 0;
    task.prologue_ns = static_cast<std::uint32_t>(to_ns(graph.traits(task_id(i)).prologue));
    if (!outcome.holds[i]) task.body.kernel = static_cast<std::uint32_t>(Kernel::kEmpty);
    task.edges = {offsets[i],
                  offsets[i + 1] - offsets[i],
                  before.offsets[i],
                  events > 0 ? checked_counts[i] : before.offsets[i + 1] - before.offsets[i],
                  {}};
    const std::size_t heads = std::min<std::size_t>(kHeadSuccessors, task.edges.successor_count);
    std::copy_n(rows.begin() + offsets[i], heads, task.edges.head);
    task.expected_ns = durations.empty() ? 0 : static_cast<std::uint32_t>(std::clamp<std::int64_t>(to_ns(durations[i]), 0, 1'000'000'000));
    task.blocks = static_cast<std::uint32_t>(graph.traits(task_id(i)).blocks);
    if (task.blocks > 1) task.first_block = std::exchange(blocks_of_wide, blocks_of_wide + task.blocks);
    task.spawned = static_cast<std::uint32_t>(std::count_if(rows.begin() + offsets[i], rows.begin() + offsets[i + 1],
                                                            [](std::uint32_t entry) { return (entry & kSpawned) != 0; }));
    task.awaited = counts[place(i)];
    const bool watches = use != EventUse::kPassed && std::ranges::any_of(graph.predecessors(task_id(i)), [&graph](TaskId predecessor) {
                           return is_event(graph[predecessor]);
                         });
    if (task.awaited == 0 && !watches && !is_event(graph[task_id(i)])) roots.push_back(static_cast<std::uint32_t>(i));
  }
  for (std::size_t i = 0; i < graph.size() && use == EventUse::kRaised && events > 0; ++i) {
    if (is_event(graph[task_id(i)])) --counts[place(i)];
  }
  tasks = {std::span<const DeviceTask>(host_tasks), "the tasks"};
  successors = {std::span<const std::uint32_t>(rows), "the edges"};
  predecessors = {std::span<const std::uint32_t>(before.targets), "the edges"};
  predecessor_counts = {std::span<const std::uint32_t>(counts), "the dependency counters"};
  if (!graph.has_spawns()) return;

  std::vector<DeviceTask> present = tasks_by_place();
  BeforeSpawning& before_all = before_spawning.emplace();
  before_all.templates = {std::span<const DeviceTask>(present), "the tasks to be spawned"};
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (!graph.spawner(task_id(i))) {
      before_all.created += is_event(graph[task_id(i)]) ? 0 : 1;
      continue;
    }
    present[place(i)] = {};
    present[place(i)].body.kernel = kNoKernel;
    counts[place(i)] = 0;
  }
  before_all.tasks = {std::span<const DeviceTask>(present), "the tasks"};
  before_all.counts = {std::span<const std::uint32_t>(counts), "the dependency counters"};
}

std::vector<DeviceTask> DeviceGraph::tasks_by_place() const {
  std::vector<DeviceTask> sorted(host_tasks.size());
  for (std::size_t i = 0; i < host_tasks.size(); ++i) sorted[place(i)] = host_tasks[i];
  return sorted;
}

}  // namespace tasktwin::gpu
