// The front end of CUDA graphs, against one that is followed nanosecond by nanosecond.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "models/base/random.hpp"
#include "models/runtimes/runtimes.hpp"
#include "sim/simulator.hpp"
#include "tests/oracles/graph_front_end.hpp"
#include "tests/sim/small_worlds.hpp"

namespace tasktwin::sim {
namespace {

/// Layers of which each task waits for some of the one before, now and then for all of it; the times are such that hardly two things
/// happen in one nanosecond.
TaskGraph drawn_graph(std::uint64_t seed) {
  Random random(seed);
  TaskGraphBuilder builder;
  std::vector<TaskId> before;
  const std::int64_t layers = random.between(2, 5);
  for (std::int64_t layer = 0; layer < layers; ++layer) {
    std::vector<TaskId> made;
    const std::int64_t width = layer == 0 ? random.between(1, 6) : random.between(1, 12);
    const double chance = random.uniform() < 0.2 ? 1 : random.uniform();
    for (std::int64_t i = 0; i < width; ++i) {
      const TaskId task = builder.add_task("t" + std::to_string(builder.size()), {.cost = {.time = Duration{random.between(500, 9'999)}}});
      made.push_back(task);
      for (const TaskId of : before) {
        if (random.uniform() < chance) builder.add_edge(of, task);
      }
    }
    before = made;
  }
  return std::move(builder).build();
}

TEST(GraphFrontEnd, StartsNodesWhenTheOracleDoes) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Random random(seed + 1000);
    const TaskGraph graph = drawn_graph(seed);
    Machine machine = plain_machine(static_cast<int>(graph.size()));
    mechanism::GraphLaunch& times = *machine.graph_launch;
    times.gap = Nanoseconds{static_cast<double>(random.between(100, 900))};
    times.service = Nanoseconds{static_cast<double>(random.between(1, 300))};
    times.pass = Nanoseconds{static_cast<double>(random.between(1, 700))};
    times.pass_service = Nanoseconds{static_cast<double>(random.between(1, 300))};
    times.fetch = times.gap + Nanoseconds{static_cast<double>(random.between(1, 900))};
    times.per_root = Nanoseconds{static_cast<double>(random.between(1, 1500))};
    std::vector<std::int64_t> starts;
    for (const TaskTimes& task : simulate(graph, machine, named_design("cuda-graph")).timeline.tasks) starts.push_back(to_ns(task.started));
    EXPECT_EQ(starts, oracles::graph_starts(graph, machine)) << "seed " << seed << ", " << graph.size() << " tasks";
  }
}

}  // namespace
}  // namespace tasktwin::sim
