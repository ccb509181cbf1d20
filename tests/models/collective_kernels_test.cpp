// Kernels in place of collectives: what they read, and what they wait for.
#include "models/graph/collective_kernels.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "models/graph/graph_copy.hpp"
#include "models/graph/operation.hpp"

namespace tasktwin {
namespace {

/// On each device `parts` kernels, then the collective, then a kernel.
TaskGraph around(Operation operation, int devices, int parts, std::int64_t bytes) {
  TaskGraphBuilder builder;
  for (std::int32_t device = 0; device < devices; ++device) {
    std::vector<TaskId> before;
    for (int part = 0; part < parts; ++part)
      before.push_back(builder.add_task("part" + std::to_string(part) + "@" + std::to_string(device), {.device = device}));
    const TaskId rank = builder.add_task("sum@" + std::to_string(device), {.cost = {.bytes = {bytes}},
                                                                           .args = {0, 1, has_root(operation) ? 1 : 0},
                                                                           .kernel = Kernel::kEmpty,
                                                                           .operation = operation,
                                                                           .device = device});
    for (const TaskId part : before) builder.add_edge(part, rank);
    builder.add_edge(rank, builder.add_task("next@" + std::to_string(device), {.device = device}));
  }
  return std::move(builder).build();
}

TaskId task_named(const TaskGraph& graph, const std::string& name) {
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (graph.name(task_id(i)) == name) return task_id(i);
  }
  ADD_FAILURE() << "no task " << name;
  return {};
}

/// All that a task waits for.
std::set<TaskId> before(const TaskGraph& graph, TaskId task) {
  std::set<TaskId> found;
  std::vector<TaskId> open{task};
  while (!open.empty()) {
    const TaskId at = open.back();
    open.pop_back();
    for (const TaskId predecessor : graph.predecessors(at)) {
      if (found.insert(predecessor).second) open.push_back(predecessor);
    }
  }
  return found;
}

/// Bytes that come to each device from each other: tasks of one rank that share a task's bytes get them once.
std::map<std::pair<int, int>, std::int64_t> moved(const TaskGraph& graph) {
  std::map<std::pair<TaskId, int>, std::int64_t> most;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    for_each_input(graph, task_id(i), [&](TaskId from, std::int64_t count) {
      if (graph[from].device == graph[task_id(i)].device) return;
      std::int64_t& bytes = most[{from, graph[task_id(i)].device}];
      bytes = std::max(bytes, count);
    });
  }
  std::map<std::pair<int, int>, std::int64_t> bytes;
  for (const auto& [way, count] : most) bytes[{graph[way.first].device, way.second}] += count;
  return bytes;
}

TEST(CollectiveKernels, ReadWhatTheCollectiveBringsFromEachDevice) {
  constexpr std::int64_t kBytes = 120'000;
  for (const int devices : {2, 3, 8}) {
    const std::int64_t part = kBytes / devices;
    for (const auto& [operation, by, from_each] : {std::tuple{Operation::kAllReduce, CollectivesBy::kOneShot, kBytes},
                                                   {Operation::kAllReduce, CollectivesBy::kTwoShot, 2 * part},
                                                   {Operation::kAllGather, CollectivesBy::kOneShot, part},
                                                   {Operation::kReduceScatter, CollectivesBy::kTwoShot, part},
                                                   {Operation::kAllToAll, CollectivesBy::kOneShot, part},
                                                   {Operation::kBroadcast, CollectivesBy::kOneShot, kBytes}}) {
      for (const int pieces : {1, 7}) {
        const TaskGraph graph =
            with_kernels_for_collectives(around(operation, devices, 3, kBytes), {.by = by, .pieces = pieces, .blocks = 2});
        EXPECT_FALSE(graph.has_collectives());
        for (int to = 0; to < devices; ++to) {
          for (int from = 0; from < devices; ++from) {
            const auto bytes = moved(graph);
            const auto found = bytes.find({from, to});
            const std::int64_t expected = from == to || (has_root(operation) && from != 1) ? 0 : from_each;
            EXPECT_EQ(found == bytes.end() ? 0 : found->second, expected)
                << to_word(operation) << " " << to_word(by) << " on " << devices << " from " << from << " to " << to;
          }
        }
      }
    }
  }
}

TEST(CollectiveKernels, WaitForAllRanksAndAreWaitedFor) {
  for (const CollectivesBy by : {CollectivesBy::kOneShot, CollectivesBy::kTwoShot}) {
    const TaskGraph graph = with_kernels_for_collectives(around(Operation::kAllReduce, 4, 2, 4096), {.by = by, .pieces = 3});
    for (int device = 0; device < 4; ++device) {
      const std::set<TaskId> waited = before(graph, task_named(graph, "next@" + std::to_string(device)));
      for (int other = 0; other < 4; ++other) {
        for (int part = 0; part < 2; ++part)
          EXPECT_TRUE(waited.contains(task_named(graph, "part" + std::to_string(part) + "@" + std::to_string(other))));
      }
      for (int piece = 0; piece < 3; ++piece)
        EXPECT_TRUE(waited.contains(task_named(graph, "sum@" + std::to_string(device) + "." + std::to_string(piece))));
    }
  }
}

TEST(CollectiveKernels, OfRanksThatNothingComesBeforeReadFromAnEmptyTask) {
  const TaskGraph graph = with_kernels_for_collectives(around(Operation::kAllReduce, 2, 0, 1000), {.by = CollectivesBy::kOneShot});
  EXPECT_EQ(moved(graph).at({0, 1}), 1000);
  EXPECT_EQ(graph[task_named(graph, "sum@0.begin")].kernel, Kernel::kEmpty);
  EXPECT_EQ(graph.size(), 6U) << "a begin, a piece and a next on each";
}

TEST(CollectiveKernels, ShareWhatTheyReadOfTheSameTasks) {
  for (const CollectivesBy by : {CollectivesBy::kOneShot, CollectivesBy::kTwoShot}) {
    const TaskGraph graph = with_kernels_for_collectives(around(Operation::kAllReduce, 2, 1, 64'000), {.by = by, .pieces = 4});
    const bool two = by == CollectivesBy::kTwoShot;
    EXPECT_EQ(graph.traits(task_named(graph, two ? "sum@0.part.1" : "sum@0.1")).split_of, 4);
    EXPECT_EQ(graph.traits(task_named(graph, "sum@0.1")).split_of, two ? 0 : 4) << "in the second step each reads a piece of its own";
  }
  const TaskGraph one = with_kernels_for_collectives(around(Operation::kAllReduce, 2, 1, 64'000), {.by = CollectivesBy::kOneShot});
  EXPECT_EQ(one.traits(task_named(one, "sum@0")).split_of, 0);
}

TEST(CollectiveKernels, MoveTheirOwnDevicesBytesInBlocksAlike) {
  const TaskGraph graph =
      with_kernels_for_collectives(around(Operation::kAllReduce, 2, 1, 64'000), {.by = CollectivesBy::kOneShot, .pieces = 4, .blocks = 8});
  const TaskId piece = task_named(graph, "sum@0.0");
  EXPECT_EQ(graph.traits(piece).blocks, 8);
  EXPECT_EQ(graph[piece].cost.bytes.count * 8 * 4, 2 * 64'000) << "reads its own part and writes the sum";
}

}  // namespace
}  // namespace tasktwin
