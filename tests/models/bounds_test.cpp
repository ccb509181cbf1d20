#include "models/bounds/bounds.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <ranges>
#include <set>
#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/runtimes/runtimes.hpp"
#include "tests/models/graphs.hpp"
#include "tests/support/free_machine.hpp"

namespace tasktwin {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing_graphs::graph_of;
using testing_graphs::random_graph;
using testing_graphs::times_of;

/// Oracle: every path from `task`, one after the other.
Duration longest_of_all_paths(const TaskGraph& graph, const std::vector<Duration>& times, TaskId task) {
  Duration longest{0};
  for (const TaskId next : graph.successors(task)) longest = std::max(longest, longest_of_all_paths(graph, times, next));
  return longest + times[index(task)];
}

TEST(BottomLevels, AreTheLongestOfAllPaths) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const TaskGraph graph = random_graph({.tasks = 10}, seed);
    const std::vector<Duration> times = times_of(graph);
    const std::vector<Duration> levels = bottom_levels(graph, times);
    for (std::size_t i = 0; i < graph.size(); ++i) ASSERT_EQ(levels[i], longest_of_all_paths(graph, times, task_id(i)));
  }
}

TEST(CriticalPath, IsAPathAndNoneIsLonger) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const TaskGraph graph = random_graph({.tasks = 10}, seed);
    const std::vector<Duration> times = times_of(graph);
    const std::vector<TaskId> path = critical_path(graph, times);
    Duration length = times[index(path.front())];
    for (std::size_t i = 1; i < path.size(); ++i) {
      ASSERT_TRUE(std::ranges::count(graph.successors(path[i - 1]), path[i]) == 1);
      length += times[index(path[i])];
    }
    Duration longest{0};
    for (std::size_t i = 0; i < graph.size(); ++i) longest = std::max(longest, longest_of_all_paths(graph, times, task_id(i)));
    ASSERT_EQ(length, longest);
  }
}

TEST(CriticalPath, OfADiamondTakesTheLongerSide) {
  const TaskGraph graph = graph_of({2, 5, 6, 1}, {{0, 1}, {0, 2}, {1, 3}, {2, 3}});
  EXPECT_THAT(critical_path(graph, times_of(graph)), ElementsAre(task_id(0), task_id(2), task_id(3)));
}

TEST(CriticalPath, OfNothingIsEmpty) { EXPECT_THAT(critical_path(TaskGraph{}, {}), IsEmpty()); }

/// Tasks of types `aic`, `aiv` and `mix`, a third of the first two able to run on the other type as well.
TaskGraph random_mixed_graph(std::uint64_t seed) {
  Random random(seed);
  TaskGraphBuilder builder;
  const std::size_t tasks = 5;
  for (std::size_t i = 0; i < tasks; ++i) {
    Task task{.cost = {.time = Duration{random.between(0, 9)}}, .core_type = CoreType::kAic};
    if (random.uniform() < 0.4) task.core_type = CoreType::kAiv;
    if (random.uniform() < 0.15) task.core_type = CoreType::kMix;
    if (task.core_type == CoreType::kMix && random.uniform() < 0.6) {
      const std::vector<Duration> parts{Duration{random.between(0, 9)}, Duration{random.between(0, 9)}};
      task.cost.time = std::ranges::max(parts);
      task.traits = builder.add_traits({.aic = 1, .aiv = 1, .parts = parts});
    }
    if (task.core_type != CoreType::kMix && random.uniform() < 0.35) {
      const CoreType other = task.core_type == CoreType::kAic ? CoreType::kAiv : CoreType::kAic;
      task.traits = builder.add_traits({.other_type = other, .other_time = Duration{random.between(0, 12)}});
    }
    builder.add_task("t" + std::to_string(i), task);
    for (std::size_t before = 0; before < i; ++before) {
      if (random.uniform() < 0.2) builder.add_edge(task_id(before), task_id(i));
    }
  }
  return std::move(builder).build();
}

/// Two clusters of one AIC and one AIV core each.
Machine clustered_machine() {
  Machine machine = free_machine();
  machine.compute_cores = {{CoreType::kAic, 2, 1}, {CoreType::kAiv, 2, 1}};
  return machine;
}
const std::vector<CoreType> kClusteredCores{CoreType::kAic, CoreType::kAic, CoreType::kAiv, CoreType::kAiv};

