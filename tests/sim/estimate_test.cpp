// Runs that are continued from within equal whole ones, whatever was edited; what edits refuse.
#include "sim/estimate/estimate.hpp"

#include <algorithm>
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/base/error.hpp"
#include "models/base/random.hpp"
#include "models/policies/policies.hpp"
#include "models/runtimes/runtimes.hpp"
#include "tests/sim/random_cases.hpp"
#include "tests/support/free_machine.hpp"

namespace tasktwin::sim {
namespace {

using testing::HasSubstr;

/// A timeline whose replay has these lists, where they and the edges let all tasks start.
std::optional<Timeline> followed(const TaskGraph& graph, const FrozenSchedule& lists) {
  Timeline timeline;
  timeline.tasks.resize(graph.size());
  std::vector<std::size_t> next(lists.size());
  std::size_t started = 0;
  for (bool any = true; any;) {
    any = false;
    for (std::size_t core = 0; core < lists.size(); ++core) {
      while (next[core] < lists[core].size()) {
        const TaskId task = lists[core][next[core]];
        const auto waits = [&](TaskId before) { return !is_present(timeline.tasks[index(before)].started); };
        if (std::ranges::any_of(graph.predecessors(task), waits)) break;
        timeline.tasks[index(task)].core = core_id(core);
        timeline.tasks[index(task)].started = at_ns(static_cast<std::int64_t>(started++));
        ++next[core];
        any = true;
      }
    }
  }
  return started == graph.size() ? std::optional(timeline) : std::nullopt;
}

Timeline whole(Estimate& estimate, std::uint64_t seed) {
  Design design = estimate.design();
  SimulationOptions options{.seed = seed};
  const bool keeps = runtime_of(design).id == RuntimeId::kStaticQueues;
  const std::optional<Timeline> lists = keeps ? followed(estimate.graph(), estimate.lists()) : std::nullopt;
  if (lists) {
    design.placement = Placement::kReplay;
    design.replay = "lists";
    options.replayed = &*lists;
  }
  return simulate(estimate.graph(), estimate.machine(), design, options).timeline;
}

TaskId some_task(const Timeline& timeline, Random& random) {
  const std::size_t tasks = timeline.tasks.size();
  if (random.uniform() < 0.3) return task_id(static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(tasks) - 1)));
  // Of those that start in the last third: with these there is something to spare.
  std::vector<TaskId> late;
  for (std::size_t i = 0; i < tasks; ++i) {
    if (3 * (timeline.tasks[i].started - TimePoint{}) > 2 * timeline.makespan()) late.push_back(task_id(i));
  }
  if (late.empty()) return task_id(tasks - 1);
  return late[static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(late.size()) - 1))];
}

/// One edit; nothing where what was drawn is refused.
void edit(Estimate& estimate, const Timeline& timeline, Random& random) {
  const TaskId task = some_task(timeline, random);
  const TaskId other = some_task(timeline, random);
  try {
    switch (random.between(0, 4)) {
      case 0:
        return estimate.set_time(task, Duration{random.between(0, 300)});
      case 1:
        return estimate.add_edge(std::min(task, other), std::max(task, other));
      case 2: {
        const auto before = estimate.graph().predecessors(task);
        if (!before.empty()) estimate.remove_edge(*before.begin(), task);
        return;
      }
      case 3:
        return estimate.set_priority(task, static_cast<std::int32_t>(random.between(-3, 3)));
      default: {
        if (runtime_of(estimate.design()).id != RuntimeId::kStaticQueues) return;
        const auto core = static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(estimate.lists().size()) - 1));
        const std::size_t places = estimate.lists()[core].size();
        const std::int64_t least = random.uniform() < 0.5 ? 0 : static_cast<std::int64_t>(places / 2);
        estimate.move(task, core_id(core), static_cast<std::size_t>(random.between(least, static_cast<std::int64_t>(places))));
      }
    }
  } catch (const InputError&) {  // changed nothing
  }
}

/// Whether a builder makes the same of its tasks and edges.
bool is_as_built(const TaskGraph& graph) {
  TaskGraphBuilder builder;
  for (std::size_t i = 0; i < graph.size(); ++i) builder.add_task(graph.name(task_id(i)), Task{});
  for (std::size_t i = 0; i < graph.size(); ++i) {
    for (const TaskId before : graph.predecessors(task_id(i))) builder.add_edge(before, task_id(i));
  }
  const TaskGraph built = std::move(builder).build();
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (!std::ranges::equal(built.successors(task_id(i)), graph.successors(task_id(i)))) return false;
  }
  return built.topological_order() == graph.topological_order() && built.edge_count() == graph.edge_count();
}

struct Tally {
  int runs = 0;
  int in_part = 0;
};

