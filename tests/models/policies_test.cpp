#include "models/policies/policies.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/base/error.hpp"
#include "models/base/random.hpp"
#include "models/runtimes/runtimes.hpp"
#include "tests/models/graphs.hpp"
#include "tests/support/free_machine.hpp"

namespace tasktwin {
namespace {

using testing::ElementsAre;
using testing_graphs::random_graph;
using testing_graphs::times_of;

/// A task a letter, all ready at once in the order a, b, c, d; behind them e (of a and d), f (of d), g (of d).
/// Times 30, 10, 40, 20, 50, 1, 1; priorities 0, 5, -3, 5.
TaskGraph hand_graph() {
  TaskGraphBuilder builder;
  const auto add = [&builder](const char* name, int time, int priority) {
    return builder.add_task(name, {.cost = {.time = Duration{time}}, .priority = priority});
  };
  const TaskId a = add("a", 30, 0);
  add("b", 10, 5);
  add("c", 40, -3);
  const TaskId d = add("d", 20, 5);
  const TaskId e = add("e", 50, 0);
  const TaskId f = add("f", 1, 0);
  const TaskId g = add("g", 1, 0);
  builder.add_edge(a, e);
  builder.add_edge(d, e);
  builder.add_edge(d, f);
  builder.add_edge(d, g);
  return std::move(builder).build();
}

/// The first four tasks as the order takes them, equal keys in order of arrival.
std::string taken(TaskOrder order, std::uint64_t seed = 1) {
  const TaskGraph graph = hand_graph();
  const std::vector<Duration> times = times_of(graph);
  const auto policy = make_task_order(order, {graph, times, seed});
  std::vector<std::size_t> ready{0, 1, 2, 3};
  std::ranges::stable_sort(ready, {}, [&policy](std::size_t i) { return policy->key(task_id(i), i); });
  std::string names;
  for (const std::size_t i : ready) names += graph.name(task_id(i));
  return names;
}

TEST(TaskOrder, FifoTakesTheFirstToBecomeReady) { EXPECT_EQ(taken(TaskOrder::kFifo), "abcd"); }
TEST(TaskOrder, LifoTakesTheLastToBecomeReady) { EXPECT_EQ(taken(TaskOrder::kLifo), "dcba"); }
TEST(TaskOrder, CriticalPathTakesTheHighestBottomLevel) { EXPECT_EQ(taken(TaskOrder::kCriticalPath), "adcb"); }  // 80, 70, 40, 10
TEST(TaskOrder, LongestTakesTheLongest) { EXPECT_EQ(taken(TaskOrder::kLongest), "cadb"); }
TEST(TaskOrder, ShortestTakesTheShortest) { EXPECT_EQ(taken(TaskOrder::kShortest), "bdac"); }
TEST(TaskOrder, MostSuccessorsTakesTheOneWithMost) { EXPECT_EQ(taken(TaskOrder::kMostSuccessors), "dabc"); }
TEST(TaskOrder, PriorityTakesTheHighestAndEqualsByArrival) { EXPECT_EQ(taken(TaskOrder::kPriority), "bdac"); }

TEST(TaskOrder, RandomDependsOnTheSeedAlone) {
  EXPECT_EQ(taken(TaskOrder::kRandom, 1), taken(TaskOrder::kRandom, 1));
  std::set<std::string> orders;
  for (std::uint64_t seed = 0; seed < 500; ++seed) orders.insert(taken(TaskOrder::kRandom, seed));
  EXPECT_EQ(orders.size(), 24U) << "every permutation comes up";
}

/// What machine and design come to for workers of given types: a task takes its time where its type is, `hop` later it is seen.
StaticInputs inputs_for(const TaskGraph& graph, const std::vector<CoreType>& workers, std::int64_t hop = 0) {
  return {graph, workers.size(),
          [&graph, &workers](TaskId task, std::size_t worker) {
            return graph[task].core_type == workers[worker] ? graph[task].cost.time.count() : -1;
          },
          [hop](TaskId, TaskId, bool same_worker) { return same_worker ? 0 : hop; }};
}

TEST(RoundRobin, DealsTasksInTopologicalOrderToTheWorkersOfTheirType) {
  TaskGraphBuilder builder;
  for (const CoreType type : {CoreType::kAic, CoreType::kAiv, CoreType::kAic, CoreType::kAic, CoreType::kAiv}) {
    builder.add_task("t", {.core_type = type});
  }
  builder.add_edge(task_id(3), task_id(0));  // topological order 1, 2, 3, 0, 4
  const TaskGraph graph = std::move(builder).build();
  const std::vector<CoreType> workers{CoreType::kAic, CoreType::kAiv, CoreType::kAic};
  const FrozenSchedule schedule = make_frozen_schedule(Placement::kRoundRobin, inputs_for(graph, workers));
  EXPECT_THAT(schedule, ElementsAre(ElementsAre(task_id(2), task_id(0)), ElementsAre(task_id(1), task_id(4)), ElementsAre(task_id(3))));
}

/// Runs each worker's list in its order; false if they wait for each other.
bool runs_through(const TaskGraph& graph, const FrozenSchedule& schedule) {
  std::vector<std::size_t> next(schedule.size());
  std::vector<bool> done(graph.size());
  std::size_t left = graph.size();
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t w = 0; w < schedule.size(); ++w) {
      if (next[w] == schedule[w].size()) continue;
      const TaskId task = schedule[w][next[w]];
      if (!std::ranges::all_of(graph.predecessors(task), [&done](TaskId before) { return done[index(before)]; })) continue;
      done[index(task)] = moved = true;
      ++next[w];
      --left;
    }
  }
  return left == 0;
}

