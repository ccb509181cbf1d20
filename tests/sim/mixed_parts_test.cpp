// Mixed tasks whose parts take times of their own, joins without a body, and who waits for outputs to land.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "models/checks/remarks.hpp"
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

double makespan_us(const TaskGraph& graph, const Design& design, std::uint64_t seed = 1) {
  return static_cast<double>(simulate(graph, clustered(), design, {.seed = seed}).timeline.makespan().count()) / 1e3;
}

TaskId add_mixed(TaskGraphBuilder& builder, const std::string& name, std::vector<std::int64_t> parts_ns) {
  std::vector<Duration> parts;
  for (const std::int64_t ns : parts_ns) parts.emplace_back(ns);
  Task task{.cost = {.time = *std::ranges::max_element(parts)}, .core_type = CoreType::kMix};
  task.traits = builder.add_traits({.aic = 1, .aiv = static_cast<int>(parts.size()) - 1, .parts = parts});
  return builder.add_task(name, task);
}

/// Two mixed tasks a cluster, and no others.
TaskGraph two_each(const std::vector<std::int64_t>& parts_ns) {
  TaskGraphBuilder builder;
  for (int i = 0; i < 48; ++i) add_mixed(builder, "m" + std::to_string(i), parts_ns);
  return std::move(builder).build();
}

