#include "verify/explain/kept_streams.hpp"

#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/graph/events.hpp"
#include "models/graph/graph_copy.hpp"
#include "models/program/device_graph.hpp"
#include "models/program/stream_plan.hpp"

namespace tasktwin::verify {

std::vector<int> streams_given(const scenarios::Scenario& scenario, const Design& design) {
  const GraphPart joined = with_edges_for_events(scenario.graph);
  const DeviceGraph placed = on_devices(joined.graph, scenario.machine, design);
  if (placed.graph.size() > placed.tasks && design.stream_granularity != StreamGranularity::kHinted) {
    throw InputError(
        fmt::format("--move: design '{}' puts in copies between devices, which ask for no stream and could not stay where they are; "
                    "choose one of peer_data 'read', or of stream_granularity 'hinted'",
                    design.name));
  }
  const std::vector<TaskId> order = launch_order(placed.graph);
  const std::vector<std::uint32_t> given = assign_streams(placed.graph, design);
  const std::uint32_t count = stream_count(placed.graph, design);
  std::vector<int> streams(scenario.graph.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (index(order[i]) < placed.tasks) streams[index(joined.original[index(order[i])])] = static_cast<int>(given[i] % count);
  }
  return streams;
}

TaskGraph asking_for(const TaskGraph& graph, const std::vector<int>& streams) {
  TaskGraphBuilder builder;
  copy_tasks(builder, graph, [&streams](TaskId id, Task&, TaskTraits& traits) { traits.stream = streams[index(id)]; });
  copy_edges(builder, graph);
  builder.set_problem(graph.problem());
  return std::move(builder).build();
}

}  // namespace tasktwin::verify
