// What dispatchers do with tasks of several blocks, tasks that spawn others, and several ready queues, on a GPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "models/cost/body_cost.hpp"
#include "models/policies/policies.hpp"
#include "models/runtimes/runtimes.hpp"
#include "scenarios/generators/spawn_tree.hpp"
#include "tests/gpu/executor_cases.hpp"
#include "tests/gpu/wide_cases.hpp"

namespace tasktwin::gpu {
namespace {

using namespace std::chrono_literals;

/// The ready queues that dispatchers may have, all with something to push to and to take from.
std::vector<Design> layouts() {
  std::vector<Design> designs;
  const auto add = [&](const char* name, auto&& change) {
    Design design = named_design("central-dispatcher");
    design.name = name;
    change(design);
    designs.push_back(design);
  };
  add("shared", [](Design&) {});
  for (const int shards : {1, 2, 4}) {
    add("sharded", [&](Design& d) {
      d.ready_queue = ReadyQueue::kSharded;
      d.shards = shards;
      d.dispatchers = 4;
    });
  }
  add("sharded and stolen from", [](Design& d) {
    d.ready_queue = ReadyQueue::kSharded;
    d.shards = 3;
    d.stealing = Stealing::kHalf;
    d.victim = Victim::kMostLoaded;
  });
  add("per dispatcher", [](Design& d) { d.ready_queue = ReadyQueue::kPerDispatcher; });
  add("per dispatcher and stolen from", [](Design& d) {
    d.ready_queue = ReadyQueue::kPerDispatcher;
    d.stealing = Stealing::kHalf;
  });
  return designs;
}

class CentralDispatchers : public OnTheGpu {
 protected:
  /// That `design` keeps every edge of `graph`, and its stamps.
  Timeline expect_right(const TaskGraph& graph, const Machine& machine, const Design& design, const std::string& what) const {
    const Measurement measured = run(graph, machine, design, {.repeats = 1});
    EXPECT_EQ(measured.ordering_violations, 0) << what;
    EXPECT_EQ(stamp_fault(graph, measured.timeline, !graph.has_wide_tasks()), "") << what;
    for (const TaskTimes& times : measured.timeline.tasks) {
      EXPECT_TRUE(is_present(times.ready) && is_present(times.dispatched) && is_present(times.published)) << what;
      EXPECT_LT(index(times.dispatcher), measured.timeline.dispatchers.size()) << what;
    }
    return measured.timeline;
  }

