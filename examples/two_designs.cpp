// Simulates a graph that is built here under two designs, and prints what each takes.
#include <cstdio>
#include <exception>
#include <string>

#include "models/design/design.hpp"
#include "models/explain/metrics.hpp"
#include "models/graph/task_graph.hpp"
#include "models/runtimes/runtimes.hpp"
#include "scenarios/load/scenario.hpp"
#include "sim/simulator.hpp"

using namespace tasktwin;

namespace {

/// `layers` of `width` tasks of `time` each; a task waits for the two above it.
TaskGraph lattice(int layers, int width, Duration time) {
  TaskGraphBuilder builder;
  for (int layer = 0; layer < layers; ++layer) {
    for (int column = 0; column < width; ++column) {
      const TaskId task = builder.add_task(std::to_string(layer) + "." + std::to_string(column), {.cost = {.time = time}, .layer = layer});
      if (layer == 0) continue;
      const auto above = [&](int place) { return task_id(static_cast<std::size_t>((layer - 1) * width + place % width)); };
      builder.add_edge(above(column), task);
      builder.add_edge(above(column + 1), task);
    }
  }
  return std::move(builder).build();
}

}  // namespace

int main() try {
  const TaskGraph graph = lattice(20, 100, std::chrono::microseconds(5));
  const Machine machine = scenarios::load_machine("nvidia-h200");
  for (const char* name : {"central-dispatcher", "work-stealing"}) {
    const Design& design = named_design(name);
    const Timeline timeline = sim::simulate(graph, machine, design).timeline;
    const Metrics metrics = measure(graph, timeline);
    std::printf("%-20s %9lld ns, cores busy %4.1f %%\n", name, static_cast<long long>(to_ns(metrics.makespan)),
                100 * metrics.core_busy_share);
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "error: %s\n", error.what());
  return 1;
}
