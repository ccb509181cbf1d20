#include "models/checks/remarks.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

#include "models/checks/submission_room.hpp"
#include "models/graph/events.hpp"
#include "models/runtimes/runtimes.hpp"

namespace tasktwin {

namespace {

/// A field of tasks that only some designs read.
struct TaskField {
  std::string_view name;  ///< in scenario files
  bool (*stated)(const Task&, const TaskTraits&);
  std::string_view (*needs)(const TaskGraph&, const Design&);  ///< what it would need to count; empty where it counts
};

bool plans_streams(const Design& design) {
  return runtime_of(design).streams() || (runtime_of(design).graph() && design.graph_source == GraphSource::kCapture);
}

/// Otherwise layers_of() takes the tasks' depths in place of the layers that they state.
bool has_rising_layers(const TaskGraph& graph) {
  return std::ranges::all_of(graph.topological_order(), [&](TaskId task) {
    return std::ranges::all_of(graph.successors(task), [&](TaskId next) { return graph[task].layer < graph[next].layer; });
  });
}

std::string_view priority_needs(const TaskGraph&, const Design& design) {
  if (design.order == TaskOrder::kPriority || design.stream_priorities == StreamPriorities::kTask) return {};
  return "order 'priority', or driver 'streams' and stream_priorities 'task'";
}

std::string_view layer_needs(const TaskGraph& graph, const Design& design) {
  if (plans_streams(design) && design.stream_granularity == StreamGranularity::kPerLayer) return {};
  if (std::ranges::any_of(design.parts, [](const DesignPart& part) { return part.layers || part.release == Release::kBarrier; })) return {};
  if (design.device_placement == DevicePlacement::kByLayer) return {};
  if (!runtime_of(design).barrier()) return "release 'barrier' or stream_granularity 'per_layer'";
  return has_rising_layers(graph) ? "" : "layers that rise along every dependency; here the tasks' depths stand in for them";
}

std::string_view stream_needs(const TaskGraph&, const Design& design) {
  if (plans_streams(design) && design.stream_granularity == StreamGranularity::kHinted) return {};
  return "stream_granularity 'hinted'";
}

std::string_view shard_needs(const TaskGraph&, const Design& design) {
  return design.device_placement == DevicePlacement::kHinted ? "" : "device_placement 'hinted'";
}

std::string_view footprint_needs(const TaskGraph&, const Design& design) {
  return runtime_of(design).resident() ? "a driver that launches kernels, not 'persistent' or 'host_dispatcher'" : "";
}

std::string_view cluster_needs(const TaskGraph&, const Design& design) {
  const bool counts = runtime_of(design).of_host();
  return counts ? "" : "driver 'streams' or 'cuda_graph'";
}

std::string_view cooperative_needs(const TaskGraph&, const Design& design) {
  const Runtime& runtime = runtime_of(design);
  if (runtime.of_host()) return {};
  return runtime.resident() ? "driver 'streams' or 'cuda_graph'; a dispatcher starts all blocks of a task at once under gang 'together'"
                            : "driver 'streams' or 'cuda_graph'";
}

std::string_view estimate_needs(const TaskGraph&, const Design& design) {
  const bool planned = has_lists(design) && design.placement != Placement::kRoundRobin && design.placement != Placement::kReplay;
  const bool ordered =
      design.order == TaskOrder::kCriticalPath || design.order == TaskOrder::kLongest || design.order == TaskOrder::kShortest;
  if (planned || ordered || design.placement == Placement::kLeastLoaded || design.stream_priorities == StreamPriorities::kCriticalPath)
    return {};
  return "a placement or order that goes by times, such as heft, least_loaded or critical_path";
}

std::string_view workers_needs(const TaskGraph&, const Design& design) {
  return has_lists(design) ? "" : "workers with lists that a placement fills with all tasks, such as those of static-queues";
}

/// Whether orchestrators may have to wait for room in `axis`, or in any ring where that is empty.
bool may_fill(const TaskGraph& graph, const Design& design, std::string_view axis = {}) {
  return std::ranges::any_of(rings(graph, design),
                             [axis](const Ring& ring) { return (axis.empty() || ring.axis == axis) && ring.ends.back() > ring.size; });
}

std::string_view output_needs(const TaskGraph& graph, const Design& design) {
  return may_fill(graph, design, "heap_kib") ? "" : "graph_build 'device' and a heap_kib that they can fill";
}

std::string_view scope_needs(const TaskGraph& graph, const Design& design) {
  return may_fill(graph, design) ? "" : "graph_build 'device' and a window, heap_kib or dependency_pool that the graph can fill";
}

constexpr std::array kTaskFields{
    TaskField{"priority", [](const Task& task, const TaskTraits&) { return task.priority != 0 && task.operation == Operation::kKernel; },
              priority_needs},
    TaskField{"priority", [](const Task& task, const TaskTraits&) { return task.priority != 0 && task.operation != Operation::kKernel; },
              [](const TaskGraph&, const Design&) -> std::string_view { return "operation 'kernel'"; }},
    TaskField{"estimate_ns", [](const Task&, const TaskTraits& traits) { return traits.estimate >= Duration{0}; }, estimate_needs},
    TaskField{"workers", [](const Task&, const TaskTraits& traits) { return traits.workers.has_value(); }, workers_needs},
    TaskField{"output_bytes", [](const Task&, const TaskTraits& traits) { return traits.output != 0; }, output_needs},
    TaskField{"scope", [](const Task&, const TaskTraits& traits) { return traits.scope != 0; }, scope_needs},
    TaskField{"layer", [](const Task& task, const TaskTraits&) { return task.layer != 0; }, layer_needs},
    TaskField{"stream", [](const Task&, const TaskTraits& traits) { return traits.stream != 0; }, stream_needs},
    TaskField{"shard", [](const Task&, const TaskTraits& traits) { return traits.shard >= 0; }, shard_needs},
    TaskField{"threads", [](const Task&, const TaskTraits& traits) { return traits.threads != 0; }, footprint_needs},
    TaskField{"registers",  // those of a scenario's own kernels were measured, and nobody has stated them
              [](const Task& task, const TaskTraits& traits) { return traits.registers != 0 && !is_own(task.kernel); }, footprint_needs},
    TaskField{"shared_memory_bytes", [](const Task&, const TaskTraits& traits) { return traits.shared_memory != 0; }, footprint_needs},
    TaskField{"carveout", [](const Task&, const TaskTraits& traits) { return traits.carveout >= 0; }, footprint_needs},
    TaskField{"cluster", [](const Task&, const TaskTraits& traits) { return traits.cluster > 1; }, cluster_needs},
    TaskField{"cooperative", [](const Task&, const TaskTraits& traits) { return traits.cooperative && traits.blocks > 1; },
              cooperative_needs},
    TaskField{"cooperative", [](const Task&, const TaskTraits& traits) { return traits.cooperative && traits.blocks == 1; },
              [](const TaskGraph&, const Design&) -> std::string_view { return "several blocks"; }},
};

/// Blocks of grids that are split, and pieces of collectives, under a design that launches each of them.
std::string split_remark(const TaskGraph& graph, const Design& design) {
  if (runtime_of(design).resident()) return {};
  std::size_t count = 0;
  TaskId first{};
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (graph.traits(task_id(i)).split_of != 0 && count++ == 0) first = task_id(i);
  }
  if (count == 0) return {};
  return "each block of a split grid, and each piece of a collective, is a kernel of its own here: " + std::to_string(count) +
         " kernels, the first '" + std::string(graph.name(first)) +
         "'; without split, or with blocks in place of pieces, they are one each";
}

/// Tasks that state a group that no other task is of.
std::string meets_remark(const TaskGraph& graph) {
  std::map<int, std::vector<TaskId>> groups;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (const int group = graph.traits(task_id(i)).co_resident; group != 0) groups[group].push_back(task_id(i));
  }
  std::erase_if(groups, [](const auto& entry) { return entry.second.size() > 1; });
  if (groups.empty()) return {};
  const auto& [number, tasks] = *groups.begin();
  const std::string first = "'" + std::string(graph.name(tasks.front())) + "'";
  const bool one = groups.size() == 1;
  return "meets of " + (one ? "task " + first : std::to_string(groups.size()) + " tasks, the first task " + first + ",") +
         " names a group of no other task" + (one ? " (" + std::to_string(number) + ")" : "") + ", so that none is waited for";
}