/// Oracle: every order of starting the tasks with every choice of cores; one of them is optimal (no cost but the bodies').
class Optimum {
 public:
  explicit Optimum(const TaskGraph& graph) : graph_(graph), end_(graph.size(), Duration{-1}), free_(kClusteredCores.size()) {}

  Duration makespan() {
    place_next(0);
    return best_;
  }

 private:
  void place_next(std::size_t placed) {
    if (placed == graph_.size()) best_ = std::min(best_, *std::ranges::max_element(end_));
    for (std::size_t i = 0; i < graph_.size(); ++i) {
      const auto before = graph_.predecessors(task_id(i));
      if (end_[i] >= Duration{0} || !std::ranges::all_of(before, [this](TaskId task) { return end_[index(task)] >= Duration{0}; }))
        continue;
      const Task& task = graph_[task_id(i)];
      if (task.core_type == CoreType::kMix) {
        for (const std::size_t k : {0U, 1U}) place(i, {k, k + 2}, task.cost.time, placed, graph_.traits(task_id(i)).parts);
        continue;
      }
      for (std::size_t core = 0; core < kClusteredCores.size(); ++core) {
        if (kClusteredCores[core] == task.core_type) place(i, {core}, task.cost.time, placed);
        if (kClusteredCores[core] == graph_.traits(task_id(i)).other_type) place(i, {core}, graph_.traits(task_id(i)).other_time, placed);
      }
    }
  }

  /// `parts`: by core, how long it has it; empty where each has it all the time.
  void place(std::size_t i, const std::vector<std::size_t>& cores, Duration time, std::size_t placed,
             const std::vector<Duration>& parts = {}) {
    const std::vector<Duration> free = free_;
    Duration start{0};
    for (const TaskId before : graph_.predecessors(task_id(i))) start = std::max(start, end_[index(before)]);
    for (const std::size_t core : cores) start = std::max(start, free_[core]);
    end_[i] = start + time;
    for (std::size_t k = 0; k < cores.size(); ++k) free_[cores[k]] = parts.empty() ? end_[i] : start + parts[k];
    if (end_[i] < best_) place_next(placed + 1);
    end_[i] = Duration{-1};
    free_ = free;
  }

  const TaskGraph& graph_;
  std::vector<Duration> end_;
  std::vector<Duration> free_;
  Duration best_ = Duration::max();
};

TEST(LowerBounds, NoScheduleBeatsThemAndSomeReachThem) {
  std::map<std::string_view, int> reached;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const TaskGraph graph = random_mixed_graph(seed);
    const Bounds bounds = lower_bounds(graph, clustered_machine(), kClusteredCores, times_of(graph));
    const Duration optimum = Optimum(graph).makespan();
    for (const auto& [name, bound] : bounds.entries()) {
      ASSERT_LE(bound, optimum) << name << ", seed " << seed;
      reached[name] += bound == optimum && bound > Duration{0} ? 1 : 0;
    }
    ASSERT_EQ(bounds.highest(), std::ranges::max(bounds.entries() | std::views::values));
  }
  for (const std::string_view name : {"critical_path", "area", "head_tail", "mixed"}) EXPECT_GT(reached[name], 20) << name;
}

TEST(LowerBounds, AreaIsTheBusiestTypesWorkOverItsCoresRoundedUp) {
  TaskGraphBuilder builder;
  for (int i = 0; i < 5; ++i) builder.add_task("s", {.cost = {.time = Duration{10}}, .core_type = CoreType::kSm});
  builder.add_task("a", {.cost = {.time = Duration{16}}, .core_type = CoreType::kAic});
  const TaskGraph graph = std::move(builder).build();
  const std::vector<CoreType> cores{CoreType::kSm, CoreType::kAic, CoreType::kSm, CoreType::kSm};
  const Bounds bounds = lower_bounds(graph, free_machine(), cores, times_of(graph));
  EXPECT_EQ(bounds.area, Duration{17});
  EXPECT_EQ(bounds.critical_path, Duration{16});
  EXPECT_EQ(bounds.highest(), Duration{17});
  EXPECT_EQ(bounds.highest_name(), "area");
}

