// The search for groups that hold each other's cores, against all orders of small graphs, tried one by one, and against simulated runs.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "models/base/error.hpp"
#include "models/base/random.hpp"
#include "models/checks/meetings.hpp"
#include "models/checks/stalls.hpp"
#include "models/runtimes/runtimes.hpp"
#include "sim/simulator.hpp"
#include "tests/sim/all_orders.hpp"
#include "tests/sim/device_worlds.hpp"
#include "tests/sim/small_worlds.hpp"

namespace tasktwin::sim {
namespace {

/// `threads`: of each block.
TaskGraph random_meetings(Random& random, int threads = 0) {
  TaskGraphBuilder builder;
  const auto tasks = static_cast<std::size_t>(random.between(3, 7));
  for (std::size_t i = 0; i < tasks; ++i) {
    const std::uint32_t traits = builder.add_traits({.blocks = static_cast<int>(random.between(1, 2)),
                                                     .threads = threads,
                                                     .stream = static_cast<int>(i),
                                                     .co_resident = static_cast<int>(random.between(0, 3))});
    builder.add_task("t" + std::to_string(i), {.cost = {.time = Duration{random.between(1, 50)}}, .traits = traits});
    for (std::size_t from = 0; from < i; ++from) {
      if (random.uniform() < 0.12) builder.add_edge(task_id(from), task_id(i));
    }
  }
  return std::move(builder).build();
}

TEST(StallSearch, FindsWhatSomeOrderOfBlocksShows) {
  Random random(7);
  int hang = 0;
  int end = 0;
  for (int i = 0; i < 500; ++i) {
    const TaskGraph graph = random_meetings(random);
    const auto cores = static_cast<int>(random.between(2, 6));
    const Machine machine = plain_machine(cores);
    const Design design = named_design("cuda-graph");
    const bool hangs = AllOrders(graph, machine, design).some_hang();
    const bool found = !find_stalls({graph, machine, design, {}}).empty();
    ASSERT_EQ(found, hangs) << "graph " << i << " on " << cores << " cores";
    (hangs ? hang : end)++;
  }
  EXPECT_GT(hang, 40);
  EXPECT_GT(end, 40);
}

TEST(StallSearch, OfBlocksThatAreHalfACoreIsAsOfTwiceAsManyCores) {
  int hang = 0;
  int missed = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    Random again(seed);
    const TaskGraph halves = random_meetings(random, 512);
    const TaskGraph wholes = random_meetings(again);
    const auto cores = static_cast<int>(random.between(1, 3));
    Machine machine = plain_machine(cores);
    machine.core_limits = {.blocks = 32, .threads = 1024, .registers = 65536, .shared_memory = 65536};
    const Design design = named_design("cuda-graph");
    const bool hangs = AllOrders(wholes, plain_machine(2 * cores), design).some_hang();
    const bool found = !find_stalls({halves, machine, design, {}}).empty();
    EXPECT_LE(found, hangs) << "graph " << seed;
    hang += hangs;
    missed += hangs && !found;
  }
  EXPECT_GT(hang, 10);
  EXPECT_EQ(missed, 0) << "of " << hang;
}

/// Collectives, and kernels of one device or several that meet, in up to three streams a device.
TaskGraph random_groups(Random& random, int devices, int cores) {
  DeviceGraphs graphs;
  const auto pick = [&random](int from, int to) { return static_cast<int>(random.between(from, to)); };
  const int groups = pick(2, 3);
  std::vector<std::vector<TaskId>> made;
  for (int group = 1; group <= groups; ++group) {
    const int stream = pick(0, 2);
    if (random.uniform() < 0.6) {
      std::vector<int> on;
      const int left_out = devices > 2 ? pick(0, devices) : devices;
      for (int device = 0; device < devices; ++device) {
        if (device != left_out) on.push_back(device);
      }
      made.push_back(graphs.collective(Operation::kAllReduce, on, pick(1, 4), 0, stream));
      continue;
    }
    std::vector<TaskId>& kernels = made.emplace_back();
    for (int i = pick(1, 2); i >= 0; --i)
      kernels.push_back(graphs.add({.cost = {.time = Duration{10}}, .device = pick(0, devices - 1)},
                                   {.blocks = pick(1, cores), .stream = pick(0, 2), .co_resident = group, .cooperative = pick(0, 3) == 0}));
  }
  if (random.uniform() < 0.4) {
    const auto& from = made[static_cast<std::size_t>(pick(0, groups - 1))];
    const auto& to = made[static_cast<std::size_t>(pick(0, groups - 1))];
    const TaskId a = from[static_cast<std::size_t>(pick(0, static_cast<int>(from.size()) - 1))];
    const TaskId b = to[static_cast<std::size_t>(pick(0, static_cast<int>(to.size()) - 1))];
    if (index(a) < index(b) && &from != &to) graphs.edge(a, b);
  }
  return graphs.build();
}

TEST(StallSearch, FindsWhatSomeOrderShowsOnSeveralDevices) {
  Random random(5);
  int hang = 0;
  int end = 0;
  for (int i = 0; i < 2000; ++i) {
    const auto devices = static_cast<int>(random.between(2, 3));
    const auto cores = static_cast<int>(random.between(2, 4));
    Machine machine = device_machine(devices);
    machine.compute_cores.front().count = cores;
    machine.collectives->blocks = static_cast<int>(random.between(1, cores));
    machine.collectives->block_bytes = 1;
    const TaskGraph graph = random_groups(random, devices, cores);
    const Design design = device_streams();
    const bool hangs = AllOrders(graph, machine, design).some_hang();
    const bool found = !find_stalls({graph, machine, design, {}}).empty();
    ASSERT_EQ(found, hangs) << "graph " << i << " on " << devices << " devices of " << cores << " cores";
    (hangs ? hang : end)++;
  }
  EXPECT_GT(hang, 40);
  EXPECT_GT(end, 40);
}

TEST(StallSearch, KnowsOfEverySimulatedRunThatHangs) {
  Random random(11);
  int hung = 0;
  for (int i = 0; i < 1000; ++i) {
    const TaskGraph graph = random_meetings(random);
    Machine machine = plain_machine(static_cast<int>(random.between(2, 6)));
    machine.host_calls->launch = Nanoseconds{5};
    Design design = named_design(i % 2 == 0 ? "cuda-graph" : "cuda-streams");
    if (design.driver == Driver::kStreams) {
      design.streams = 7;
      design.stream_granularity = StreamGranularity::kHinted;
    }
    try {
      simulate(graph, machine, design);
    } catch (const InputError&) {
      EXPECT_TRUE(certain_stall({graph, machine, design, {}})) << i;
    } catch (const RunError& error) {
      ++hung;
      EXPECT_FALSE(possible_stalls(graph, machine, design).empty()) << i << " " << error.what();
      EXPECT_NE(std::string(error.what()).find("in some orders the run hangs"), std::string::npos) << error.what();
    }
  }
  EXPECT_GT(hung, 10);
}

}  // namespace
}  // namespace tasktwin::sim