/// Edits of a case, by ones and several, kept and undone.
void try_edits(const RandomCase& drawn, int edits, Tally& tally) {
  if (drawn.graph.size() < 2) return;
  Estimate estimate(drawn.graph, drawn.machine, drawn.design, drawn.seed);
  ASSERT_EQ(estimate.run(), simulate(drawn.graph, drawn.machine, drawn.design, {.seed = drawn.seed}).timeline) << drawn.describe();
  Timeline timeline = estimate.run();
  Random random(drawn.seed);
  for (int i = 0; i < edits; ++i) {
    for (std::int64_t one = random.between(1, 3); one > 0; --one) edit(estimate, timeline, random);
    ASSERT_TRUE(is_as_built(estimate.graph())) << drawn.describe() << " after edit " << i;
    if (runtime_of(drawn.design).id == RuntimeId::kStaticQueues && !followed(estimate.graph(), estimate.lists())) {
      EXPECT_THROW(estimate.run(), RunError);
      estimate.undo();
      continue;
    }
    timeline = estimate.run();
    ASSERT_EQ(timeline, whole(estimate, drawn.seed)) << drawn.describe() << " after edit " << i;
    ++tally.runs;
    tally.in_part += estimate.simulated() < 1;
    const double next = random.uniform();
    if (next < 0.2) estimate.keep();
    if (next > 0.5) estimate.undo();
  }
}

