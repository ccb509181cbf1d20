#include "sim/streams/checks/operation_check.hpp"

#include <set>
#include <string>

#include "models/base/error.hpp"
#include "models/checks/mechanisms.hpp"
#include "models/cost/body_cost.hpp"
#include "models/cost/collective_flows.hpp"
#include "models/program/buffers.hpp"
#include "models/runtimes/runtimes.hpp"

namespace tasktwin::sim {

namespace {

/// Devices of an all_to_all. Each sends a flow to each other, and each flow costs its share of a new solution when another starts or ends.
constexpr std::size_t kMostPairwise = 256;

std::string value(auto axis) { return "'" + std::string(to_word(axis)) + "'"; }

/// Why no task of that operation runs under the design; empty if it does.
std::string why_not(Operation operation, const Design& design) {
  const Runtime& runtime = runtime_of(design);
  if (operation == Operation::kEvent) return {};  // counted down, or edges take its place
  if (!runtime.of_host())
    return "driver " + value(design.driver) + " runs kernels only; it needs " +
           (is_collective(operation) ? "'collectives: {by: one_shot}' in the scenario, which has kernels make them, or " : "") +
           "driver 'streams' or 'cuda_graph'";
  if (runtime.graph() && is_collective(operation) && design.graph_source != GraphSource::kCapture)
    return "collectives come into a graph by capture; it needs graph_source 'capture'";
  if (runtime.graph() && is_allocation(operation))
    return "the memory nodes of driver 'cuda_graph' are not simulated; it needs driver 'streams'";
  if (design.stream_wait == StreamWait::kCallback) return "stream_wait 'callback' launches kernels only";
  if (design.programmatic_launch == ProgrammaticLaunch::kOn) return "programmatic_launch 'on' goes with kernels only";
  return {};
}

std::string named(const TaskGraph& graph, TaskId id) {
  const std::string_view word = to_word(graph[id].operation);
  return "task '" + std::string(graph.name(id)) + "' is " + (word.starts_with('e') || word.starts_with('a') ? "an " : "a ") +
         std::string(word);
}

/// Refuses tasks that do not run under the design on any machine.
void check_kinds(const TaskGraph& graph, const Design& design) {
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const Operation operation = graph[task_id(i)].operation;
    if (operation == Operation::kKernel) continue;
    if (const std::string why = why_not(operation, design); !why.empty())
      throw InputError(named(graph, task_id(i)) + ", which design '" + design.name + "' cannot run: " + why);
  }
}

/// What is simulated as flows must not be too many of them.
void check_flows(const TaskGraph& graph) {
  if (!graph.has_collectives()) return;
  for (const std::vector<TaskId>& ranks : collectives_of(graph)) {
    if (ranks.size() <= kMostPairwise) continue;
    const Task& first = graph[ranks.front()];
    if (first.operation != Operation::kAllToAll || first.cost.time > Duration{0}) continue;
    throw InputError(named(graph, ranks.front()) + " over " + std::to_string(ranks.size()) +
                     " devices; as flows it is simulated over up to " + std::to_string(kMostPairwise));
  }
}

}  // namespace

void check_operations(const TaskGraph& graph, const Machine& machine, const Design& design) {
  if (!graph.has_operations()) return;
  if (const auto fault = buffer_fault(graph)) throw InputError(fault->why);
  check_kinds(graph, design);
  check_flows(graph);
  check_mechanisms(design, machine, graph);
  std::set<std::int32_t> freed;
  for (const Task& task : graph.tasks()) {
    if (task.operation == Operation::kFree) freed.insert(task.args[0]);
  }
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const Task& task = graph[task_id(i)];
    if (task.operation == Operation::kKernel) continue;
    if (machine.devices.count() > 1 && is_allocation(task.operation))
      throw InputError(named(graph, task_id(i)) + "; allocations are simulated on machines of one device, and machine '" + machine.name +
                       "' has " + std::to_string(machine.devices.count()));
    if (machine.devices.count() == 1 && task.operation == Operation::kCopyP2p && task.args[2] != 0)
      throw InputError(named(graph, task_id(i)) + " to device " + std::to_string(task.args[2]) + ", but machine '" + machine.name +
                       "' has one device; leave to_device out");
    if (task.operation == Operation::kAlloc && design.replays > 1 && !freed.contains(task.args[0]))
      throw InputError(named(graph, task_id(i)) + " whose buffer nothing frees; design '" + design.name +
                       "' with replays of 2 or more needs a free");
    if (!is_transfer(task.operation) || task.cost.time > Duration{0}) continue;  // a time that is given asks no link
    if (transfer_rate(machine, task.operation, graph.traits(task_id(i)).pageable) <= 0)
      throw InputError(named(graph, task_id(i)) + ", for which machine '" + machine.name + "' states no bandwidth");
  }
}

}  // namespace tasktwin::sim
