#include "models/design/design_parts.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <string>

#include "models/base/error.hpp"
#include "models/graph/graph_copy.hpp"

namespace tasktwin {

namespace {

bool is_barrier(const DesignPart& part) { return part.release == Release::kBarrier; }

bool names(const DesignPart& part, const TaskGraph& graph, TaskId task) {
  if (part.layers && (graph[task].layer < part.layers->front() || graph[task].layer > part.layers->back())) return false;
  return part.kinds.empty() || std::ranges::find(part.kinds, graph.kernel_name(task)) != part.kinds.end();
}

/// nullopt where the part leaves that to the design.
std::optional<TaskSeat> seat(const DesignPart& part) {
  if (part.ready_queue == ReadyQueue::kShared) return TaskSeat::kShared;
  if (part.placement == Placement::kAnyIdle) return TaskSeat::kOwnQueue;
  if (part.placement || part.ready_queue) return TaskSeat::kList;
  return std::nullopt;
}

/// The layers that begin with a barrier, ascending.
std::set<std::int32_t> gated_layers(const TaskGraph& graph, const Design& design) {
  std::set<std::int32_t> layers;
  if (std::ranges::none_of(design.parts, is_barrier)) return layers;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const DesignPart* const part = part_of(graph, design, task_id(i));
    if (part != nullptr && is_barrier(*part)) layers.insert(graph[task_id(i)].layer);
  }
  return layers;
}

std::string kinds_text(const TaskGraph& graph) {
  std::set<std::string_view> kinds;
  for (std::size_t i = 0; i < graph.size(); ++i) kinds.insert(graph.kernel_name(task_id(i)));
  std::string text;
  for (const std::string_view kind : kinds) text += (text.empty() ? "'" : ", '") + std::string(kind) + "'";
  return text;
}

/// "0 to 4, 7": stretches without a gap.
std::string layers_text(const TaskGraph& graph) {
  std::set<std::int32_t> layers;
  for (std::size_t i = 0; i < graph.size(); ++i) layers.insert(graph[task_id(i)].layer);
  std::string text;
  for (auto first = layers.begin(); first != layers.end();) {
    auto last = first;
    while (std::next(last) != layers.end() && *std::next(last) == *last + 1) ++last;
    text += (text.empty() ? "" : ", ") + std::to_string(*first) + (last == first ? "" : " to " + std::to_string(*last));
    first = std::next(last);
  }
  return text;
}

}  // namespace

const DesignPart* part_of(const TaskGraph& graph, const Design& design, TaskId task) {
  const auto found = std::ranges::find_if(design.parts, [&](const DesignPart& part) { return names(part, graph, task); });
  return found == design.parts.end() ? nullptr : &*found;
}

std::vector<TaskSeat> task_seats(const TaskGraph& graph, const Design& design) {
  std::vector<TaskSeat> seats(graph.size(), TaskSeat::kShared);
  const bool shared = design.ready_queue == ReadyQueue::kPerWorkerAndShared;
  std::vector<TaskId> others;  // that no part seats
  const auto set = [&](TaskId task, TaskSeat to) {
    const bool listed = graph[task].operation != Operation::kEvent && (!shared || !graph.spawner(task));
    seats[index(task)] = to == TaskSeat::kList && !listed ? TaskSeat::kShared : to;
  };
  for (const TaskId task : graph.topological_order()) {
    const DesignPart* const part = design.parts.empty() ? nullptr : part_of(graph, design, task);
    const std::optional<TaskSeat> stated = part == nullptr ? std::nullopt : seat(*part);
    if (stated) {
      set(task, *stated);
    } else if (graph.traits(task).kind != kGateKind) {
      others.push_back(task);
    }
  }
  others.resize(others.size() * static_cast<std::size_t>(design.static_percent) / 100);
  for (const TaskId task : others) set(task, TaskSeat::kList);
  return seats;
}

std::optional<TaskGraph> with_gates(const TaskGraph& graph, const Design& design) {
  const std::set<std::int32_t> layers = gated_layers(graph, design);
  if (layers.empty()) return std::nullopt;
  TaskGraphBuilder builder;
  copy_tasks(builder, graph);
  copy_edges(builder, graph);
  std::optional<std::int32_t> last;  // gated layer: the gate of it waits for all before it
  std::optional<TaskId> last_gate;
  for (const std::int32_t layer : layers) {
    Task gate{.layer = layer, .kernel = Kernel::kEmpty, .core_type = graph[task_id(0)].core_type};
    gate.traits = builder.add_traits({.kind = kGateKind});
    const TaskId id = builder.add_task("gate of layer " + std::to_string(layer), gate);
    if (last_gate) builder.add_edge(*last_gate, id);
    for (std::size_t i = 0; i < graph.size(); ++i) {
      const std::int32_t of = graph[task_id(i)].layer;
      if (of == layer) builder.add_edge(id, task_id(i));
      if (of < layer && (!last || of >= *last)) builder.add_edge(task_id(i), id);
    }
    last = layer;
    last_gate = id;
  }
  builder.set_problem(graph.problem());
  return std::move(builder).build();
}

void check_parts(const TaskGraph& graph, const Design& design) {
  std::vector<bool> used(design.parts.size());
  for (std::size_t i = 0; i < graph.size() && !design.parts.empty(); ++i) {
    if (const DesignPart* const part = part_of(graph, design, task_id(i)))
      used[static_cast<std::size_t>(part - design.parts.data())] = true;
  }
  const auto refuse = [&](std::size_t part, const std::string& why) {
    throw InputError("design '" + design.name + "': parts[" + std::to_string(part) + "] " + why);
  };
  for (std::size_t p = 0; p < used.size(); ++p) {
    if (!used[p]) {
      const DesignPart& part = design.parts[p];
      const std::string kinds = part.kinds.empty() && part.layers ? "" : "kinds are " + kinds_text(graph);
      const std::string layers = part.layers ? "layers are " + layers_text(graph) : "";
      refuse(p, "names no task, or none that an earlier part does not name; the graph's " + kinds +
                    (kinds.empty() || layers.empty() ? "" : ", its ") + layers);
    }
    if (!is_barrier(design.parts[p])) continue;
    for (std::size_t i = 0; i < graph.size(); ++i) {
      for (const TaskId before : graph.predecessors(task_id(i))) {
        if (graph[before].layer > graph[task_id(i)].layer)
          refuse(p, "has release 'barrier', but task '" + std::string(graph.name(task_id(i))) + "' of layer " +
                        std::to_string(graph[task_id(i)].layer) + " waits for '" + std::string(graph.name(before)) + "' of layer " +
                        std::to_string(graph[before].layer) + "; layers must not fall along a dependency");
      }
    }
  }
}

}  // namespace tasktwin