/// The longest part's core runs one after the other; the others are free when theirs has ended, whoever comes first.
TEST(MixedParts, EachCoreIsFreeWhenItsPartEnds) {
  for (const char* const name : {"ascend-device-built", "ascend-host-built"}) {
    const double us = makespan_us(two_each({48'400, 129'500, 45'000}), named_design(name));
    EXPECT_GT(us, 2 * 129.5) << name;
    EXPECT_LT(us, 2 * 129.5 + 20) << name;
  }
  TaskGraphBuilder builder;  // with four vector tasks of 40 us a cluster in the time that the shorter parts leave
  for (int i = 0; i < 48; ++i) add_mixed(builder, "m" + std::to_string(i), {129'500, 48'400, 45'000});
  for (int i = 0; i < 96; ++i) builder.add_task("v" + std::to_string(i), {.cost = {.time = Duration{40'000}}, .core_type = CoreType::kAiv});
  const TaskGraph graph = std::move(builder).build();
  EXPECT_LT(makespan_us(graph, named_design("ascend-device-built")), 290);
}

/// Chains of mixed tasks, as many as clusters. A dispatcher of its own cores puts a task behind another where an idle cluster is not its
/// own, unless the fill rule looks at all.
TEST(MixedParts, WaitForAnIdleClusterWhereTheFillRuleSaysSo) {
  TaskGraphBuilder builder;
  std::vector<TaskId> last;
  for (int i = 0; i < 72; ++i) {
    const TaskId task = add_mixed(builder, "m" + std::to_string(i), {48'400, 129'500, 45'000});
    if (i >= 24) builder.add_edge(last[static_cast<std::size_t>(i) - 24], task);
    last.push_back(task);
  }
  const TaskGraph graph = std::move(builder).build();
  for (const Gang gang : {Gang::kTogether, Gang::kPartsApart, Gang::kApart}) {
    Design design = named_design("ascend-device-built");
    design.gang = gang;
    design.fill = Fill::kWhenNoCoreIdle;
    EXPECT_LT(makespan_us(graph, design), 3 * 129.5 + 45) << to_word(gang);
  }
}

/// A thread that has tasks for its clusters leaves the next ones to threads whose clusters are idle, as the runtime does.
TEST(MixedParts, AreNotPutBehindOthersWhileAnothersClusterIsIdle) {
  for (const char* const name : {"ascend-device-built", "ascend-host-built"}) {
    for (const int tasks : {12, 24}) {
      TaskGraphBuilder builder;
      for (int i = 0; i < tasks; ++i) add_mixed(builder, "m" + std::to_string(i), {50'000, 50'000, 50'000});
      EXPECT_LT(makespan_us(std::move(builder).build(), named_design(name)), 70) << name << " " << tasks;
    }
  }
}

/// One vector core of each cluster of the other threads is idle: no cluster is, so that a mixed task may be put behind others.
TEST(MixedParts, AreKeptBackByIdleClustersAndNotByIdleCores) {
  TaskGraphBuilder builder;
  for (int i = 0; i < 24; ++i) builder.add_task("c" + std::to_string(i), {.cost = {.time = Duration{90'000}}, .core_type = CoreType::kAic});
  for (int i = 0; i < 24; ++i) add_mixed(builder, "m" + std::to_string(i), {50'000, 10'000});
  const TaskGraph graph = std::move(builder).build();
  const Timeline timeline = simulate(graph, clustered(), named_design("ascend-host-built")).timeline;
  for (std::size_t i = 24; i < graph.size(); ++i)
    EXPECT_LT((timeline.tasks[i].dispatched - TimePoint{}).count(), 60'000) << graph.name(task_id(i));
}

Task on(CoreType type, std::int64_t ns) { return {.cost = {.time = Duration{ns}}, .core_type = type}; }

/// The vector tasks of `EachCoreIsFreeWhenItsPartEnds` fit beside the short parts. They are put behind long parts as well where mailboxes
/// are filled to the end; in the tail, in which every part of a mixed task counts as handed over, they are left to the cores that are free
/// first.
TEST(MixedParts, LeaveNoBlockOfTheirsUncountedInTheTail) {
  TaskGraphBuilder builder;
  for (int i = 0; i < 48; ++i) add_mixed(builder, "m" + std::to_string(i), {48'400, 129'500, 45'000});
  for (int i = 0; i < 96; ++i) builder.add_task("v" + std::to_string(i), on(CoreType::kAiv, 40'000));
  const TaskGraph graph = std::move(builder).build();
  Design design = named_design("ascend-device-built");
  EXPECT_GT(makespan_us(graph, design), 300);
  design.fill = Fill::kNotInTail;
  EXPECT_LT(makespan_us(graph, design), 300);
}

/// Two threads with two clusters each; the second finds tasks for clusters waiting while the first resolves and has an idle one. When that
/// is taken, each of its own clusters gets a further task at once, and not only when one of them reports an end.
TEST(MixedParts, ArePutBehindOthersOnceAnothersLastIdleClusterIsTaken) {
  Machine machine = clustered_machine();
  machine.compute_cores[0].count = 4;
  machine.compute_cores[1].count = 8;
  machine.control_cores.count = 2;
  machine.device_mailboxes->hop_sigma = Nanoseconds{0};
  TaskGraphBuilder builder;
  const auto cube = [&](const std::string& name, std::int64_t ns) { return builder.add_task(name, on(CoreType::kAic, ns)); };
  cube("a0", 1000), cube("a2", 1000);  // to the first thread, and two behind
  const TaskId hub = cube("hub", 10'000);
  cube("a2'", 3000), cube("b1", 1000), cube("b3", 1000);
  const TaskId before = cube("b1'", 1000);
  const TaskId source = cube("b3'", 20'000);
  const TaskId held = add_mixed(builder, "held", {300'000, 300'000, 300'000});
  builder.add_edge(before, held);
  for (int i = 0; i < 500; ++i) {  // the first thread is busy with these
    const TaskId later = builder.add_task("later" + std::to_string(i), on(CoreType::kAiv, 100));
    builder.add_edge(hub, later);
    builder.add_edge(held, later);
  }
  std::vector<TaskId> mixed;
  for (int i = 0; i < 6; ++i) {
    mixed.push_back(add_mixed(builder, "m" + std::to_string(i), {100'000, 100'000, 100'000}));
    builder.add_edge(source, mixed.back());
  }
  const TaskGraph graph = std::move(builder).build();
  Design design = named_design("ascend-host-built");
  design.dispatchers = 2;
  for (const Gang gang : {Gang::kPartsApart, Gang::kApart}) {
    design.gang = gang;
    const Timeline timeline = simulate(graph, machine, design).timeline;
    const auto dispatched_us = [&](TaskId task) { return (timeline.tasks[index(task)].dispatched - TimePoint{}).count() / 1000; };
    EXPECT_LT(dispatched_us(mixed[0]), 30) << "its own idle cluster";
    EXPECT_GT(dispatched_us(mixed[1]), 40) << "left to the first thread";
    for (const TaskId task : mixed) EXPECT_LT(dispatched_us(task), 70) << graph.name(task) << " " << to_word(gang);
  }
}

/// One cluster, whose vector cores end their tasks by turns, and a `mix` task that needs both of them.
TEST(MixFirst, LetsNoTaskForOneCorePassAMixedOne) {
  Machine machine = clustered_machine();
  machine.compute_cores[0].count = 1;
  machine.compute_cores[1].count = 2;
  machine.control_cores.count = 1;
  TaskGraphBuilder builder;
  std::vector<TaskId> vectors;
  vectors.push_back(builder.add_task("v0", on(CoreType::kAiv, 10'000)));
  vectors.push_back(builder.add_task("v1", on(CoreType::kAiv, 15'000)));
  for (int i = 2; i < 20; ++i) vectors.push_back(builder.add_task("v" + std::to_string(i), on(CoreType::kAiv, 10'000)));
  const TaskId mixed = add_mixed(builder, "m", {5000, 5000, 5000});
  builder.add_edge(vectors[0], mixed);
  const TaskGraph graph = std::move(builder).build();
  const auto started_us = [&](HeadOfLine line) {
    Design design = named_design("ascend-host-built");
    design.dispatchers = design.mailbox_depth = 1;
    design.head_of_line = line;
    return (simulate(graph, machine, design).timeline.tasks[index(mixed)].started - TimePoint{}).count() / 1000;
  };
  EXPECT_LT(started_us(HeadOfLine::kMixFirst), 25) << "behind the longer of the two that ran";
  EXPECT_GT(started_us(HeadOfLine::kByType), 90) << "behind all of them";
}

/// A thread that holds vector tasks back for one that another takes looks again when it is taken.
TEST(MixFirst, LetsOtherThreadsGoOnWhenTheLastMixedTaskIsTaken) {
  TaskGraphBuilder builder;
  for (int i = 0; i < 300; ++i) builder.add_task("v" + std::to_string(i), on(CoreType::kAiv, 5000 + 137 * i));
  for (int i = 0; i < 40; ++i)
    builder.add_edge(task_id(static_cast<std::size_t>(i)), add_mixed(builder, "m" + std::to_string(i), {3000, 9000, 2000}));
  const TaskGraph graph = std::move(builder).build();
  for (const ReadyQueue queue : {ReadyQueue::kPerCoreType, ReadyQueue::kShared, ReadyQueue::kPerDispatcher}) {
    for (const Gang gang : {Gang::kTogether, Gang::kPartsApart, Gang::kApart}) {
      Design design = named_design("ascend-device-built");
      design.ready_queue = queue;
      design.gang = gang;
      const double by_type = makespan_us(graph, design);
      design.head_of_line = HeadOfLine::kMixFirst;
      EXPECT_LT(makespan_us(graph, design), 1.3 * by_type) << to_word(queue) << " " << to_word(gang);
    }
  }
}

Task join() { return {.kernel = Kernel::kEmpty, .operation = Operation::kEvent}; }

/// As many producers as consumers behind a join, under schedulers that resolve, or under one that does for three.
TEST(Joins, CostAResolverWhatTheyCostAScheduler) {
  TaskGraphBuilder builder;
  constexpr std::size_t kTasks = 200;
  for (std::size_t i = 0; i < kTasks; ++i)
    builder.add_task("p" + std::to_string(i), {.cost = {.time = Duration{5000}}, .core_type = CoreType::kAiv});
  const TaskId joined = builder.add_task("j", join());
  for (std::size_t i = 0; i < kTasks; ++i) {
    builder.add_edge(task_id(i), joined);
    builder.add_edge(joined, builder.add_task("c" + std::to_string(i), {.cost = {.time = Duration{5000}}, .core_type = CoreType::kAiv}));
  }
  const TaskGraph graph = std::move(builder).build();
  Design resolver = named_design("ascend-host-built");
  resolver.dispatchers = 3;
  resolver.resolvers = 1;
  EXPECT_LT(makespan_us(graph, resolver), 1.6 * makespan_us(graph, named_design("ascend-host-built")));
  resolver.graph_build = GraphBuild::kDevice;
  resolver.dispatchers = 2;
  resolver.window = 256;
  EXPECT_GT(makespan_us(graph, resolver), 0) << "the window goes on behind the join";
}

TEST(Joins, OfNothingAreThereFromTheBeginning) {
  TaskGraphBuilder builder;
  const TaskId nothing = builder.add_task("nothing", join());
  const TaskId further = builder.add_task("further", join());
  const TaskId first = builder.add_task("first", {.cost = {.time = Duration{1000}}, .core_type = CoreType::kAiv});
  const TaskId second = builder.add_task("second", {.cost = {.time = Duration{1000}}, .core_type = CoreType::kAiv});
  builder.add_edge(nothing, further);
  builder.add_edge(further, first);
  builder.add_edge(first, second);
  const TaskGraph graph = std::move(builder).build();
  for (const Design& design : named_designs()) {
    if (design.driver != Driver::kPersistent) continue;
    const Timeline timeline = simulate(graph, clustered(), design).timeline;
    EXPECT_TRUE(is_present(timeline.tasks[0].ended)) << design.name;
    EXPECT_GE(timeline.tasks[3].started, timeline.tasks[2].ended) << design.name;
  }
}

/// More than a worker tells at a time: those of the first batch pass on before it has told the last.
TEST(Joins, OfABatchPassOnBeforeTheirTaskHasToldAll) {
  TaskGraphBuilder builder;
  const TaskId hub = builder.add_task("hub", {.cost = {.time = Duration{1000}}, .core_type = CoreType::kAiv});
  constexpr int kFan = 500;
  for (int i = 0; i < kFan; ++i) {
    const TaskId event = builder.add_task("d" + std::to_string(i), join());
    builder.add_edge(hub, event);
    builder.add_edge(event, builder.add_task("v" + std::to_string(i), {.cost = {.time = Duration{1000}}, .core_type = CoreType::kAiv}));
  }
  const TaskGraph graph = std::move(builder).build();
  for (const char* const name : {"work-stealing", "shared-queue", "static-queues", "hybrid"}) {
    for (const GraphBuild build : {GraphBuild::kHost, GraphBuild::kDevice}) {
      Design design = with_depth(name, 1);
      design.graph_build = build;
      const Timeline timeline = simulate(graph, clustered(), design).timeline;
      for (std::size_t i = 1; i < graph.size(); i += 2) ASSERT_LE(timeline.tasks[i].published, timeline.tasks[i + 1].started) << name;
    }
  }
}

/// Measured on an a5: 4096 of them behind one task take 2.64 % less with four schedulers than with one.
TEST(Joins, AreBoundByWhoSubmitsThem) {
  TaskGraphBuilder builder;
  const TaskId shared = builder.add_task("shared", {.cost = {.time = Duration{1000}}, .core_type = CoreType::kAiv});
  for (int i = 0; i < 4096; ++i) builder.add_edge(shared, builder.add_task("d" + std::to_string(i), join()));
  const TaskGraph graph = std::move(builder).build();
  Design design = named_design("ascend-device-built");
  design.dispatchers = 1;
  const double one = makespan_us(graph, design);
  design.dispatchers = 3;
  EXPECT_NEAR(makespan_us(graph, design) / one, 1, 0.05);
}

TEST(OutputFlush, SavesTheWaitsThatADesignLeavesOut) {
  Machine machine = plain_machine(2);
  machine.resident_cores->start = Nanoseconds{50};
  machine.resident_cores->ordered_read = Nanoseconds{20};
  machine.resident_cores->release = Nanoseconds{40};
  machine.resident_cores->flush = Nanoseconds{14};
  machine.device_mailboxes->publish = Nanoseconds{80};
  const TaskGraph chain = small_graph({{"a", 100}, {"b", 100}}, {{0, 1}});
  const auto makespan = [&](const char* name, OutputFlush flush) {
    Design design = with_depth(name, 1);
    design.output_flush = flush;
    return to_ns(TimePoint{simulate(chain, machine, design).timeline.makespan()});
  };
  for (const char* const name : {"central-dispatcher", "static-queues", "shared-queue", "work-stealing"}) {
    const std::int64_t both = makespan(name, OutputFlush::kBoth);
    EXPECT_EQ(both - makespan(name, OutputFlush::kReader), name == std::string("central-dispatcher") ? 2 * 14 : 14) << name;
    EXPECT_EQ(both - makespan(name, OutputFlush::kWriter), 2 * 20) << name;
    EXPECT_EQ(both - makespan(name, OutputFlush::kNone), both - makespan(name, OutputFlush::kReader) + 2 * 20) << name;
  }
}

TEST(OutputFlush, IsARaceUnlessBothEndsWait) {
  const TaskGraph graph = small_graph({{"a", 100}, {"b", 100}, {"c", 100}}, {{0, 1}, {0, 2}});
  Design design = named_design("work-stealing");
  EXPECT_THAT(flush_races(graph, design), IsEmpty());
  const auto race = [&](OutputFlush flush) {
    design.output_flush = flush;
    return flush_races(graph, design);
  };
  EXPECT_THAT(race(OutputFlush::kReader),
              ElementsAre(AllOf(HasSubstr("'b' may read what 'a' puts out before it is there"), HasSubstr("along 1 further"),
                                HasSubstr("'a' signals its end without waiting"))));
  EXPECT_THAT(race(OutputFlush::kWriter), ElementsAre(HasSubstr("'b' may read before it has seen that 'a' has ended")));
  EXPECT_THAT(race(OutputFlush::kNone), ElementsAre(AllOf(HasSubstr("without waiting"), HasSubstr("before it has seen"))));
  EXPECT_THAT(flush_races(small_graph({{"a", 100}, {"b", 100}}), design), IsEmpty()) << "nobody reads";
}

}  // namespace
}  // namespace tasktwin::sim
