#include "sim/simulator.hpp"
#include "models/runtimes/runtimes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/base/error.hpp"
#include "sim/engine/platform.hpp"
#include "sim/engine/standstill.hpp"
#include "tests/sim/random_cases.hpp"
#include "tests/sim/small_worlds.hpp"
#include "tests/sim/timeline_text.hpp"

namespace tasktwin::sim {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

/// With control cores for every named design.
Machine machine_for_all(int cores) {
  Machine machine = plain_machine(cores);
  machine.control_cores.count = 4;
  return machine;
}

TEST(Simulator, SameArgumentsGiveTheSameTimelineHoweverOftenInOneProcess) {
  for (const Design& family : named_designs()) {
    const RandomCase drawn = random_case(family, 17);
    const std::string first = to_text(simulate(drawn.graph, drawn.machine, drawn.design, {.seed = 5}).timeline);
    const RandomCase other = random_case(family, 18);
    simulate(other.graph, other.machine, other.design);
    EXPECT_EQ(first, to_text(simulate(drawn.graph, drawn.machine, drawn.design, {.seed = 5}).timeline)) << family.name;
  }
}

TEST(Simulator, RunningAheadChangesNothing) {
  Calendar& calendar = Platform::instance().calendar();
  for (const Design& family : named_designs()) {
    for (std::uint64_t number = 0; number < 50; ++number) {
      const RandomCase drawn = random_case(family, number);
      const Timeline ahead = simulate(drawn.graph, drawn.machine, drawn.design, {.seed = number}).timeline;
      calendar.set_run_ahead(RunAhead::kNever);
      const Timeline stepped = simulate(drawn.graph, drawn.machine, drawn.design, {.seed = number}).timeline;
      calendar.set_run_ahead(RunAhead::kWhenAlone);
      ASSERT_EQ(ahead, stepped) << drawn.describe();
    }
  }
}

TEST(Simulator, SeedChangesTheDurationsOfTasksThatVary) {
  TaskGraphBuilder builder;
  Task task;
  task.cost.time = Duration{1000};
  task.cost.sigma_ns = 100;
  builder.add_task("a", task);
  const TaskGraph graph = std::move(builder).build();
  const auto makespan = [&](std::uint64_t seed) {
    return simulate(graph, plain_machine(1), named_design("shared-queue"), {.seed = seed}).timeline.makespan();
  };
  EXPECT_NE(makespan(1), makespan(2));
  EXPECT_EQ(makespan(1), makespan(1));
}

TEST(Simulator, RunsOfOneSeedDifferByChanceAlone) {
  TaskGraphBuilder builder;
  Task task;
  task.cost.time = Duration{1000};
  task.cost.sigma_ns = 100;
  for (const char* name : {"a", "b", "c"}) builder.add_task(name, task);
  const TaskGraph graph = std::move(builder).build();
  Machine machine = plain_machine(1);
  machine.device_mailboxes->hop = Nanoseconds{500};
  machine.device_mailboxes->hop_sigma = Nanoseconds{50};
  const auto tasks = [&](std::uint64_t run) {
    return simulate(graph, machine, named_design("central-dispatcher"), {.seed = 3, .run = run}).timeline.tasks;
  };
  const std::vector<TaskTimes> first = tasks(0);
  const std::vector<TaskTimes> second = tasks(1);
  EXPECT_NE(first[0].received - first[0].dispatched, second[0].received - second[0].dispatched);
  for (std::size_t i = 0; i < graph.size(); ++i) EXPECT_EQ(first[i].ended - first[i].started, second[i].ended - second[i].started);
  EXPECT_EQ(tasks(1), second);
}

TEST(Simulator, EmptyGraphTakesNoTime) {
  for (const Design& design : named_designs()) {
    const Timeline timeline = simulate(TaskGraph{}, machine_for_all(2), design).timeline;
    EXPECT_EQ(timeline.makespan(), Duration{0}) << design.name;
    EXPECT_TRUE(timeline.tasks.empty());
  }
}

TEST(Simulator, TaskOfATypeThatNoWorkerHasIsRefusedByName) {
  const TaskGraph graph = small_graph({{"fine", 10}, {"odd one", 10, 0, CoreType::kAiv}});
  for (const Design& design : named_designs()) {
    EXPECT_THAT([&] { simulate(graph, machine_for_all(2), design); },
                ThrowsMessage<InputError>(AllOf(HasSubstr("'odd one'"), HasSubstr("'aiv'"), HasSubstr("'plain'"), HasSubstr("it has: sm"))))
        << design.name;
  }
}

TEST(Simulator, CoresTakenByTheControlCoresAreNotWorkers) {
  Machine machine = plain_machine(3);
  machine.control_cores.occupied_cores = 1;
  EXPECT_EQ(simulate(TaskGraph{}, machine, named_design("central-dispatcher")).timeline.cores.size(), 2u);
  EXPECT_EQ(simulate(TaskGraph{}, machine, named_design("shared-queue")).timeline.cores.size(), 3u);
}

TEST(Simulator, DesignThatContradictsItselfIsRefused) {
  Design design = named_design("static-queues");
  design.driver = Driver::kStreams;
  EXPECT_THROW(simulate(TaskGraph{}, plain_machine(2), design), InputError);
}

TEST(Simulator, ConstantThatIsNegativeOrNotANumberIsRefusedByName) {
  for (const double wrong : {-1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    Machine machine = plain_machine(2);
    machine.memory->atomic_latency = Nanoseconds{wrong};
    EXPECT_THAT([&] { simulate(TaskGraph{}, machine, named_design("shared-queue")); },
                ThrowsMessage<InputError>(HasSubstr("atomic_latency_ns")));
  }
}

TEST(Simulator, BodyLongerThanTheEngineCanDateIsRefusedByName) {
  const TaskGraph graph = small_graph({{"endless", std::numeric_limits<std::int64_t>::max()}});
  EXPECT_THAT([&] { simulate(graph, plain_machine(2), named_design("shared-queue")); }, ThrowsMessage<InputError>(HasSubstr("'endless'")));
}

TEST(Simulator, RunPastTheLastExactDateIsAnErrorAndTheNextRunIsWhole) {
  const std::int64_t longest = std::int64_t{1} << 50;
  std::vector<SmallTask> tasks;
  for (int i = 0; i < 10; ++i) tasks.push_back({"t" + std::to_string(i), longest});
  const TaskGraph graph = small_graph(tasks);
  EXPECT_THROW(simulate(graph, machine_for_all(1), named_designs().front()), InputError);
  for (const Design& design : named_designs()) {  // bad input, or too much for what this process has simulated already
    EXPECT_ANY_THROW(simulate(graph, machine_for_all(1), design)) << design.name;
    EXPECT_EQ(simulate(small_graph({{"a", 7}}), machine_for_all(1), design).timeline.makespan(), Duration{7}) << design.name;
  }
}

TEST(Simulator, RunThatStandsStillNamesTasksAndWhatTheyWaitFor) {
  const TaskGraph graph = small_graph({{"a", 1}, {"b", 1}, {"c", 1}}, {{0, 1}, {1, 2}});
  Timeline timeline;
  timeline.tasks.resize(3);
  timeline.tasks[0].ended = at_ns(1);
  EXPECT_THAT([&] { check_finished(graph, timeline); }, ThrowsMessage<RunError>(HasSubstr("'b' waits for whoever is to hand it over")));
  timeline.tasks[1].dispatched = at_ns(1);
  EXPECT_THAT([&] { check_finished(graph, timeline); },
              ThrowsMessage<RunError>(AllOf(HasSubstr("2 of 3"), HasSubstr("'b' waits for a core"), HasSubstr("'c' waits for 'b'"))));
  timeline.tasks[1].ended = timeline.tasks[2].ended = at_ns(2);
  EXPECT_NO_THROW(check_finished(graph, timeline));
}

TEST(Simulator, QueueLengthCountsTasksReadyAndNotYetDispatched) {
  // One core, three roots of 10 ns: one is dispatched at 0, the others every 10 ns.
  const Timeline timeline =
      simulate(small_graph({{"a", 10}, {"b", 10}, {"c", 10}}), plain_machine(1), with_depth("central-dispatcher", 1)).timeline;
  EXPECT_EQ(timeline.ready_queue, (std::vector<QueueSample>{{at_ns(0), 2}, {at_ns(10), 1}, {at_ns(20), 0}}));
}

TEST(Simulator, PriorityGoesBeforeArrivalWhereTheOrderSaysSo) {
  TaskGraphBuilder builder;
  for (const int priority : {0, 5, 3}) {
    Task task;
    task.cost.time = Duration{10};
    task.priority = priority;
    builder.add_task("p" + std::to_string(priority), task);
  }
  const TaskGraph graph = std::move(builder).build();
  for (const char* name : {"central-dispatcher", "shared-queue"}) {
    Design design = with_depth(name, 1);
    design.order = TaskOrder::kPriority;
    const Timeline timeline = simulate(graph, plain_machine(1), design).timeline;
    EXPECT_EQ(to_ns(timeline.tasks[1].started), 0) << name;
    EXPECT_EQ(to_ns(timeline.tasks[2].started), 10) << name;
    EXPECT_EQ(to_ns(timeline.tasks[0].started), 20) << name;
  }
}

}  // namespace
}  // namespace tasktwin::sim