TEST(FrozenPlacements, PlaceEachTaskOnceOnItsTypeAndNeverDeadlock) {
  const std::vector<CoreType> workers{CoreType::kSm, CoreType::kAic, CoreType::kSm};
  for (const auto& [placement, word] : Words<Placement>::entries) {
    if (!is_static(placement) || placement == Placement::kReplay) continue;
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
      // Times of 0 to 2 ns and no communication: many equal start times.
      const TaskGraph graph = random_graph({.tasks = 20, .edge_probability = 0.15, .longest_ns = 2, .core_types = 2}, seed);
      const FrozenSchedule schedule = make_frozen_schedule(placement, inputs_for(graph, workers, static_cast<std::int64_t>(seed % 3)));
      ASSERT_EQ(schedule.size(), workers.size());
      std::size_t placed = 0;
      for (std::size_t w = 0; w < workers.size(); ++w) {
        placed += schedule[w].size();
        for (const TaskId task : schedule[w]) ASSERT_EQ(graph[task].core_type, workers[w]);
      }
      ASSERT_EQ(placed, graph.size());
      ASSERT_TRUE(runs_through(graph, schedule)) << word << ", seed " << seed;
    }
  }
}

TEST(FrozenPlacements, KeepToTheWorkersThatTasksName) {
  Machine machine = free_machine();
  machine.compute_cores = {{CoreType::kSm, 6}};
  Random random(3);
  for (const auto& [placement, word] : Words<Placement>::entries) {
    if (!is_static(placement) || placement == Placement::kReplay) continue;
    for (int round = 0; round < 50; ++round) {
      TaskGraphBuilder builder;
      for (std::size_t i = 0; i < 24; ++i) {
        TaskTraits traits;
        if (random.uniform() < 0.7) {
          const auto first = static_cast<std::int32_t>(random.between(0, 5));
          traits.workers = std::array{first, static_cast<std::int32_t>(random.between(first, 5))};
        }
        builder.add_task("t" + std::to_string(i), {.cost = {.time = Duration{random.between(0, 9)}}, .traits = builder.add_traits(traits)});
        if (i > 0 && random.uniform() < 0.5)
          builder.add_edge(task_id(static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(i) - 1))), task_id(i));
      }
      const TaskGraph graph = std::move(builder).build();
      Design design = named_design("static-queues");
      design.placement = placement;
      const FrozenSchedule schedule = frozen_schedule(graph, machine, design);
      std::size_t placed = 0;
      for (std::size_t worker = 0; worker < schedule.size(); ++worker) {
        placed += schedule[worker].size();
        for (const TaskId task : schedule[worker]) {
          const auto& range = graph.traits(task).workers;
          if (!range) continue;
          ASSERT_LE(static_cast<std::size_t>(range->front()), worker) << word;
          ASSERT_LE(worker, static_cast<std::size_t>(range->back())) << word;
        }
      }
      ASSERT_EQ(placed, graph.size()) << word;
    }
  }
}

