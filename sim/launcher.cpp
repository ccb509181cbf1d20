#include "sim/launcher.hpp"

namespace tasktwin::sim {

HostProgram host_program(const TaskGraph& graph, const Machine& machine, const Design& design) {
  const Constants& constants = machine.constants;
  HostProgram program{plan_streams(graph, design), {}, {}};
  program.calls.reserve(program.launches.size());
  for (const StreamLaunch& launch : program.launches) {
    const Nanoseconds waits = static_cast<double>(launch.awaited.size()) * constants.stream_wait;
    const Nanoseconds launched = waits + constants.launch;
    program.calls.push_back({program.end + round_ns(waits), program.end + round_ns(launched)});
    program.end += round_ns(launched + (launch.records_event ? constants.event_record : Nanoseconds{0}));
  }
  return program;
}

int hardware_queues(const Machine& machine, const Design& design) {
  return design.hardware_queues > 0 ? design.hardware_queues : machine.launch_limits.hardware_queues;
}

std::vector<CoreType> stream_types(const TaskGraph& graph, const Machine& machine, const Design& design) {
  std::vector<CoreType> types(stream_count(graph, design),
                              machine.compute_cores.empty() ? CoreType::kSm : machine.compute_cores.front().type);
  const std::vector<std::uint32_t> streams = assign_streams(graph, design);
  for (std::size_t i = streams.size(); i-- > 0;) types[streams[i]] = graph[graph.topological_order()[i]].core_type;
  return types;
}

}  // namespace tasktwin::sim
