#include "verify/explain/needed_order.hpp"

#include <algorithm>
#include <map>
#include <utility>

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

bool shows_all_order(const HostProgram& program) { return program.threads.size() == 1; }

TaskGraph with_needed_edges(const scenarios::Scenario& scenario, const NeededEdges& wanted) {
  if (!scenario.needs) {
    throw InputError(fmt::format("'{}' does not say which memory its work uses: that of a file of 'tasktwin capture' does", scenario.name));
  }
  const scenarios::ProgramNeeds& needs = *scenario.needs;
  const JudgedOrder judged = judge_order(*scenario.program, needs.accesses,
                                         wanted.reuse ? needs.dependences : true_dependences(needs.accesses, true), needs.frees);
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
    for (const Dependence& one : dependences) builder.add_edge(one.before, one.after);
  };
  add(judged.ordered);
  if (wanted.unordered) add(judged.unordered);
  return std::move(builder).build();
}

namespace {

/// Accesses of which nothing is known, so that what comes before stays so wherever calls still order it.
TaskAccesses anything(const scenarios::Scenario& scenario) {
  TaskAccesses any;
  any.of.resize(scenario.graph.size());
  any.unknown.assign(scenario.graph.size(), true);
  any.with_host.assign(scenario.graph.size(), true);
  if (scenario.needs) any.orders = scenario.needs->accesses.orders;
  return any;
}

std::vector<Dependence> edges_of(const TaskGraph& graph) {
  std::vector<Dependence> edges;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    for (const TaskId before : graph.predecessors(task_id(i))) edges.push_back({before, task_id(i), DependenceKind::kUnknown, 0});
  }
  return edges;
}

/// The scenario with these calls, and of its work's order, and of `more`, what they keep.
scenarios::Scenario with_calls(const scenarios::Scenario& scenario, HostProgram calls, std::span<const NeededOrder> more) {
  scenarios::Scenario changed = scenario;
  changed.program = std::move(calls);
  const TaskGraph& graph = scenario.graph;
  const TaskAccesses any = anything(scenario);
  std::vector<Dependence> edges = edges_of(graph);
  for (const NeededOrder& one : more) {
    const bool known = std::ranges::any_of(graph.predecessors(one.after), [&one](TaskId before) { return before == one.before; });
    if (!known) edges.push_back({one.before, one.after, DependenceKind::kUnknown, 0});
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

EventCalls event_calls(const scenarios::Scenario& scenario) {
  const auto& calls = scenario.machine.host_calls;
  return calls ? EventCalls{.record = round_ns(calls->event_record), .wait = round_ns(calls->stream_wait)} : EventCalls{};
}

/// What the wait keeps back: of a stream its next launch, of a thread its next into each stream.
std::vector<NeededOrder> kept_back(const HostProgram& program, const CallPlace& wait, TaskId task) {
  std::vector<NeededOrder> orders;
  std::vector<bool> seen(program.streams, false);
  const HostCall& waits = program.call(wait);
  const auto from = std::ranges::find(program.order, wait);
  for (const CallPlace& at : std::ranges::subrange(from, program.order.end())) {
    const HostCall& call = program.call(at);
    if (call.kind != HostCallKind::kLaunch || call.tasks == 0 || seen[call.stream]) continue;
    if (waits.kind == HostCallKind::kWait ? call.stream != waits.stream : at.first != wait.first) continue;
    seen[call.stream] = true;
    orders.push_back({task, call.first});
  }
  return orders;
}

}  // namespace

scenarios::Scenario without_waits(const scenarios::Scenario& scenario, std::span<const CallPlace> calls) {
  return with_calls(scenario, without_calls(*scenario.program, calls), {});
}

scenarios::Scenario with_wait_behind(const scenarios::Scenario& scenario, const CallPlace& call, TaskId task) {
  const HostProgram& program = *scenario.program;
  return with_calls(scenario, tasktwin::with_wait_behind(program, call, task, event_calls(scenario)), kept_back(program, call, task));
}

scenarios::Scenario with_orders(const scenarios::Scenario& scenario, std::span<const ReplacedWait> waits) {
  std::vector<NeededOrder> orders;
  for (const ReplacedWait& wait : waits) orders.insert(orders.end(), wait.orders.begin(), wait.orders.end());
  return with_calls(scenario, tasktwin::with_orders(*scenario.program, waits, event_calls(scenario)), orders);
}

std::vector<Dependence> no_longer_ordered(const scenarios::Scenario& before, const scenarios::Scenario& after) {
  const TaskAccesses accesses = before.needs ? before.needs->accesses : anything(before);
  const std::vector<Dependence> dependences = before.needs ? before.needs->dependences : edges_of(before.graph);
  const auto unordered = [&](const HostProgram& program) {
    return judge_order(program, accesses, dependences, before.needs ? before.needs->frees : std::vector<FreedMemory>{}).unordered;
  };
  std::vector<Dependence> lost = unordered(*after.program);
  const std::vector<Dependence> known = unordered(*before.program);
  std::erase_if(lost, [&known](const Dependence& one) { return std::ranges::find(known, one) != known.end(); });
  return lost;
}

}  // namespace tasktwin::verify