TEST(LowerBounds, AreaCountsEveryBlockAndAMixTaskOnBothTypes) {
  // 3 blocks of 10 ns on 2 AIC cores, and a mix task of 6 ns, which takes 6 more of each type.
  TaskGraphBuilder builder;
  const std::uint32_t traits = builder.add_traits({.blocks = 3});
  builder.add_task("wide", {.cost = {.time = Duration{10}}, .core_type = CoreType::kAic, .traits = traits});
  builder.add_task("mix", {.cost = {.time = Duration{6}}, .core_type = CoreType::kMix});
  const TaskGraph graph = std::move(builder).build();
  EXPECT_EQ(lower_bounds(graph, clustered_machine(), kClusteredCores, times_of(graph)).area, Duration{18});
}

TEST(LowerBounds, AreaCountsEachPartOfAMixTaskOnItsType) {
  // Four of a matrix and a vector core, two clusters of one and two: 4 · 100 / 2 on matrix cores, however long the vector core's part is.
  for (const std::int64_t vector : {100, 101, 99, 1}) {
    TaskGraphBuilder builder;
    const TaskId first = builder.add_task("first", {.cost = {.time = Duration{50}}, .core_type = CoreType::kAiv});
    const std::uint32_t traits = builder.add_traits({.aic = 1, .aiv = 1, .parts = {Duration{100}, Duration{vector}}});
    const Task mix{.cost = {.time = Duration{std::max<std::int64_t>(100, vector)}}, .core_type = CoreType::kMix, .traits = traits};
    for (int i = 0; i < 4; ++i) builder.add_edge(first, builder.add_task("m", mix));
    const TaskGraph graph = std::move(builder).build();
    Machine machine = free_machine();
    machine.compute_cores = {{CoreType::kAic, 2, 1}, {CoreType::kAiv, 4, 2}};
    const Bounds bounds = lower_bounds(graph, machine, compute_cores(machine), times_of(graph));
    EXPECT_EQ(bounds.area, Duration{200}) << vector;
    EXPECT_EQ(bounds.head_tail, Duration{250}) << vector;
  }
}

TEST(LowerBounds, AreaOnStreamsCountsWhatBlocksNeedOfACore) {
  // Four of 10 ns, half of an SM's threads each: two at a time on the one SM; a worker a core runs one at a time. A fifth that
  // states no needs takes the whole SM.
  for (const bool fifth : {false, true}) {
    TaskGraphBuilder builder;
    const std::uint32_t traits = builder.add_traits({.threads = 1024, .registers = 16});
    for (int i = 0; i < 4; ++i) builder.add_task("t", {.cost = {.time = Duration{10}}, .traits = traits});
    if (fifth) builder.add_task("whole", {.cost = {.time = Duration{10}}});
    const TaskGraph graph = std::move(builder).build();
    Machine machine = free_machine();
    machine.compute_cores = {{CoreType::kSm, 1}};
    machine.core_limits = {.blocks = 32, .threads = 2048, .registers = 65536};
    EXPECT_EQ(lower_bounds(graph, machine, named_design("cuda-streams"), times_of(graph)).area, Duration{fifth ? 30 : 20});
    EXPECT_EQ(lower_bounds(graph, machine, named_design("static-queues"), times_of(graph)).area, Duration{fifth ? 50 : 40});
  }
}

TEST(LowerBounds, MemoryIsAllBytesAtTheFullBandwidth) {
  TaskGraphBuilder builder;
  const std::uint32_t traits = builder.add_traits({.blocks = 2});
  builder.add_task("a", {.cost = {.bytes = {600}}});
  builder.add_task("b", {.cost = {.bytes = {201}}, .traits = traits});
  const TaskGraph graph = std::move(builder).build();
  Machine machine = free_machine();
  machine.memory->bandwidth = 10;
  machine.memory->core_bandwidth = 5;
  const Bounds bounds = lower_bounds(graph, machine, std::vector{CoreType::kSm}, std::vector<Duration>(2));
  EXPECT_EQ(bounds.memory, Duration{100});
  EXPECT_EQ(bounds.highest(), Duration{100});
}

