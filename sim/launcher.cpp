#include "sim/launcher.hpp"

#include <algorithm>
#include <utility>

namespace tasktwin::sim {

HostProgram host_program(const TaskGraph& graph, const Machine& machine, const Design& design) {
  const Constants& constants = machine.constants;
  const auto streams = static_cast<std::uint32_t>(design.streams);
  const std::vector<TaskId>& order = graph.topological_order();
  std::vector<std::uint32_t> position(graph.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) position[index(order[i])] = i;

  HostProgram program;
  program.launches.reserve(graph.size());
  TimePoint now{};
  std::vector<std::pair<std::uint32_t, std::uint32_t>> predecessors;  // stream, launch
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    const std::uint32_t stream = i % streams;
    predecessors.clear();
    for (const TaskId predecessor : graph.predecessors(order[i])) {
      const std::uint32_t launch = position[index(predecessor)];
      if (launch % streams != stream) predecessors.emplace_back(launch % streams, launch);
    }
    std::ranges::sort(predecessors);
    const auto first_awaited = static_cast<std::uint32_t>(program.awaited.size());
    for (std::size_t p = 0; p < predecessors.size(); ++p) {
      const bool last_of_stream = p + 1 == predecessors.size() || predecessors[p + 1].first != predecessors[p].first;
      if (last_of_stream) program.awaited.push_back(predecessors[p].second);
    }
    const bool record =
        std::ranges::any_of(graph.successors(order[i]), [&](TaskId successor) { return position[index(successor)] % streams != stream; });
    const Nanoseconds waits = static_cast<double>(program.awaited.size() - first_awaited) * constants.stream_wait;
    const Nanoseconds launched = waits + constants.launch;
    program.launches.push_back({order[i], stream, now + round_ns(waits), now + round_ns(launched), first_awaited});
    now += round_ns(launched + (record ? constants.event_record : Nanoseconds{0}));
  }
  program.end = now;
  return program;
}

std::vector<CoreType> stream_types(const TaskGraph& graph, const Machine& machine, const Design& design) {
  std::vector<CoreType> types(static_cast<std::size_t>(design.streams),
                              machine.compute_cores.empty() ? CoreType::kSm : machine.compute_cores.front().type);
  const std::vector<TaskId>& order = graph.topological_order();
  for (std::size_t i = 0; i < std::min(order.size(), types.size()); ++i) types[i] = graph[order[i]].core_type;
  return types;
}

}  // namespace tasktwin::sim