TEST(Estimate, OfListsEqualsWholeRunsAfterAnyEdits) {
  Tally tally;
  for (std::uint64_t number = 1; number <= 400; ++number) {
    try_edits(random_case(named_design("static-queues"), number), 12, tally);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(tally.in_part, tally.runs / 5) << tally.runs;  // whole runs where messages are drawn
}

/// What is kept for each core is then kept for those alone that have done something.
TEST(Estimate, OfListsEqualsWholeRunsOnManyCores) {
  Tally tally;
  for (std::uint64_t number = 1; number <= 25; ++number) {
    RandomCase drawn = random_case(named_design("static-queues"), number);
    for (CoreGroup& group : drawn.machine.compute_cores) group.count = 6000;
    try_edits(drawn, 6, tally);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(tally.in_part, 0) << tally.runs;
}

TEST(Estimate, OfOtherDesignsEqualsWholeRuns) {
  Tally tally;
  for (const Design& design : named_designs()) {
    const Runtime& runtime = runtime_of(design);
    if (runtime.id == RuntimeId::kStaticQueues || runtime.id == RuntimeId::kHostProgram || runtime.id == RuntimeId::kGroupQueue) continue;
    for (std::uint64_t number = 1; number <= 8; ++number) {
      RandomCase drawn = random_case(design, number);
      if (find_runtime(drawn.design) == nullptr) continue;
      try_edits(drawn, 6, tally);
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_GT(tally.runs, 300);
}

/// Four in a row beside four in a row, on two cores.
Estimate two_chains(const std::string& design = "static-queues") {
  TaskGraphBuilder builder;
  for (int i = 0; i < 8; ++i) builder.add_task("t" + std::to_string(i), {.cost = {.time = Duration{1000}}});
  for (std::uint32_t i = 2; i < 8; ++i) builder.add_edge(TaskId{i - 2}, TaskId{i});
  Machine machine = free_machine();
  machine.compute_cores = {{CoreType::kSm, 2}};
  return Estimate(std::move(builder).build(), machine, named_design(design));
}

std::string refusal(const std::function<void()>& edit) {
  try {
    edit();
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

TEST(Estimate, SimulatesAnEditFromWhereItBeginsToMatter) {
  Estimate estimate = two_chains();
  EXPECT_EQ(estimate.run().makespan(), Duration{4000});
  EXPECT_EQ(estimate.simulated(), 1);
  estimate.set_time(TaskId{7}, Duration{1500});
  EXPECT_EQ(estimate.run().makespan(), Duration{4500});
  EXPECT_LT(estimate.simulated(), 0.5);
  estimate.undo();
  EXPECT_EQ(estimate.run().makespan(), Duration{4000});
  estimate.add_edge(TaskId{6}, TaskId{7});
  EXPECT_EQ(estimate.run().makespan(), Duration{5000});
  estimate.keep();
  estimate.set_time(TaskId{0}, Duration{0});
  EXPECT_EQ(estimate.run().makespan(), Duration{4000});
  EXPECT_EQ(estimate.simulated(), 1) << "it matters from the beginning";
  estimate.undo();
  EXPECT_EQ(estimate.run().makespan(), Duration{5000});
}

TEST(Estimate, APlaceMattersFromWhenItsTaskCouldRun) {
  TaskGraphBuilder builder;  // one behind the other, and a last one that another core waits for from the beginning on
  for (int i = 0; i < 8; ++i) builder.add_task("t" + std::to_string(i), {.cost = {.time = Duration{1000}}});
  for (std::uint32_t i = 1; i < 8; ++i) builder.add_edge(TaskId{i - 1}, TaskId{i});
  Machine machine = free_machine();
  machine.compute_cores = {{CoreType::kSm, 3}};
  Estimate estimate(std::move(builder).build(), machine, named_design("static-queues"));
  for (std::uint32_t i = 0; i < 8; ++i) estimate.move(TaskId{i}, CoreId{i < 7 ? 0u : 1u}, i < 7 ? i : 0);
  EXPECT_EQ(estimate.run().makespan(), Duration{8000});
  estimate.keep();
  estimate.move(TaskId{7}, CoreId{2}, 0);
  EXPECT_EQ(estimate.run().makespan(), Duration{8000});
  EXPECT_EQ(estimate.run().tasks[7].core, CoreId{2});
  EXPECT_LT(estimate.simulated(), 0.5);
  EXPECT_EQ(estimate.run(), whole(estimate, 1));
}

TEST(Estimate, SaysWhyOtherDesignsAreSimulatedWhole) {
  EXPECT_EQ(two_chains().whole_because(), "");
  EXPECT_EQ(two_chains("shared-queue").whole_because(), "the design has no lists alone");
}

TEST(Estimate, FallsBackAsARunDoes) {
  TaskGraphBuilder builder;
  const TaskId wide = builder.add_task("wide", {.cost = {.time = Duration{5000}}, .traits = builder.add_traits({.blocks = 3})});
  builder.add_edge(wide, builder.add_task("next", {.cost = {.time = Duration{2000}}}));
  const TaskGraph graph = std::move(builder).build();
  Design design = named_design("shared-queue");
  design.fallback = Fallback::kRun;
  Machine machine = free_machine();
  machine.compute_cores = {{CoreType::kSm, 4}};
  machine.control_cores.count = 4;
  Estimate estimate(graph, machine, design);
  EXPECT_THAT(estimate.whole_because(), HasSubstr("fallback 'run'"));
  estimate.set_time(wide, Duration{9000});
  EXPECT_EQ(estimate.run(), simulate(estimate.graph(), machine, design, {.seed = 1}).timeline);
  EXPECT_THAT(estimate.critical(), testing::ElementsAre(wide, task_id(1)));
}

TEST(Estimate, NamesWhatAnEditCannotBe) {
  Estimate estimate = two_chains();
  EXPECT_EQ(refusal([&] { estimate.set_time(TaskId{8}, Duration{1}); }), "task 8 is not there; the graph has tasks 0 to 7");
  EXPECT_THAT(refusal([&] { estimate.set_time(TaskId{0}, Duration{-1}); }), HasSubstr("time_ns: is -1 for task 0; must be 0 to 1"));
  EXPECT_EQ(refusal([&] { estimate.add_edge(TaskId{0}, TaskId{2}); }), "edge 0 -> 2 is there already");
  EXPECT_THAT(refusal([&] { estimate.add_edge(TaskId{4}, TaskId{0}); }), HasSubstr("in a cycle: "));
  EXPECT_THAT(refusal([&] { estimate.add_edge(TaskId{1}, TaskId{1}); }), HasSubstr("in a cycle: t1 -> t1"));
  EXPECT_EQ(refusal([&] { estimate.remove_edge(TaskId{0}, TaskId{1}); }), "edge 0 -> 1 is not there");
  EXPECT_EQ(refusal([&] { estimate.move(TaskId{0}, CoreId{2}, 0); }), "core 2 is not there; there are cores 0 to 1");
  EXPECT_THAT(refusal([&] { estimate.move(TaskId{0}, CoreId{1}, 9); }), HasSubstr("place 9 of core 1 is not there; without task 0"));
  EXPECT_THAT(refusal([&] { estimate.set_priority(TaskId{0}, 1); }), HasSubstr("does not order tasks by it"));
  EXPECT_THAT(refusal([&] { two_chains("shared-queue").move(TaskId{0}, CoreId{0}, 0); }), HasSubstr("its placement is made in the run"));
  EXPECT_EQ(estimate.run().makespan(), Duration{4000}) << "nothing of it was taken";
}

TEST(Estimate, TakesNoTimeForAnEvent) {
  TaskGraphBuilder builder;
  builder.add_task("t", {.cost = {.time = Duration{1000}}});
  const TaskId event = builder.add_task("e", {.kernel = Kernel::kEmpty, .operation = Operation::kEvent});
  builder.add_edge(TaskId{0}, event);
  Machine machine = free_machine();
  machine.compute_cores = {{CoreType::kSm, 2}};
  Estimate estimate(std::move(builder).build(), machine, named_design("static-queues"));
  EXPECT_THAT(refusal([&] { estimate.set_time(event, Duration{9000}); }), HasSubstr("task 1 is an event"));
  EXPECT_EQ(estimate.run().makespan(), Duration{1000});
}

TEST(Estimate, SurvivesAnEditThatWouldHang) {
  Estimate estimate = two_chains();
  const CoreId core = estimate.run().tasks[6].core;
  estimate.move(TaskId{6}, core, 0);
  EXPECT_THROW(estimate.run(), RunError);
  estimate.undo();
  EXPECT_EQ(estimate.run().makespan(), Duration{4000});
}

}  // namespace
}  // namespace tasktwin::sim
