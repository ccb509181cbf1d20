#include <gmock/gmock.h>

#include "models/base/error.hpp"
#include "models/runtimes/runtimes.hpp"
#include "scenarios/load/scenario_document.hpp"
#include "tests/scenarios/temporary_file.hpp"

namespace tasktwin::scenarios {
namespace {

using ::testing::HasSubstr;

constexpr const char* kText =
    "scenario: s\nmachine: nvidia-h200\ngraph: {generator: chain, length: 3}\n"
    "designs:\n- central-dispatcher\n- {name: mine, from: shared-queue, mailbox_depth: 3}\n";

Scenario overridden(const std::vector<std::string>& overrides, const std::string& text = kText) {
  const TemporaryFile file(text);
  return load_scenario(file.path(), overrides);
}

std::string override_refusal(const std::vector<std::string>& overrides, const std::string& text = kText) {
  try {
    overridden(overrides, text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Overrides, ChangeTheGraphTheMachineAndTheSeed) {
  const Scenario scenario = overridden({"graph.time_ns=500", "graph.length=5", "machine.device_control.poll_ns=20", "seed=9"});
  EXPECT_EQ(scenario.graph.size(), 5u);
  EXPECT_EQ(scenario.graph[task_id(0)].cost.time, Duration{500});
  EXPECT_EQ(scenario.machine.device_control->poll.count(), 20);
  EXPECT_EQ(scenario.machine.device_control->dispatch, load_machine("nvidia-h200").device_control->dispatch);
  EXPECT_EQ(scenario.seed, 9u);
  EXPECT_NE(scenario.machine_hash, overridden({}).machine_hash);
}

TEST(Overrides, GoToEveryDesignOrToOneOfThem) {
  const Scenario all = overridden({"designs.mailbox_depth=2"});
  EXPECT_EQ(all.designs.at(0).mailbox_depth, 2);
  EXPECT_EQ(all.designs.at(1).mailbox_depth, 2);
  EXPECT_EQ(all.designs.at(0).name, "central-dispatcher") << "an overridden named design keeps its name";
  EXPECT_EQ(all.designs.at(0).fill, named_design("central-dispatcher").fill);
  EXPECT_EQ(all.designs.at(1).release, Release::kCounters);
  for (const std::string one : {"designs.mine.mailbox_depth=2", "designs[1].mailbox_depth=2"}) {
    const Scenario scenario = overridden({one});
    EXPECT_EQ(scenario.designs.at(0).mailbox_depth, 5) << one;
    EXPECT_EQ(scenario.designs.at(1).mailbox_depth, 2) << one;
  }
  EXPECT_EQ(overridden({"designs.central-dispatcher.order=lifo"}).designs.at(0).order, TaskOrder::kLifo);
}

TEST(Overrides, OfAllDesignsGoToTheSelectedAlone) {
  const TemporaryFile file(kText);
  const std::vector<std::string> overrides{"designs.dispatchers=2"};  // which counters, shared-queue's release, know nothing of
  EXPECT_THAT(override_refusal(overrides), HasSubstr("design 'mine': dispatchers has no effect here"));
  const std::vector<std::string> selected{"central-dispatcher"};
  const Scenario scenario = load_scenario(file.path(), overrides, selected);
  EXPECT_EQ(scenario.designs.at(0).dispatchers, 2);
  EXPECT_EQ(scenario.designs.at(1).dispatchers, Design{}.dispatchers);
}

TEST(Overrides, ReachASelectedNamedDesignThatTheScenarioLacks) {
  const TemporaryFile file(kText);
  const std::vector<std::string> overrides{"designs.mailbox_depth=2"};
  const std::vector<std::string> selected{"static-queues", "nonsense"};
  const Scenario scenario = load_scenario(file.path(), overrides, selected);
  ASSERT_EQ(scenario.designs.size(), 3u);
  EXPECT_EQ(scenario.designs.at(2).name, "static-queues");
  EXPECT_EQ(scenario.designs.at(2).mailbox_depth, 2);
  EXPECT_EQ(scenario.designs.at(1).mailbox_depth, 3) << "its own";
}

TEST(Overrides, TakeWholeListsAndMapsAndTheLastOneWins) {
  EXPECT_EQ(overridden({"designs=[static-queues]"}).designs.at(0).name, "static-queues");
  EXPECT_EQ(overridden({"machine.compute_cores=[{type: sm, count: 7}]"}).machine.core_count(), 7);
  EXPECT_EQ(overridden({"graph.length=7", "graph.length=8"}).graph.size(), 8u);
  EXPECT_EQ(overridden({"machine=ascend-a2a3", "graph.core_type=aiv"}).machine.name, "ascend-a2a3");
}

TEST(Overrides, ReachOneTaskOfAList) {
  const std::string tasks =
      "scenario: s\nmachine: nvidia-h200\ndesigns: [shared-queue]\ngraph:\n  tasks:\n  - {name: a, time_ns: 1}\n  - {name: b, time_ns: "
      "2}\n";
  EXPECT_EQ(overridden({"graph.tasks[1].time_ns=9"}, tasks).graph[task_id(1)].cost.time, Duration{9});
  EXPECT_EQ(override_refusal({"graph.tasks[2].time_ns=9"}, tasks),
            "override 'graph.tasks[2].time_ns=9': 'graph.tasks' is a list of 2; a position in it must be [0] to [1]");
  EXPECT_EQ(overridden({"graph.tasks.b.time_ns=9"}, tasks).graph[task_id(1)].cost.time, Duration{9});
  EXPECT_EQ(override_refusal({"graph.tasks.c.time_ns=9"}, tasks),
            "override 'graph.tasks.c.time_ns=9': 'graph.tasks' has no 'c'; did you mean 'a'? (valid: a, b)");
}

TEST(Overrides, OfNamesThatBeginAPathTheLongestCounts) {
  const std::string tasks =
      "scenario: s\nmachine: nvidia-h200\ndesigns: [shared-queue]\ngraph:\n  tasks:\n  - {name: a, time_ns: 1}\n  - {name: a.b, time_ns: "
      "2}\n";
  EXPECT_EQ(overridden({"graph.tasks.a.b.time_ns=9"}, tasks).graph[task_id(1)].cost.time, Duration{9});
  EXPECT_EQ(overridden({"graph.tasks.a.time_ns=9"}, tasks).graph[task_id(0)].cost.time, Duration{9});
}

TEST(Overrides, OfWhatTheScenarioDoesNotStateSayWhatCanBeStated) {
  EXPECT_EQ(override_refusal({"machine.compute_cores[0].count=8"}),
            "override 'machine.compute_cores[0].count=8': the scenario states no list 'machine.compute_cores' to change one of; state it "
            "whole, such as machine.compute_cores=[...]");
  EXPECT_EQ(override_refusal({"mine.order=fifo"}),
            "override 'mine.order=fifo': the scenario has no key 'mine'; did you mean 'designs.mine.order'?");
  EXPECT_EQ(override_refusal({"shared-queue.order=fifo"}),
            "override 'shared-queue.order=fifo': the scenario has no key 'shared-queue'; did you mean 'designs.shared-queue.order'?");
}

TEST(Overrides, KeysWithoutWhatIsInFrontBringWholePaths) {
  EXPECT_THAT(override_refusal({"hop_ns=5"}),
              HasSubstr("override 'hop_ns=5': the scenario has no key 'hop_ns'; did you mean 'machine.ready_queues.hop_ns', 'machine."));
  EXPECT_EQ(override_refusal({"mailbox_depth=5"}),
            "override 'mailbox_depth=5': the scenario has no key 'mailbox_depth'; did you mean 'designs.mailbox_depth'?");
  EXPECT_THAT(override_refusal({"hop=5"}), HasSubstr("'machine.device_mailboxes.hop_ns'"));
}

TEST(Overrides, BadPathsBringTheValidKeys) {
  EXPECT_THAT(
      override_refusal({"graph.time=5"}),
      HasSubstr("override 'graph.time=5': graph.time: unknown key; did you mean 'time_ns'? (valid: blocks, bytes, core_type, flops"));
  EXPECT_EQ(override_refusal({"grap.time_ns=5"}),
            "override 'grap.time_ns=5': grap: unknown key; did you mean 'graph'? (valid: buffers, collectives, description, designs, "
            "finding, graph, "
            "kernels, machine, "
            "question, scenario, seed)");
  EXPECT_THAT(override_refusal({"machine.collectives.efficiency_ratio=2"}), HasSubstr("is 2; must be at most 1"));
  EXPECT_THAT(override_refusal({"machine.device_control.pol_ns=5"}),
              HasSubstr("machine.device_control.pol_ns: unknown key; did you mean 'poll_ns'?"));
  EXPECT_THAT(override_refusal({"designs.mailbox_dept=5"}),
              HasSubstr("override 'designs.mailbox_dept=5': designs[0].mailbox_dept: unknown key; did you mean 'mailbox_depth'?"));
  EXPECT_EQ(
      override_refusal({"designs.min.mailbox_depth=5"}),
      "override 'designs.min.mailbox_depth=5': the scenario has no design 'min'; did you mean 'mine'? (valid: central-dispatcher, mine)");
  EXPECT_EQ(override_refusal({"seed.x=1"}, std::string(kText) + "seed: 3\n"),
            "override 'seed.x=1': 'seed' is the number 3, which has no keys");
  EXPECT_THAT(override_refusal({"graph..time_ns=5"}), HasSubstr("a key is missing in its path"));
  EXPECT_THAT(override_refusal({"graph.=5"}), HasSubstr("a key is missing in its path"));
}

TEST(Overrides, BadValuesAreSaidOfTheOverride) {
  EXPECT_EQ(override_refusal({"seed=1", "graph.time_ns=-5"}),
            "override 'graph.time_ns=-5': graph.time_ns: is -5; must be 0 to 100000000000");
  EXPECT_EQ(override_refusal({"graph.time_ns=.nan"}).substr(0, 34), "override 'graph.time_ns=.nan':1:1:");
  EXPECT_EQ(override_refusal({"designs.mailbox_depth=17"}),
            "override 'designs.mailbox_depth=17': designs[0].mailbox_depth: is 17; must be 1 to 16");
  EXPECT_THAT(override_refusal({"designs.release=events"}),
              AllOf(HasSubstr(":5:3: designs[0]: design 'central-dispatcher'"), HasSubstr("release 'dispatcher', not 'events'")));
  for (const std::string text : {"graph.time_ns", "=5", ""})
    EXPECT_THAT(override_refusal({text}), HasSubstr("must have the form path=value"));
  EXPECT_THAT(override_refusal({"graph.time_ns="}), HasSubstr("no value stands after '='"));
}

}  // namespace
}  // namespace tasktwin::scenarios
