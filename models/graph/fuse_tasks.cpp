#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "models/base/names.hpp"
#include "models/graph/graph_copy.hpp"
#include "models/graph/graph_edits.hpp"

namespace tasktwin {

namespace {

std::string quoted(const TaskGraph& graph, TaskId task) { return "'" + std::string(graph.name(task)) + "'"; }

/// What makes a task no kernel of which another could become a part; empty where it is one.
std::string why_not_plain(const TaskGraph& graph, TaskId task) {
  const TaskTraits& traits = graph.traits(task);
  if (graph[task].operation != Operation::kKernel) return "is of operation " + std::string(to_word(graph[task].operation));
  if (traits.probability != 1) return "has a probability";
  if (traits.other_type) return "may run on another type of core";
  if (!traits.samples.empty()) return "has observed times";
  if (!traits.parts.empty()) return "has parts of unlike length";
  if (graph.spawner(task)) return "is spawned";
  if (reads_rows(graph[task].kernel)) return "runs kernel " + std::string(graph.kernel_name(task)) + ", which counts rows";
  return {};
}

std::string device_text(std::int32_t device) { return device == kAnyDevice ? "none that it states" : std::to_string(device); }

/// Why `second`, which alone follows `first`, cannot be a part of it; none where it can.
std::optional<std::string> why_apart(const TaskGraph& graph, TaskId first, TaskId second) {
  for (const TaskId task : {first, second}) {
    if (const std::string why = why_not_plain(graph, task); !why.empty()) return quoted(graph, task) + " " + why;
  }
  const TaskTraits& one = graph.traits(first);
  const TaskTraits& then = graph.traits(second);
  if (then.prologue > Duration{0} || then.prologue_bytes > 0)  // it would be no prologue in the middle of a body
    return quoted(graph, second) + " has a prologue";
  const auto unlike = [&](const std::string& field, const std::string& of_first, const std::string& of_second) {
    return quoted(graph, first) + " has " + field + " " + of_first + ", " + quoted(graph, second) + " " + of_second;
  };
  const auto number = [](std::int64_t value) { return std::to_string(value); };
  const auto word = [](bool value) { return std::string(value ? "true" : "false"); };
  if (graph[first].kernel != graph[second].kernel)
    return unlike("kernel", std::string(graph.kernel_name(first)), std::string(graph.kernel_name(second)));
  if (graph[first].core_type != graph[second].core_type)
    return unlike("core_type", std::string(to_word(graph[first].core_type)), std::string(to_word(graph[second].core_type)));
  if (graph[first].device != graph[second].device)
    return unlike("device", device_text(graph[first].device), device_text(graph[second].device));
  if (one.blocks != then.blocks) return unlike("blocks", number(one.blocks), number(then.blocks));
  if (one.aic != then.aic) return unlike("aic", number(one.aic), number(then.aic));
  if (one.aiv != then.aiv) return unlike("aiv", number(one.aiv), number(then.aiv));
  if (one.cluster != then.cluster) return unlike("cluster", number(one.cluster), number(then.cluster));
  if (one.cooperative != then.cooperative) return unlike("cooperative", word(one.cooperative), word(then.cooperative));
  if (one.co_resident != then.co_resident) return unlike("meets", number(one.co_resident), number(then.co_resident));
  if (one.workers != then.workers) return quoted(graph, first) + " and " + quoted(graph, second) + " have unlike workers";
  if (graph[first].device == kAnyDevice && one.shard != then.shard) return unlike("shard", number(one.shard), number(then.shard));
  return std::nullopt;
}

/// By TaskId the one that it goes into: itself, or the first of its chain.
std::vector<TaskId> chains(const TaskGraph& graph, std::string_view pattern, EditedGraph& edited) {
  const std::vector<bool> marks = tasks_meant(graph, pattern);
  std::vector<TaskId> head(graph.size());
  for (const TaskId task : graph.topological_order()) {
    head[index(task)] = task;
    if (graph.in_degree(task) != 1 || !marks[index(task)]) continue;
    const TaskId before = *graph.predecessors(task).begin();
    if (graph.out_degree(before) != 1 || !marks[index(before)]) continue;
    std::optional<std::string> why = why_apart(graph, before, task);
    if (!why)
      head[index(task)] = head[index(before)];
    else if (edited.apart++ == 0)
      edited.apart_as = *std::move(why);
  }
  return head;
}

/// Of the time of a body, what schedulers plan with.
Duration planned(Duration time, const TaskTraits& traits) { return traits.estimate < Duration{} ? time : traits.estimate; }

/// Contract: `part` follows on what `task` is made of already.
void add_part(Task& task, TaskTraits& traits, const Task& part, const TaskTraits& then) {
  if (traits.estimate >= Duration{} || then.estimate >= Duration{})
    traits.estimate = planned(task.cost.time, traits) + planned(part.cost.time, then);
  task.cost.time += part.cost.time;
  task.cost.flops += part.cost.flops;
  task.cost.bytes += part.cost.bytes;
  const double sigma = std::hypot(static_cast<double>(task.cost.sigma_ns), static_cast<double>(part.cost.sigma_ns));
  task.cost.sigma_ns = static_cast<std::uint32_t>(std::lround(sigma));
  traits.threads = traits.threads == 0 || then.threads == 0 ? 0 : std::max(traits.threads, then.threads);  // 0: the whole core's
  traits.registers = std::max(traits.registers, then.registers);
  traits.shared_memory = std::max(traits.shared_memory, then.shared_memory);
  traits.carveout = std::max(traits.carveout, then.carveout);
  traits.output = then.output;
  std::vector<std::int32_t> uses;
  std::ranges::set_union(traits.uses, then.uses, std::back_inserter(uses));
  traits.uses = std::move(uses);
}

}  // namespace

EditedGraph fuse_tasks(const TaskGraph& graph, std::string_view pattern) {
  EditedGraph edited;
  const std::vector<TaskId> head = chains(graph, pattern, edited);
  std::vector<std::vector<TaskId>> parts(graph.size());
  for (const TaskId task : graph.topological_order()) parts[index(head[index(task)])].push_back(task);
  TaskGraphBuilder builder;
  std::vector<std::uint32_t> place(graph.size());
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (parts[i].empty()) continue;
    Task task = graph[task_id(i)];
    TaskTraits traits = graph.traits(task_id(i));
    for (const TaskId part : parts[i]) {
      place[index(part)] = static_cast<std::uint32_t>(builder.size());
      if (part != task_id(i)) add_part(task, traits, graph[part], graph.traits(part));
    }
    if (parts[i].size() > 1) edited.matched += parts[i].size();
    task.traits = builder.add_traits(traits);
    const TaskId made = builder.add_task(
        std::string(graph.name(task_id(i))) + (parts[i].size() > 1 ? " +" + std::to_string(parts[i].size() - 1) : ""), task);
    builder.set_draw(made, graph.draw(task_id(i)));
    std::ranges::sort(parts[i]);
    edited.from.push_back(std::move(parts[i]));
  }
  copy_edges(builder, graph, place);
  copy_buffer_names(builder, graph);
  // A fused body has the arguments of its first part alone, which compute no numbers of a problem.
  if (edited.matched == 0 || std::holds_alternative<OwnKernels>(graph.problem())) builder.set_problem(graph.problem());
  edited.graph = std::move(builder).build();
  return edited;
}

}  // namespace tasktwin
