#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>

#include "models/base/error.hpp"
#include "scenarios/load/scenario.hpp"
#include "tests/scenarios/temporary_file.hpp"

namespace tasktwin::scenarios {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> design_names(const Scenario& scenario) {
  std::vector<std::string> names;
  for (const Design& design : scenario.designs) names.push_back(design.name);
  return names;
}

TEST(ScenarioFiles, EveryShippedOneLoadsUnderItsFilesName) {
  const auto names = shipped_scenarios();
  EXPECT_TRUE(std::ranges::is_sorted(names));
  EXPECT_GE(names.size(), 5u);
  for (const std::string& name : names) {
    EXPECT_NO_THROW(load_scenario(name)) << name;
    EXPECT_EQ(load_scenario(name).name, name);
  }
}

TEST(ScenarioFiles, TheSuiteHasManyCasesOfItsOwn) {
  std::size_t cases = 0;
  for (const std::string& name : shipped_suite()) {
    const Scenario scenario = load_scenario(name);
    EXPECT_EQ("suite/" + scenario.name, name);
    EXPECT_FALSE(std::ranges::count(shipped_scenarios(), scenario.name)) << "recordings are kept by the scenario's name";
    cases += scenario.designs.size();
  }
  EXPECT_GE(cases, 60u);
}

TEST(ScenarioFiles, TheMainJobHasFourDesigns) {
  for (const char* name : {"llama-1b-decode", "cholesky"}) {
    const Scenario scenario = load_scenario(name);
    EXPECT_THAT(design_names(scenario), ElementsAre("cuda-streams", "central-dispatcher", "static-queues", "shared-queue"));
    EXPECT_EQ(scenario.machine.name, "nvidia-h200");
  }
  EXPECT_EQ(load_scenario("cholesky").graph.size(), 24u * 25 * 26 / 6);
}

TEST(ScenarioFiles, TheLayeredGraphHas132WorkersUnderACentralDispatcher) {
  const Scenario scenario = load_scenario("layered-100k");
  EXPECT_EQ(scenario.graph.size(), 100'000u);
  EXPECT_EQ(scenario.graph.edge_count(), 3u * (100'000 - 264));
  EXPECT_EQ(worker_cores(scenario.designs.at(0), scenario.machine).size(), 132u);
}

TEST(ScenarioFiles, ListedTasksKeepTheirFields) {
  const Scenario scenario = load_scenario("example");
  const TaskGraph& graph = scenario.graph;
  ASSERT_EQ(graph.size(), 8u);
  EXPECT_EQ(graph.name(task_id(2)), "middle");
  EXPECT_EQ(graph[task_id(2)].cost.time, Duration{6000});
  EXPECT_EQ(graph[task_id(2)].cost.sigma_ns, 500u);
  EXPECT_EQ(graph[task_id(0)].cost.bytes, Bytes{1'000'000});
  EXPECT_EQ(graph[task_id(3)].cost.flops, Flops{1'000'000});
  EXPECT_EQ(graph[task_id(5)].kernel, Kernel::kEmpty);
  std::vector<TaskId> before;
  for (const TaskId id : graph.predecessors(task_id(5))) before.push_back(id);
  EXPECT_THAT(before, ElementsAre(task_id(2), task_id(3), task_id(4)));
  EXPECT_EQ(scenario.designs.back().order, TaskOrder::kCriticalPath);
  EXPECT_EQ(scenario.designs.back().mailbox_depth, 1);
  EXPECT_EQ(scenario.designs.back().release, Release::kDispatcher);
}

TEST(ScenarioFiles, TheSeedReachesTheGenerator) {
  const auto first_time = [](const std::string& seed) {
    const TemporaryFile file(with_graph("{generator: layered_random, min_time_ns: 0, max_time_ns: 1000000}") + "seed: " + seed + "\n");
    return load_scenario(file.path()).graph[task_id(0)].cost.time;
  };
  EXPECT_EQ(first_time("5"), first_time("5"));
  EXPECT_NE(first_time("5"), first_time("6"));
}

TEST(ScenarioFiles, TheDataFolderCanBeChosen) {
  const TemporaryFile file(with_graph("{generator: chain}"), "mine.yaml");
  std::filesystem::create_directories(file.folder() / "machines");
  std::filesystem::copy(data_folder() / "machines", file.folder() / "machines");
  setenv("TASKTWIN_DATA", file.folder().c_str(), 1);
  EXPECT_THAT(shipped_scenarios(), ElementsAre("mine"));
  EXPECT_EQ(load_scenario("mine").name, "s");
  setenv("TASKTWIN_DATA", "/nowhere/at/all", 1);
  try {
    data_folder();
    ADD_FAILURE() << "a folder that is not there was accepted";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "TASKTWIN_DATA is '/nowhere/at/all', which is not a folder");
  }
  unsetenv("TASKTWIN_DATA");
}

}  // namespace
}  // namespace tasktwin::scenarios
