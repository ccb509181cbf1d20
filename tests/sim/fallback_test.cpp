// What becomes of tasks for several cores where workers take tasks for themselves.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "models/base/error.hpp"
#include "models/base/random.hpp"
#include "models/checks/remarks.hpp"
#include "models/machine/clusters.hpp"
#include "models/run/fallback.hpp"
#include "models/runtimes/runtimes.hpp"
#include "sim/simulator.hpp"
#include "tests/sim/clustered_machine.hpp"
#include "tests/sim/small_worlds.hpp"

namespace tasktwin::sim {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

Design falling_back(const char* name, Fallback fallback, int depth = 1) {
  Design design = with_depth(name, depth);
  design.fallback = fallback;
  return design;
}

/// Vector tasks, each sixth a `mix` task with parts of its own and each eighth one of several blocks, behind some of those before.
TaskGraph mixed(std::uint64_t seed, std::size_t tasks = 60) {
  Random random(seed);
  TaskGraphBuilder builder;
  for (std::size_t i = 0; i < tasks; ++i) {
    Task task{.cost = {.time = Duration{random.between(1, 60) * 1000}}, .core_type = CoreType::kAiv};
    if (i % 6 == 1) {
      task.core_type = CoreType::kMix;
      const Duration longest = task.cost.time;
      task.traits = builder.add_traits({.aic = 1, .aiv = 2, .parts = {longest / 3, longest, longest / 2}});
    } else if (i % 8 == 3) {
      task.traits = builder.add_traits({.blocks = static_cast<int>(random.between(2, 12))});
    }
    const TaskId id = builder.add_task("t" + std::to_string(i), task);
    if (i > 4 && random.between(0, 2) > 0)
      builder.add_edge(task_id(static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(i) - 1))), id);
  }
  return std::move(builder).build();
}

TEST(Fallback, OfTheWholeRunIsTheRunOfDispatchers) {
  const TaskGraph graph = mixed(1);
  const Design design = falling_back("work-stealing", Fallback::kRun);
  const Design run = design_of_run(graph, clustered(), design);
  EXPECT_EQ(run.release, Release::kDispatcher);
  EXPECT_EQ(run.name, design.name);
  const Timeline fallen = simulate(graph, clustered(), design).timeline;
  EXPECT_EQ(fallen.tasks, simulate(graph, clustered(), run).timeline.tasks);
  EXPECT_EQ(fallen.dispatchers.size(), 4u);
}

TEST(Fallback, ChangesNothingWhereWorkersCanTakeAllTasksAndSaysSo) {
  const TaskGraph graph = small_graph({{"a", 1000, 0, CoreType::kAiv}, {"b", 1000, 0, CoreType::kAic}}, {{0, 1}});
  const Design none = falling_back("work-stealing", Fallback::kNone);
  const Timeline without = simulate(graph, clustered(), none).timeline;
  for (const Fallback fallback : {Fallback::kRun, Fallback::kTask}) {
    const Design design = falling_back("work-stealing", fallback);
    EXPECT_EQ(simulate(graph, clustered(), design).timeline.tasks, without.tasks);
    EXPECT_THAT(axis_remarks(graph, clustered(), design, none), ElementsAre(HasSubstr("workers can take every task")));
  }
}

/// By task, whatever takes the others: each gets all its cores, of one cluster where it is `mix`, starts on all at once, and nothing is
/// left.
TEST(Fallback, ByTaskHandsWorkersWhatTheyCannotArrange) {
  std::vector<Design> designs;
  for (const int depth : {1, 2}) {
    for (const char* const name : {"shared-queue", "work-stealing"}) designs.push_back(falling_back(name, Fallback::kTask, depth));
    designs.push_back(falling_back("work-stealing", Fallback::kTask, depth));
    designs.back().ready_queue = ReadyQueue::kSharded;
    designs.back().order = TaskOrder::kFifo;
    designs.push_back(falling_back("shared-queue", Fallback::kTask, depth));
    designs.back().claim = Claim::kGuided;
    designs.push_back(falling_back("shared-queue", Fallback::kTask, depth));
    designs.back().graph_build = GraphBuild::kDevice;
  }
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const TaskGraph graph = mixed(seed, 20 + 15 * seed);
    for (Design design : designs) {
      design.gang = seed % 3 == 0 ? Gang::kPartsApart : Gang::kTogether;
      const Timeline timeline = simulate(graph, clustered(), design, {.seed = seed}).timeline;
      const auto all = clusters(clustered().compute_cores, timeline.cores);
      std::vector<std::vector<BlockTimes>> parts(graph.size());
      for (const BlockTimes& part : timeline.blocks) parts[index(part.task)].push_back(part);
      for (std::size_t i = 0; i < graph.size(); ++i) {
        ASSERT_TRUE(is_present(timeline.tasks[i].published)) << graph.name(task_id(i)) << ' ' << design.name << seed;
        const bool mix = graph[task_id(i)].core_type == CoreType::kMix;
        const auto width = mix ? 3 : static_cast<std::size_t>(graph.traits(task_id(i)).blocks);
        if (width == 1) continue;
        EXPECT_EQ(parts[i].size(), width);
        EXPECT_NE(timeline.tasks[i].dispatcher, kNoDispatcher);
        std::set<CoreId> cores;
        for (const BlockTimes& part : parts[i]) {
          cores.insert(part.core);
          if (starts_together(design.gang, graph[task_id(i)].core_type)) {
            EXPECT_EQ(part.started, parts[i].front().started);
          }
        }
        EXPECT_EQ(cores.size(), width);
        const auto holds = [&cores](const std::vector<CoreId>& cluster) { return std::set(cluster.begin(), cluster.end()) == cores; };
        EXPECT_TRUE(!mix || std::ranges::any_of(all, holds)) << graph.name(task_id(i));
      }
      EXPECT_EQ(timeline.dispatchers.size(), design.graph_build == GraphBuild::kDevice ? 2u : 1u);
    }
  }
}

TEST(Fallback, LeavesWorkersTheBlocksThatStartApart) {
  TaskGraphBuilder builder;
  builder.add_task("wide", {.cost = {.time = Duration{1000}}, .core_type = CoreType::kAiv, .traits = builder.add_traits({.blocks = 4})});
  const TaskGraph graph = std::move(builder).build();
  Design design = falling_back("shared-queue", Fallback::kTask);
  design.gang = Gang::kApart;
  EXPECT_EQ(first_beyond_workers(graph, clustered(), design), std::nullopt);
  EXPECT_THAT(simulate(graph, clustered(), design).timeline.dispatchers, IsEmpty());
}

TEST(Fallback, IsNamedWhereThereIsNoneAndRefusedWhereNothingTakesIt) {
  const TaskGraph graph = mixed(1);
  EXPECT_THAT([&] { simulate(graph, clustered(), falling_back("work-stealing", Fallback::kNone)); },
              ThrowsMessage<InputError>(AllOf(HasSubstr("'t1'"), HasSubstr("fallback 'run' or 'task'"))));
  Machine without = clustered();
  without.control_cores.count = 0;
  EXPECT_THAT([&] { simulate(graph, without, falling_back("work-stealing", Fallback::kTask)); },
              ThrowsMessage<InputError>(HasSubstr("nothing would take such a task")));
  EXPECT_THAT([&] { simulate(graph, clustered(), falling_back("static-queues", Fallback::kRun)); },
              ThrowsMessage<InputError>(HasSubstr("fallback has no effect here")));
}

}  // namespace
}  // namespace tasktwin::sim