/// A task that may spawn more tasks than name it.
std::string spawns_remark(const TaskGraph& graph) {
  if (std::ranges::none_of(graph.all_traits(), [](const TaskTraits& traits) { return traits.spawn_count.has_value(); })) return {};
  std::vector<std::int32_t> spawned(graph.size(), 0);
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (const auto spawner = graph.spawner(task_id(i))) ++spawned[index(*spawner)];
  }
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const auto& count = graph.traits(task_id(i)).spawn_count;
    if (!count || count->back() <= spawned[i]) continue;
    const std::string named = "task '" + std::string(graph.name(task_id(i))) + "' spawns ";
    if (spawned[i] == 0) return named + "none, so that its spawn_count does nothing";
    return named + std::to_string(spawned[i]) + (spawned[i] == 1 ? " task" : " tasks") + ", and its spawn_count goes up to " +
           std::to_string(count->back());
  }
  return {};
}

/// All bodies take less than any kernel does, as where microseconds stand for nanoseconds.
std::string short_bodies_remark(const TaskGraph& graph) {
  constexpr Duration kNoKernel{100};
  std::size_t count = 0;
  TaskId longest{};
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const Task& task = graph[task_id(i)];
    if (task.operation != Operation::kKernel || task.cost.time <= Duration{0}) continue;
    if (task.cost.time >= kNoKernel) return {};
    if (count++ == 0 || task.cost.time > graph[longest].cost.time) longest = task_id(i);
  }
  if (count == 0) return {};
  return "the longest body, of task '" + std::string(graph.name(longest)) + "', takes " + std::to_string(to_ns(graph[longest].cost.time)) +
         " ns, less than any kernel; are these microseconds? 1 us is 1000 ns";
}

}  // namespace

