#include "models/run/fallback.hpp"

#include "models/cost/body_cost.hpp"
#include "models/runtimes/runtimes.hpp"

namespace tasktwin {

namespace {

Design of_dispatchers(const Design& design) {
  Design other = named_design("ascend-host-built");
  other.name = design.name;
  other.dispatchers = 0;  // all control cores that are left
  other.order = design.order;
  other.own.order = design.own.order;
  other.gang = design.gang;
  other.output_flush = design.output_flush;
  other.graph_build = design.graph_build;
  other.host_build = design.host_build;
  other.orchestrators = design.orchestrators;
  other.window = design.window;
  other.heap_kib = design.heap_kib;
  other.dependency_pool = design.dependency_pool;
  other.spin_limit_us = design.spin_limit_us;
  other.backoff_ns = design.backoff_ns;
  return other;
}

}  // namespace

bool beyond_workers(const TaskGraph& graph, const Machine& machine, const Design& design, TaskId task) {
  const CoreType type = graph[task].core_type;
  return type == CoreType::kMix || (design.gang != Gang::kApart && width(graph, machine, task) > 1);
}

std::optional<TaskId> first_beyond_workers(const TaskGraph& graph, const Machine& machine, const Design& design) {
  if (!graph.has_wide_tasks() || !runtime_of(design).fetching()) return std::nullopt;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (beyond_workers(graph, machine, design, task_id(i))) return task_id(i);
  }
  return std::nullopt;
}

bool falls_back(const TaskGraph& graph, const Machine& machine, const Design& design) {
  return design.fallback == Fallback::kRun && first_beyond_workers(graph, machine, design).has_value();
}

Design design_of_run(const TaskGraph& graph, const Machine& machine, const Design& design) {
  return falls_back(graph, machine, design) ? of_dispatchers(design) : design;
}

}  // namespace tasktwin
