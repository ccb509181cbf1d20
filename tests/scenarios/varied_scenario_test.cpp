// Variants of a scenario, held against reading the file anew for each.
#include "scenarios/load/varied_scenario.hpp"

#include <algorithm>
#include <regex>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/base/error.hpp"
#include "scenarios/load/scenario_document.hpp"
#include "tests/scenarios/temporary_file.hpp"

namespace tasktwin::scenarios {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kText =
    "scenario: s\nmachine: nvidia-h200\ngraph: {generator: layered_random, tasks: 40, width: 8}\n"
    "designs:\n- central-dispatcher\n- {name: mine, from: shared-queue, order: lifo}\n";

using Overrides = std::vector<std::string>;

std::string text_of(const Scenario& scenario) {
  Machine machine = scenario.machine;  // a variant is not told where numbers come from
  std::erase_if(machine.provenance, [](const auto& entry) { return !entry.first.starts_with("kernels."); });
  std::string text = scenario.name + ' ' + std::to_string(scenario.seed) + '\n' + machine_to_yaml(machine);
  for (std::size_t i = 0; i < scenario.graph.size(); ++i) {
    text += std::string(scenario.graph.name(task_id(i))) + ' ' + std::to_string(to_ns(scenario.graph[task_id(i)].cost.time));
    for (const TaskId before : scenario.graph.predecessors(task_id(i))) text += ' ' + std::to_string(index(before));
    text += '\n';
  }
  return text;
}

/// Which of a list of designs one is counts among those that are left.
std::string without_positions(const std::string& text) { return std::regex_replace(text, std::regex(R"(designs\[\d\])"), "designs[]"); }

/// What reading the file anew gives, or refuses.
std::string anew(const std::string& file, const Overrides& overrides, const std::string& design) {
  try {
    const std::vector<std::string> selected{design};
    const Scenario scenario = load_scenario(file, overrides, selected);
    const Design& found = *std::ranges::find(scenario.designs, design, &Design::name);
    return text_of(scenario) + std::to_string(found.mailbox_depth) + std::string(to_word(found.order));
  } catch (const InputError& refused) {
    return without_positions(refused.what());
  }
}

std::string varied(VariedScenario& scenario, const Overrides& overrides, const std::string& design) {
  try {
    const Scenario& found = scenario.with(overrides, design);
    EXPECT_EQ(found.designs.size(), 1u);
    return text_of(found) + std::to_string(found.designs[0].mailbox_depth) + std::string(to_word(found.designs[0].order));
  } catch (const InputError& refused) {
    return without_positions(refused.what());
  }
}

TEST(VariedScenario, IsWhatReadingTheFileAnewGives) {
  const TemporaryFile file(kText);
  VariedScenario scenario(file.path(), {});
  const std::vector<Overrides> sequence{{},
                                        {"graph.tasks=48"},
                                        {"graph.tasks=48", "machine.device_control.poll_ns=20"},
                                        {"machine.device_control.poll_ns=20"},
                                        {"designs.mailbox_depth=2"},
                                        {"designs.mailbox_depth=3", "seed=7"},
                                        {"seed=7"},
                                        {"graph.tasks=48"},
                                        {"machine=ascend-a2a3"},
                                        {"graph={generator: chain, length: 5}"},
                                        {"designs.mine.order=fifo"},
                                        {}};
  for (int round = 0; round < 2; ++round) {
    for (const Overrides& overrides : sequence) {
      for (const char* design : {"central-dispatcher", "mine"})
        EXPECT_EQ(varied(scenario, overrides, design), anew(file.path(), overrides, design)) << testing::PrintToString(overrides) << design;
    }
  }
}

TEST(VariedScenario, RefusesWhatTheFileWouldBeRefusedForAndGoesOn) {
  const TemporaryFile file(kText);
  VariedScenario scenario(file.path(), {});
  for (const Overrides& wrong : std::vector<Overrides>{{"graph.tasks=0"},
                                                       {"grph.tasks=4"},
                                                       {"designs.mailbox_depth=99"},
                                                       {"designs.nobody.order=fifo"},
                                                       {"machine.device_control.poll_ns=-1"},
                                                       {"graph.tasks"},
                                                       {"seed=x"}}) {
    EXPECT_EQ(varied(scenario, wrong, "mine"), anew(file.path(), wrong, "mine"));
    EXPECT_THAT(varied(scenario, wrong, "mine"), HasSubstr(wrong.front().substr(0, 4)));
    EXPECT_EQ(varied(scenario, {}, "mine"), anew(file.path(), {}, "mine")) << "after " << wrong.front();
  }
}

/// What a graph of written tasks is refused for as a whole.
TEST(VariedScenario, RefusesWrittenTasksInTheWordsOfTheFile) {
  const TemporaryFile file(
      "scenario: written\nmachine: nvidia-h200\ngraph:\n  tasks:\n    - {name: a, time_ns: 100}\n    - {name: b, time_ns: 200, after: "
      "[a]}\n"
      "designs: [shared-queue]\n");
  VariedScenario scenario(file.path(), {});
  for (const char* const wrong :
       {"graph.tasks[0].core_type=aiv", "graph.tasks[1].device=3", "graph.tasks[0].name=zz", "graph.tasks.b.after[0]=zz",
        "graph.tasks.b.after[0]=b", "graph.tasks.a.kernel=fma", "machine=ascend-a2a3"}) {
    const std::vector<std::string> overrides{wrong};
    EXPECT_EQ(varied(scenario, overrides, "shared-queue"), anew(file.path(), overrides, "shared-queue")) << wrong;
    EXPECT_EQ(varied(scenario, {}, "shared-queue"), anew(file.path(), {}, "shared-queue")) << "after " << wrong;
  }
}

TEST(VariedScenario, IsOfOneDesignWhateverIsWrongWithOthers) {
  const TemporaryFile file(kText);
  VariedScenario scenario(file.path(), {});
  EXPECT_EQ(scenario.with(Overrides{"designs.dispatchers=2"}, "central-dispatcher").designs.front().dispatchers, 2);
  EXPECT_THROW(scenario.with(Overrides{"designs.dispatchers=2"}, "mine"), InputError);
}

TEST(VariedScenario, TakesNamedDesignsThatTheFileLacks) {
  const TemporaryFile file(kText);
  const std::vector<std::string> designs{"work-stealing", "mine"};
  VariedScenario scenario(file.path(), designs);
  EXPECT_THAT(scenario.design_names(), ElementsAre("central-dispatcher", "mine", "work-stealing"));
  EXPECT_EQ(scenario.with(Overrides{"designs.order=lifo"}, "work-stealing").designs.front().order, TaskOrder::kLifo);
}

TEST(VariedScenario, RefusesAFaultyDesignOfTheFileFromTheStart) {
  const TemporaryFile file(std::string(kText) + "- {name: bad, form: hybrid}\n");
  VariedScenario scenario(file.path(), {});
  EXPECT_THROW(scenario.with({}, "mine"), InputError);
}

}  // namespace
}  // namespace tasktwin::scenarios