  static std::string words(const Design& design) {
    return design.name + " " + std::to_string(design.shards) + " " + std::string(to_word(design.order)) + " depth " +
           std::to_string(design.mailbox_depth) + " " + std::string(to_word(design.fill)) + " " + std::string(to_word(design.gang)) + " " +
           std::string(to_word(design.placement));
  }
};

TEST_F(CentralDispatchers, KeepEveryEdgeWithEachLayoutOrderAndDepth) {
  const TaskGraph graph = random_graph(3'000, 150, 1us, 31);
  for (Design design : layouts()) {
    for (const auto& [order, word] : Words<TaskOrder>::entries) {
      for (const int depth : {1, 5}) {
        design.order = order;
        design.mailbox_depth = depth;
        expect_right(graph, machine_, design, words(design));
      }
    }
  }
}

TEST_F(CentralDispatchers, KeepEveryEdgeWithEachFillAndPlacement) {
  const TaskGraph graph = random_graph(3'000, 150, 1us, 32);
  for (Design design : layouts()) {
    for (const auto& [fill, word] : Words<Fill>::entries) {
      for (const Placement placement : {Placement::kAnyIdle, Placement::kLeastLoaded}) {
        design.fill = fill;
        design.placement = placement;
        expect_right(graph, machine_, design, words(design));
      }
    }
  }
}

TEST_F(CentralDispatchers, StealByEachPolicyAndAsMuchAsTheDesignSays) {
  const TaskGraph graph = random_graph(3'000, 150, 1us, 33);
  Design design = named_design("central-dispatcher");
  design.ready_queue = ReadyQueue::kPerDispatcher;
  for (const Stealing stealing : {Stealing::kOne, Stealing::kHalf, Stealing::kBatch}) {
    for (const auto& [victim, whom] : Words<Victim>::entries) {
      for (const TaskOrder order : {TaskOrder::kFifo, TaskOrder::kLifo, TaskOrder::kLongest}) {
        design.stealing = stealing;
        design.victim = victim;
        design.order = order;
        expect_right(graph, machine_, design, words(design) + " " + std::string(to_word(stealing)) + " " + std::string(whom));
      }
    }
  }
}

/// One task releases all others, into the home of the dispatcher that sees its completion.
TEST_F(CentralDispatchers, KeepWhatTheyReleaseToThemselvesUnlessTheOthersSteal) {
  TaskGraphBuilder builder;
  const TaskId root = builder.add_task("root", {});
  for (int i = 0; i < 2'000; ++i) builder.add_edge(root, builder.add_task("leaf" + std::to_string(i), {.cost = {.time = 5us}}));
  const TaskGraph graph = std::move(builder).build();
  Design design = named_design("central-dispatcher");
  design.ready_queue = ReadyQueue::kPerDispatcher;
  for (const Stealing stealing : {Stealing::kOff, Stealing::kOne, Stealing::kHalf, Stealing::kBatch}) {
    design.stealing = stealing;
    const Timeline timeline = expect_right(graph, machine_, design, std::string(to_word(stealing)));
    std::set<DispatcherId> handed_over_by;
    for (const TaskTimes& times : timeline.tasks) handed_over_by.insert(times.dispatcher);
    if (stealing == Stealing::kOff) {
      EXPECT_EQ(handed_over_by, std::set{timeline.tasks[index(root)].dispatcher});
    } else {
      EXPECT_EQ(handed_over_by.size(), timeline.dispatchers.size()) << to_word(stealing);
    }
  }
}

TEST_F(CentralDispatchers, StartAGangOnAllItsCoresOrNone) {
  const TaskGraph graph = wide_and_narrow();
  for (Design design : layouts()) {
    for (const TaskOrder order : {TaskOrder::kFifo, TaskOrder::kLifo, TaskOrder::kCriticalPath}) {
      for (const int depth : {1, 4}) {
        design.order = order;
        design.mailbox_depth = depth;
        const Timeline timeline = expect_right(graph, machine_, design, words(design));
        expect_blocks(graph, timeline, words(design));
        expect_gangs(graph, timeline, words(design));
      }
    }
  }
}

TEST_F(CentralDispatchers, StartAGangThatNeedsEveryCoreADispatcherOwns) {
  TaskGraphBuilder builder;
  for (int i = 0; i < 200; ++i) {
    Task task{.cost = {.time = 2us}};
    if (i % 5 == 0) task.traits = builder.add_traits({.blocks = i % 2 == 0 ? 8 : 7});
    builder.add_task("t" + std::to_string(i), task);
    if (i >= 20) builder.add_edge(task_id(static_cast<std::size_t>(i) - 20), task_id(static_cast<std::size_t>(i)));
  }
  const TaskGraph graph = std::move(builder).build();
  for (const int dispatchers : {1, 2}) {
    for (const ReadyQueue queue : {ReadyQueue::kShared, ReadyQueue::kPerDispatcher}) {
      for (const Placement placement : {Placement::kAnyIdle, Placement::kLeastLoaded}) {
        Design design = named_design("central-dispatcher");
        design.dispatchers = dispatchers;
        design.ready_queue = queue;
        design.placement = placement;
        const Machine machine = machine_of(dispatchers == 1 ? 8 : 15, design);  // of two, one owns 8 and one 7
        const Timeline timeline = expect_right(graph, machine, design, words(design));
        expect_blocks(graph, timeline, words(design));
        expect_gangs(graph, timeline, words(design));
      }
    }
  }
}

TEST_F(CentralDispatchers, HandOverTheBlocksOfATaskApartAsCoresComeFree) {
  const TaskGraph graph = wide_and_narrow();
  for (Design design : layouts()) {
    design.gang = Gang::kApart;
    for (const int workers : {8, 131}) {  // fewer than some tasks have blocks
      for (const TaskOrder order : {TaskOrder::kFifo, TaskOrder::kLifo, TaskOrder::kCriticalPath}) {
        design.order = order;
        const std::string what = words(design) + " " + std::to_string(workers);
        expect_blocks(graph, expect_right(graph, machine_of(workers, design), design, what), what);
      }
    }
  }
}

/// With one worker that holds one block, the tasks start in the order of the design, whatever their width.
TEST_F(CentralDispatchers, KeepTheOrderOfTasksOfSeveralBlocks) {
  Random random(34);
  TaskGraphBuilder builder;
  for (int i = 0; i < 60; ++i) {
    Task task;
    task.cost.time = Duration{random.between(1, 50) * 100};
    task.priority = static_cast<std::int32_t>(random.between(-5, 5));
    task.traits = builder.add_traits({.blocks = static_cast<int>(random.between(1, 4))});
    builder.add_task("t" + std::to_string(i), task);
  }
  const TaskGraph graph = std::move(builder).build();
  Design design = named_design("central-dispatcher");
  design.mailbox_depth = 1;
  design.fill = Fill::kAlways;
  design.dispatchers = 1;
  design.gang = Gang::kApart;
  const Machine machine = machine_of(1, design);
  const std::vector<Duration> durations = expected_durations(graph, machine);
  for (const auto& [order, word] : Words<TaskOrder>::entries) {
    if (order == TaskOrder::kRandom) continue;  // drawn anew by each executor
    design.order = order;
    const auto policy = make_task_order(order, {graph, durations});
    std::vector<TaskId> expected = graph.topological_order();
    std::ranges::stable_sort(expected, {}, [&](TaskId task) { return policy->key(task, index(task)); });
    const Timeline timeline = expect_right(graph, machine, design, std::string(word));
    std::vector<TaskId> ran = graph.topological_order();
    std::ranges::stable_sort(ran, {}, [&](TaskId task) { return timeline.tasks[index(task)].started; });
    EXPECT_EQ(ran, expected) << word;
  }
}

TEST_F(CentralDispatchers, TakeInWhatTasksSpawn) {
  const TaskGraph tree = scenarios::make_spawn_tree({.tasks = 10'000, .body = {.cost = {.time = 500ns}}}, 35);
  for (Design design : layouts()) {
    for (const TaskOrder order : {TaskOrder::kFifo, TaskOrder::kLifo, TaskOrder::kMostSuccessors}) {
      for (const Fill fill : {Fill::kAlways, Fill::kNotInTail}) {
        design.order = order;
        design.fill = fill;
        expect_right(tree, machine_, design, words(design));
      }
    }
  }
}

/// A spawned task may wait for others than its spawner, have several blocks, and be waited for by tasks that were there before it.
TEST_F(CentralDispatchers, TakeInSpawnedTasksOfSeveralBlocksWithFurtherPredecessors) {
  Random random(36);
  TaskGraphBuilder builder;
  for (std::size_t i = 0; i < 3'000; ++i) {
    Task task{.cost = {.time = Duration{random.between(0, 1'000)}}};
    if (random.between(0, 9) == 0) task.traits = builder.add_traits({.blocks = static_cast<int>(random.between(2, 16))});
    const TaskId id = builder.add_task("t" + std::to_string(i), task);
    if (i == 0) continue;
    const auto any_before = [&] {
      return task_id(static_cast<std::size_t>(
          random.between(std::max<std::int64_t>(0, static_cast<std::int64_t>(i) - 200), static_cast<std::int64_t>(i) - 1)));
    };
    for (auto edges = random.between(0, 2); edges > 0; --edges) builder.add_edge(any_before(), id);
    if (random.between(0, 1) == 0) builder.set_spawner(id, any_before());
  }
  const TaskGraph graph = std::move(builder).build();
  for (Design design : layouts()) {
    for (const Gang gang : {Gang::kTogether, Gang::kApart}) {
      design.gang = gang;
      expect_blocks(graph, expect_right(graph, machine_, design, words(design)), words(design));
    }
  }
}

/// 100 000 tasks: counters, blocks and queues stand in global memory.
TEST_F(CentralDispatchers, TellWhatTheirRoundsDidAndHowLongItTookWithoutStamps) {
  const TaskGraph graph = random_graph(400, 60, 2us, 35);
  const Measurement measured = run(graph, machine_, named_design("central-dispatcher"), {.repeats = 1, .rounds = true, .stamps = false});
  EXPECT_TRUE(measured.stamped_makespans.empty());
  std::int64_t completions = 0;
  std::int64_t edges = 0;
  std::int64_t released = 0;
  std::int64_t handed_over = 0;
  for (const DispatchRound& round : measured.dispatch_rounds) {
    completions += round.completions;
    edges += round.edges;
    released += round.released;
    handed_over += round.handed_over;
    EXPECT_TRUE(round.completions > 0 || round.handed_over > 0);
    for (const Duration part : {round.sweep, round.resolve, round.hand_over}) {
      EXPECT_GT(part, 0ns);
      EXPECT_LT(part, 1ms);
    }
    if (round.claimed > 0) {
      EXPECT_GT(round.claim, 0ns);
    }
  }
  std::int64_t all_edges = 0;
  std::int64_t roots = 0;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    all_edges += static_cast<std::int64_t>(graph.out_degree(task_id(i)));
    roots += graph.in_degree(task_id(i)) == 0 ? 1 : 0;
  }
  EXPECT_EQ(completions, static_cast<std::int64_t>(graph.size()));
  EXPECT_EQ(handed_over, static_cast<std::int64_t>(graph.size()));
  EXPECT_EQ(edges, all_edges);
  EXPECT_EQ(released, static_cast<std::int64_t>(graph.size()) - roots);
  EXPECT_THROW(run(graph, machine_, named_design("shared-queue"), {.repeats = 1, .rounds = true}), InputError);
}

TEST_F(CentralDispatchers, DoTheSameWhereTheirTablesDoNotFitSharedMemory) {
  const TaskGraph tree = scenarios::make_spawn_tree({.tasks = 100'000, .body = {.cost = {.time = 300ns}}}, 37);
  TaskGraphBuilder builder;
  Random random(38);
  for (std::size_t i = 0; i < 100'000; ++i) {
    Task task{.cost = {.time = 300ns}};
    if (i % 20 == 0) task.traits = builder.add_traits({.blocks = static_cast<int>(random.between(2, 8))});
    const TaskId id = builder.add_task("t" + std::to_string(i), task);
    if (i >= 400)
      builder.add_edge(
          task_id(static_cast<std::size_t>(random.between(static_cast<std::int64_t>(i) - 400, static_cast<std::int64_t>(i) - 1))), id);
  }
  const TaskGraph wide = std::move(builder).build();
  for (Design design : layouts()) {
    for (const TaskOrder order : {TaskOrder::kFifo, TaskOrder::kCriticalPath}) {
      design.order = order;
      for (const TaskGraph* graph : {&tree, &wide})
        EXPECT_EQ(run(*graph, machine_, design, {.repeats = 1, .stamps = false}).ordering_violations, 0) << words(design);
    }
  }
}

}  // namespace
}  // namespace tasktwin::gpu