TEST(LowerBounds, MemoryIsThatOfTheDeviceWithTheMostBytes) {
  Machine machine = free_machine();
  machine.memory->bandwidth = 10;
  machine.memory->core_bandwidth = 5;
  machine.devices.per_node = 4;
  const auto bound = [&machine](std::int32_t first, std::int32_t second) {
    TaskGraphBuilder builder;
    builder.add_task("a", {.cost = {.bytes = {400}}, .device = first});
    builder.add_task("b", {.cost = {.bytes = {800}}, .device = second});
    return lower_bounds(std::move(builder).build(), machine, std::vector{CoreType::kSm}, std::vector<Duration>(2)).memory;
  };
  EXPECT_EQ(bound(kAnyDevice, kAnyDevice), Duration{30}) << "over four devices";
  EXPECT_EQ(bound(0, 0), Duration{120}) << "on one";
  EXPECT_EQ(bound(0, 3), Duration{80});
}

TEST(LowerBounds, WorkIsThatOfTheDeviceWithTheMost) {
  // Four tasks of 10 ns, two cores on each of four devices.
  Machine machine = free_machine();
  machine.compute_cores = {{CoreType::kSm, 2}};
  machine.devices.per_node = 4;
  const auto bounds = [&machine](std::array<std::int32_t, 4> devices) {
    TaskGraphBuilder builder;
    for (const std::int32_t device : devices) builder.add_task("t", {.cost = {.time = Duration{10}}, .device = device});
    const TaskGraph graph = std::move(builder).build();
    return lower_bounds(graph, machine, on_all_devices(compute_cores(machine), machine), times_of(graph));
  };
  EXPECT_EQ(bounds({kAnyDevice, kAnyDevice, kAnyDevice, kAnyDevice}).area, Duration{5}) << "over eight cores";
  EXPECT_EQ(bounds({0, 1, 2, 3}).area, Duration{5});
  const Bounds on_one = bounds({1, 1, 1, 1});
  EXPECT_EQ(on_one.area, Duration{20});
  EXPECT_EQ(on_one.head_tail, Duration{20});
  EXPECT_EQ(on_one.mixed, Duration{20});
  EXPECT_EQ(bounds({2, kAnyDevice, 2, 2}).area, Duration{15}) << "of three of them, the fourth may run elsewhere";
}

TEST(LowerBounds, HeadTailOfADeviceAddsWhatMustComeBeforeOnAnother) {
  // 10 ns on device 0, then four of 10 ns on device 1, which has two cores.
  Machine machine = free_machine();
  machine.compute_cores = {{CoreType::kSm, 2}};
  machine.devices.per_node = 2;
  TaskGraphBuilder builder;
  const TaskId first = builder.add_task("first", {.cost = {.time = Duration{10}}, .device = 0});
  for (int i = 0; i < 4; ++i) builder.add_edge(first, builder.add_task("t", {.cost = {.time = Duration{10}}, .device = 1}));
  const TaskGraph graph = std::move(builder).build();
  EXPECT_EQ(lower_bounds(graph, machine, on_all_devices(compute_cores(machine), machine), times_of(graph)).head_tail, Duration{30});
}

TEST(LowerBounds, HeadTailAddsWhatMustComeBeforeAndAfter) {
  // One of 10 ns, four of 10 ns, one of 10 ns on two cores: path 30, area 30, but the four take 20 between the first and the last.
  const TaskGraph graph = graph_of({10, 10, 10, 10, 10, 10}, {{0, 1}, {0, 2}, {0, 3}, {0, 4}, {1, 5}, {2, 5}, {3, 5}, {4, 5}});
  const Bounds bounds = lower_bounds(graph, free_machine(), std::vector{CoreType::kSm, CoreType::kSm}, times_of(graph));
  EXPECT_EQ(bounds.critical_path, Duration{30});
  EXPECT_EQ(bounds.area, Duration{30});
  EXPECT_EQ(bounds.head_tail, Duration{40});
}