TEST(FrozenPlacements, RefuseWorkersThatAreNotThere) {
  Machine machine = free_machine();
  machine.compute_cores = {{CoreType::kSm, 6}};
  TaskGraphBuilder builder;
  builder.add_task("far", {.traits = builder.add_traits({.workers = std::array{5, 6}})});
  const TaskGraph graph = std::move(builder).build();
  try {
    frozen_schedule(graph, machine, named_design("static-queues"));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "task 'far' names workers 5 to 6, but a device has workers 0 to 5");
  }
}

TEST(FrozenPlacements, RefuseWorkersOfWhichNoneCanRunTheTask) {
  Machine machine = free_machine();
  machine.compute_cores = {{CoreType::kAic, 2}, {CoreType::kAiv, 4}};
  const auto refusal = [&machine](TaskTraits traits) -> std::string {
    TaskGraphBuilder builder;
    builder.add_task("v", {.core_type = CoreType::kAiv, .traits = builder.add_traits(std::move(traits))});
    const TaskGraph graph = std::move(builder).build();
    try {
      frozen_schedule(graph, machine, named_design("static-queues"));
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(refusal({.workers = std::array{0, 1}}), "task 'v' names workers 0 to 1, but none of these is of type 'aiv'");
  EXPECT_EQ(refusal({.workers = std::array{1, 2}}), "");
  EXPECT_EQ(refusal({.other_type = CoreType::kAic, .workers = std::array{0, 1}}), "");
}

TEST(FrozenPlacements, RefuseATaskThatNoWorkerCanRun) {
  TaskGraphBuilder builder;
  builder.add_task("lonely", {.core_type = CoreType::kAiv});
  const TaskGraph graph = std::move(builder).build();
  const std::vector<CoreType> workers{CoreType::kSm};
  for (const auto& [placement, word] : Words<Placement>::entries) {
    if (!is_static(placement)) continue;
    try {
      make_frozen_schedule(placement, inputs_for(graph, workers));
      FAIL() << word;
    } catch (const InputError& error) {
      EXPECT_STREQ(error.what(), "task 'lonely' needs a core type that no worker has");
    }
  }
}

Machine machine_of(const std::vector<CoreGroup>& groups) {
  Machine machine = free_machine();
  machine.compute_cores = groups;
  return machine;
}

Design frozen_design(Placement placement) {
  Design design = named_design("static-queues");
  design.placement = placement;
  return design;
}

TEST(FrozenSchedule, SeatsADesignOnItsWorkers) {
  const TaskGraph graph = random_graph({.tasks = 9, .edge_probability = 0}, 1);
  const FrozenSchedule schedule = frozen_schedule(graph, machine_of({{CoreType::kSm, 3}}), named_design("static-queues"));
  ASSERT_EQ(schedule.size(), 3U);
  EXPECT_TRUE(runs_through(graph, schedule));
}

TEST(FrozenSchedule, UsesTheOtherCoreTypeOfATaskForItsOtherTime) {
  // Two tasks of 10 ns that also run on the AIV core: in 25 ns both stay on the AIC core, in 15 ns the second does not wait.
  for (const int other : {25, 15}) {
    TaskGraphBuilder builder;
    const std::uint32_t traits = builder.add_traits({.other_type = CoreType::kAiv, .other_time = Duration{other}});
    for (const char* name : {"a", "b"}) {
      builder.add_task(name, {.cost = {.time = Duration{10}}, .core_type = CoreType::kAic, .traits = traits});
    }
    const TaskGraph graph = std::move(builder).build();
    const Machine machine = machine_of({{CoreType::kAic, 1}, {CoreType::kAiv, 1}});
    EXPECT_EQ(frozen_schedule(graph, machine, frozen_design(Placement::kHeft))[1].size(), other == 25 ? 0U : 1U) << other;
    EXPECT_THAT(frozen_schedule(graph, machine, frozen_design(Placement::kRoundRobin)),
                ElementsAre(ElementsAre(task_id(0)), ElementsAre(task_id(1))));
  }
}

TEST(FrozenSchedule, KeepsATaskWhereItsBytesAreIfMovingThemTakesLonger) {
  // b and c follow a: 10 ns each; the bytes come at 10 a ns on another worker.
  for (const std::int64_t bytes : {90, 110}) {
    TaskGraphBuilder builder;
    for (const char* name : {"a", "b", "c"}) builder.add_task(name, {.cost = {.time = Duration{10}}});
    builder.add_edge(task_id(0), task_id(1), Bytes{bytes});
    builder.add_edge(task_id(0), task_id(2), Bytes{bytes});
    const TaskGraph graph = std::move(builder).build();
    Machine machine = machine_of({{CoreType::kSm, 2}});
    machine.memory->core_bandwidth = 10;
    EXPECT_EQ(frozen_schedule(graph, machine, frozen_design(Placement::kHeft))[1].size(), bytes == 90 ? 1U : 0U) << bytes;
  }
}

TEST(FrozenSchedule, TakesTheFirstTasksInTopologicalOrderWhereSomeStayDynamic) {
  const TaskGraph graph = random_graph({.tasks = 11, .edge_probability = 0.3}, 4);
  Design design = frozen_design(Placement::kHeft);
  design.ready_queue = ReadyQueue::kPerWorkerAndShared;
  for (const int percent : {0, 50, 100}) {
    design.static_percent = percent;
    std::vector<TaskId> listed;
    for (const auto& list : frozen_schedule(graph, machine_of({{CoreType::kSm, 3}}), design))
      listed.insert(listed.end(), list.begin(), list.end());
    const auto count = static_cast<std::ptrdiff_t>(11 * percent / 100);
    std::vector<TaskId> first(graph.topological_order().begin(), graph.topological_order().begin() + count);
    std::ranges::sort(listed);
    std::ranges::sort(first);
    EXPECT_EQ(listed, first) << percent;
  }
}

TEST(FrozenSchedule, RefusesTasksThatNoListCanHold) {
  const auto refusal = [](auto change) -> std::string {
    TaskGraphBuilder builder;
    const TaskId parent = builder.add_task("parent", {});
    change(builder, parent);
    const TaskGraph graph = std::move(builder).build();
    try {
      frozen_schedule(graph, machine_of({{CoreType::kSm, 2}}), frozen_design(Placement::kPeft));
    } catch (const InputError& error) {
      return error.what();
    }
    return "none";
  };
  const std::string begin = "placement 'peft' puts tasks into lists beforehand, but task 'x' ";
  EXPECT_EQ(refusal([](TaskGraphBuilder& builder, TaskId parent) { builder.set_spawner(builder.add_task("x", {}), parent); }),
            begin + "comes to be only when 'parent' ends");
  EXPECT_EQ(refusal([](TaskGraphBuilder& builder, TaskId) { builder.add_task("x", {.core_type = CoreType::kMix}); }),
            begin + "is of core type 'mix' and needs a whole cluster");
  EXPECT_EQ(refusal([](TaskGraphBuilder& builder, TaskId) {
              const std::uint32_t traits = builder.add_traits({.blocks = 3});
              builder.add_task("x", {.traits = traits});
            }),
            begin + "has 3 blocks and needs a core for each");
}

}  // namespace
}  // namespace tasktwin