std::vector<std::string> task_remarks(const TaskGraph& graph, const Design& design) {
  std::vector<std::string> remarks;
  for (const TaskField& field : kTaskFields) {
    const std::string_view needs = field.needs(graph, design);
    if (needs.empty()) continue;
    std::size_t count = 0;
    TaskId first{};
    for (std::size_t i = 0; i < graph.size(); ++i) {
      if (field.stated(graph[task_id(i)], graph.traits(task_id(i))) && count++ == 0) first = task_id(i);
    }
    if (count == 0) continue;
    const std::string name = "task '" + std::string(graph.name(first)) + "'";
    remarks.push_back(std::string(field.name) + " of " + (count == 1 ? name : std::to_string(count) + " tasks, the first " + name + ",") +
                      " does not count here: it needs " + std::string(needs));
  }
  if (std::string split = split_remark(graph, design); !split.empty()) remarks.push_back(std::move(split));
  if (std::string alone = meets_remark(graph); !alone.empty()) remarks.push_back(std::move(alone));
  if (std::string fewer = spawns_remark(graph); !fewer.empty()) remarks.push_back(std::move(fewer));
  if (std::string units = short_bodies_remark(graph); !units.empty()) remarks.push_back(std::move(units));
  return remarks;
}

std::vector<std::string> flush_races(const TaskGraph& graph, const Design& design) {
  const OutputFlush flush = design.output_flush;
  if (flush == OutputFlush::kBoth) return {};
  std::size_t read = 0;  // outputs, by each task that waits for one, or by an event
  std::optional<std::pair<TaskId, TaskId>> first;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (is_event(graph[task_id(i)])) continue;
    for (TaskId reader : graph.successors(task_id(i))) {
      ++read;
      while (!first && is_event(graph[reader]) && graph.out_degree(reader) > 0) reader = *graph.successors(reader).begin();
      if (!first) first = {task_id(i), reader};
    }
  }
  if (!first) return {};
  const std::string writer = "'" + std::string(graph.name(first->first)) + "'";
  const std::string reader = "'" + std::string(graph.name(first->second)) + "'";
  std::string text = "output_flush '" + std::string(to_word(flush)) + "' is a race: " + reader + " may read what " + writer +
                     " puts out before it is there";
  if (read > 1) text += ", and so on along " + std::to_string(read - 1) + " further dependences";
  if (!writer_waits(flush)) text += "; " + writer + " signals its end without waiting for its output to land";
  if (!reader_waits(flush)) text += "; " + reader + " may read before it has seen that " + writer + " has ended";
  return {text + "; output_flush 'both' waits at both ends"};
}

}  // namespace tasktwin