TEST(LowerBounds, MixedSplitsTasksBetweenTheirTypesAsWellAsCanBe) {
  // Three tasks of 10 ns on the AIC core or 20 ns on the AIV core: two thirds on the AIC core fill both for 20 ns. A fourth of
  // 6 ns for the AIV core alone: 10 · 3x = 6 + 20 · 3(1 − x), so x = 66/90 and 22 ns.
  for (const bool fourth : {false, true}) {
    TaskGraphBuilder builder;
    const std::uint32_t traits = builder.add_traits({.other_type = CoreType::kAiv, .other_time = Duration{20}});
    for (int i = 0; i < 3; ++i) builder.add_task("t", {.cost = {.time = Duration{10}}, .core_type = CoreType::kAic, .traits = traits});
    if (fourth) builder.add_task("v", {.cost = {.time = Duration{6}}, .core_type = CoreType::kAiv});
    const TaskGraph graph = std::move(builder).build();
    const Bounds bounds = lower_bounds(graph, free_machine(), std::vector{CoreType::kAic, CoreType::kAiv}, times_of(graph));
    EXPECT_EQ(bounds.mixed, Duration{fourth ? 22 : 20});
    EXPECT_EQ(bounds.area, Duration{fourth ? 6 : 0}) << "of tasks that have one type only";
  }
}

TEST(LowerBounds, MixedCountsClusters) {
  // Three mix tasks of 10 ns on one whole cluster; the second AIC core is in none.
  TaskGraphBuilder builder;
  for (int i = 0; i < 3; ++i) builder.add_task("m", {.cost = {.time = Duration{10}}, .core_type = CoreType::kMix});
  const TaskGraph graph = std::move(builder).build();
  Machine machine = free_machine();
  machine.compute_cores = {{CoreType::kAic, 2, 1}, {CoreType::kAiv, 3, 2}};
  const std::vector<CoreType> cores{CoreType::kAic, CoreType::kAic, CoreType::kAiv, CoreType::kAiv, CoreType::kAiv};
  EXPECT_EQ(lower_bounds(graph, machine, cores, times_of(graph)).mixed, Duration{30});
}

TEST(LowerBounds, ATaskWhoseOwnTypeHasNoCoreCountsOnItsOther) {
  TaskGraphBuilder builder;
  const std::uint32_t traits = builder.add_traits({.other_type = CoreType::kAiv, .other_time = Duration{20}});
  for (int i = 0; i < 2; ++i) builder.add_task("t", {.cost = {.time = Duration{10}}, .core_type = CoreType::kAic, .traits = traits});
  const TaskGraph graph = std::move(builder).build();
  const Bounds bounds = lower_bounds(graph, free_machine(), std::vector{CoreType::kAiv}, times_of(graph));
  EXPECT_EQ(bounds.critical_path, Duration{20});
  EXPECT_EQ(bounds.area, Duration{40});
}

TEST(LowerBounds, OfNothingAreNothing) {
  EXPECT_EQ(lower_bounds(TaskGraph{}, free_machine(), std::vector{CoreType::kSm}, {}).highest(), Duration{0});
}

TEST(RunBounds, CountTheTasksThatComeToBeAndTheBodiesThatRun) {
  // A body of 30 ns and 300 bytes that runs with probability ½, and what it would spawn, 50 ns.
  TaskGraphBuilder builder;
  const std::uint32_t traits = builder.add_traits({.probability = 0.5});
  const TaskId maybe = builder.add_task("maybe", {.cost = {.time = Duration{30}, .bytes = {300}}, .traits = traits});
  builder.set_spawner(builder.add_task("spawned", {.cost = {.time = Duration{50}}}), maybe);
  builder.add_task("plain", {.cost = {.time = Duration{7}}});
  const TaskGraph graph = std::move(builder).build();
  Machine machine = free_machine();
  machine.compute_cores = {{CoreType::kSm, 2}};
  machine.memory->bandwidth = machine.memory->core_bandwidth = 10;
  std::set<std::tuple<Duration, Duration>> seen;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Bounds bounds = run_bounds(graph, machine, named_design("shared-queue"), seed);
    seen.insert({bounds.critical_path, bounds.memory});
  }
  EXPECT_THAT(seen, ElementsAre(std::tuple(Duration{7}, Duration{0}), std::tuple(Duration{80}, Duration{30})));
}

}  // namespace
}  // namespace tasktwin
