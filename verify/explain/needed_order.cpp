#include "verify/explain/needed_order.hpp"

#include <map>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/graph/graph_copy.hpp"
#include "scenarios/importers/parts/imported.hpp"

namespace tasktwin::verify {

std::vector<std::pair<CallPlace, std::string>> waiting_calls(const HostProgram& program) {
  std::vector<std::pair<CallPlace, std::string>> names;
  std::map<std::string, std::size_t> count;
  for (const CallPlace& at : program.order) {
    const HostCall& call = program.call(at);
    if (call.kind != HostCallKind::kWait && !is_sync(call.kind)) continue;
    std::string name = program.names[call.name];
    if (name.empty()) name = call.kind == HostCallKind::kWait ? "wait" : "sync";
    names.emplace_back(at, fmt::format("{}#{}", name, ++count[name]));
  }
  return names;
}

TaskGraph with_needed_edges(const scenarios::Scenario& scenario, const NeededEdges& wanted) {
  if (!scenario.needs) {
    throw InputError(fmt::format("'{}' does not say which memory its work uses: that of a file of 'tasktwin capture' does", scenario.name));
  }
  const scenarios::ProgramNeeds& needs = *scenario.needs;
  const JudgedOrder judged = judge_order(*scenario.program, needs.accesses, needs.dependences, needs.frees);
  std::vector<bool> of_several(scenario.graph.size(), false);
  for (const CallPlace& at : scenario.program->order) {
    const HostCall& call = scenario.program->call(at);
    for (std::size_t i = 0; call.tasks > 1 && i < call.tasks; ++i) of_several[index(call.first) + i] = true;
  }
  TaskGraphBuilder builder;
  copy_tasks(builder, scenario.graph);
  for (std::size_t i = 0; i < scenario.graph.size(); ++i) {
    for (const TaskId before : scenario.graph.predecessors(task_id(i))) {
      if (of_several[i] || of_several[index(before)]) builder.add_edge(before, task_id(i));
    }
  }
  const auto add = [&](const std::vector<Dependence>& dependences) {
    for (const Dependence& one : dependences) {
      if (wanted.reuse || one.kind != DependenceKind::kReuse) builder.add_edge(one.before, one.after);
    }
  };
  add(judged.ordered);
  if (wanted.unordered) add(judged.unordered);
  return std::move(builder).build();
}

scenarios::Scenario without_waits(const scenarios::Scenario& scenario, std::span<const CallPlace> calls) {
  scenarios::Scenario changed = scenario;
  changed.program = without_calls(*scenario.program, calls);
  const TaskGraph& graph = scenario.graph;
  // Edges as dependences of which nothing is known, so that what comes before stays so wherever calls still order it.
  TaskAccesses any;
  any.of.resize(graph.size());
  any.unknown.assign(graph.size(), true);
  any.with_host.assign(graph.size(), true);
  if (scenario.needs) any.orders = scenario.needs->accesses.orders;
  std::vector<Dependence> edges;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    for (const TaskId before : graph.predecessors(task_id(i))) edges.push_back({before, task_id(i), DependenceKind::kUnknown, 0});
  }
  TaskGraphBuilder builder;
  copy_tasks(builder, graph);
  for (const Dependence& one : judge_order(*changed.program, any, edges).ordered) builder.add_edge(one.before, one.after);
  for (const CallPlace& at : changed.program->order) {  // edges within one launch, as of a graph
    const HostCall& call = changed.program->call(at);
    for (std::size_t i = 0; call.tasks > 1 && i < call.tasks; ++i) {
      const TaskId task = task_id(index(call.first) + i);
      for (const TaskId before : graph.predecessors(task)) {
        if (index(before) >= index(call.first)) builder.add_edge(before, task);
      }
    }
  }
  changed.graph = std::move(builder).build();
  return changed;
}

}  // namespace tasktwin::verify
