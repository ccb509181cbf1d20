#include "verify/bench/launch_costs/predicted_launch_costs.hpp"

#include <algorithm>

#include "models/design/design.hpp"
#include "models/runtimes/runtimes.hpp"
#include "sim/simulator.hpp"

namespace tasktwin::verify {

namespace {

Timeline launched(const TaskGraph& graph, const Machine& machine, int replays, GraphUpdate update, double host_pace) {
  Design design = named_design("cuda-graph");
  design.replays = replays;
  design.graph_update = update;
  return sim::simulate(graph, machine, design, {.host_pace = host_pace}).timeline;
}

}  // namespace

double host_busy_ns(const Timeline& timeline) {
  Duration busy{};
  for (const Span& span : timeline.dispatchers.front()) busy += span.end - span.begin;
  return static_cast<double>(busy.count());
}

gpu::GraphCallTimes predict_graph_calls(const TaskGraph& graph, const Machine& machine, double host_pace) {
  gpu::GraphCallTimes times;
  times.nodes = graph.size();
  const Timeline once = launched(graph, machine, 1, GraphUpdate::kNone, host_pace);  // refuses a machine without graph_launch
  times.host_call_ns = host_pace * machine.graph_launch->reference_launch.count();
  times.launch_ns = host_busy_ns(once);
  TimePoint first = TimePoint::max();
  for (std::size_t i = 0; i < graph.size(); ++i) {
    times.roots += graph.in_degree(task_id(i)) == 0 ? 1 : 0;
    first = std::min(first, once.tasks[i].started);
  }
  times.first_start_ns = static_cast<double>(to_ns(first));
  times.makespan_ns = static_cast<double>(once.makespan().count());
  const auto between_launches = [&](GraphUpdate update) {
    return host_busy_ns(launched(graph, machine, 2, update, host_pace)) - 2 * times.launch_ns;
  };
  times.set_nodes_ns = between_launches(GraphUpdate::kNodeParams);
  times.update_ns = between_launches(GraphUpdate::kWholeGraph);
  times.instantiate_ns = between_launches(GraphUpdate::kReinstantiate);
  return times;
}

}  // namespace tasktwin::verify
