#include "verify/bench/launch_costs/launch_costs.hpp"

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/runtimes/runtimes.hpp"
#include "sim/simulator.hpp"
#include "verify/bench/launch_costs/predicted_launch_costs.hpp"

namespace tasktwin::verify {

namespace {

constexpr int kStreamRepeats = 5;

LaunchCosts measure(const TaskGraph& graph, const Machine& machine, const LaunchBackend& backend, std::int64_t& violations) {
  LaunchCosts costs{.graph = backend.graph_calls(graph)};
  gpu::RunOptions options{.repeats = 1, .check_results = false};
  violations += backend.run(graph, machine, named_design("cuda-graph"), options).ordering_violations;
  options.repeats = kStreamRepeats;
  const gpu::Measurement streams = backend.run(graph, machine, named_design("cuda-streams"), options);
  violations += streams.ordering_violations;
  costs.streams_ns = host_busy_ns(streams.timeline);
  return costs;
}

LaunchCosts predict(const TaskGraph& graph, const Machine& machine) {
  return {.graph = predict_graph_calls(graph, machine),
          .streams_ns = host_busy_ns(sim::simulate(graph, machine, named_design("cuda-streams")).timeline)};
}

constexpr LaunchQuantity kQuantities[] = {
    {"prepare", "instantiating and uploading a graph", [](const LaunchCosts& c) { return c.graph.instantiate_ns + c.graph.upload_ns; }},
    {"instantiate", "of which instantiating", [](const LaunchCosts& c) { return c.graph.instantiate_ns; }, false},
    {"upload", "of which the upload call", [](const LaunchCosts& c) { return c.graph.upload_ns; }, false},
    {"launch", "launch call of a graph launched before", [](const LaunchCosts& c) { return c.graph.launch_ns; }},
    {"first_launch", "launch call of a graph neither uploaded nor launched before",
     [](const LaunchCosts& c) { return c.graph.first_launch_ns; }, false},
    {"first_node", "launch call begun to the first node's start", [](const LaunchCosts& c) { return c.graph.first_start_ns; }},
    {"node", "first start to the last end, a node",
     [](const LaunchCosts& c) { return (c.graph.makespan_ns - c.graph.first_start_ns) / static_cast<double>(c.graph.nodes); }},
    {"set_nodes", "setting all nodes' parameters", [](const LaunchCosts& c) { return c.graph.set_nodes_ns; }},
    {"update", "updating in place from another graph", [](const LaunchCosts& c) { return c.graph.update_ns; }},
    {"streams", "the calls that launch the same kernels into 32 streams", [](const LaunchCosts& c) { return c.streams_ns; }},
};

}  // namespace

LaunchBackend gpu_launch_backend() { return {.graph_calls = gpu::probe_graph_calls, .run = gpu::run}; }

std::vector<LaunchCostRow> measure_launch_costs(const Machine& machine, const LaunchBackend& backend,
                                                const std::function<void(const std::string&)>& progress) {
  std::vector<LaunchCostRow> rows;
  for (const LaunchShape& shape : launch_shapes()) {
    for (const int size : kLaunchSizes) {
      progress(fmt::format("launching {} nodes as {}", size, shape.name));
      const TaskGraph graph = shape.make(size);
      LaunchCostRow& row = rows.emplace_back(LaunchCostRow{.shape = shape.name, .size = size, .edges = graph.edge_count()});
      row.predicted = predict(graph, machine);
      try {
        row.measured = measure(graph, machine, backend, row.ordering_violations);
      } catch (const RunError& error) {
        row.fault = error.what();
      }
    }
  }
  return rows;
}

std::span<const LaunchQuantity> launch_quantities() { return kQuantities; }

}  // namespace tasktwin::verify
