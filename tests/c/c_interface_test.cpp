// The C interface says what the simulator does, and names what is wrong with what it is given.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <climits>
#include <memory>
#include <string>
#include <vector>

#include "models/runtimes/runtimes.hpp"
#include "scenarios/machine_files/load_machine.hpp"
#include "sim/simulator.hpp"
#include "verify/c_interface/tasktwin.h"

namespace tasktwin {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

using MachinePointer = std::unique_ptr<tasktwin_machine, decltype(&tasktwin_free_machine)>;
using GraphPointer = std::unique_ptr<tasktwin_graph, decltype(&tasktwin_free_graph)>;
using EstimatePointer = std::unique_ptr<tasktwin_estimate, decltype(&tasktwin_free_estimate)>;

MachinePointer machine(const char* text = "nvidia-h200") { return {tasktwin_new_machine(text), tasktwin_free_machine}; }

/// 0 → 1 and 2 → 3; 2 takes the longest.
const std::vector<tasktwin_task> kTasks{{4000, 0, 0, 0, 0, 0}, {6000, 0, 0, 0, 0, 1}, {9000, 0, 0, 0, 1, 0}, {3000, 0, 0, 0, 0, 2}};
const std::vector<tasktwin_edge> kEdges{{0, 1}, {0, 2}, {1, 3}, {2, 3}};

GraphPointer graph(const std::vector<tasktwin_task>& tasks = kTasks, const std::vector<tasktwin_edge>& edges = kEdges) {
  return {tasktwin_new_graph(tasks.data(), tasks.size(), edges.data(), edges.size()), tasktwin_free_graph};
}

EstimatePointer open(const char* design, const GraphPointer& of, const MachinePointer& on, std::uint64_t seed = 1) {
  return {tasktwin_new_estimate(of.get(), on.get(), design, seed), tasktwin_free_estimate};
}
EstimatePointer open(const char* design) { return open(design, graph(), machine()); }

tasktwin_result run(const EstimatePointer& estimate) {
  tasktwin_result result{};
  EXPECT_EQ(tasktwin_run(estimate.get(), &result), 0) << tasktwin_error();
  return result;
}

std::int64_t simulated(const Design& design) {
  TaskGraphBuilder builder;
  for (std::size_t i = 0; i < kTasks.size(); ++i)
    builder.add_task("t" + std::to_string(i), {.cost = {.time = Duration{kTasks[i].time_ns}}});
  for (const tasktwin_edge& edge : kEdges) builder.add_edge(TaskId{edge.from}, TaskId{edge.to});
  return sim::simulate(std::move(builder).build(), scenarios::load_machine("nvidia-h200"), design).timeline.makespan().count();
}

TEST(CInterface, SaysWhatTheSimulatorDoes) {
  EXPECT_EQ(tasktwin_abi(), TASKTWIN_ABI);
  for (const char* name : {"static-queues", "shared-queue", "central-dispatcher", "cuda-streams", "cuda-graph"}) {
    const tasktwin_result result = run(open(name));
    EXPECT_EQ(result.makespan_ns, simulated(named_design(name))) << name;
    EXPECT_LT(result.low_ns, static_cast<double>(result.makespan_ns));
    EXPECT_GT(result.high_ns, static_cast<double>(result.makespan_ns));
    EXPECT_GT(result.recordings, 50);
    EXPECT_EQ(result.simulated, 1);
  }
  Design deep = named_design("static-queues");
  deep.mailbox_depth = 2;
  EXPECT_EQ(run(open("{from: static-queues, mailbox_depth: 2}")).makespan_ns, simulated(deep));
}

TEST(CInterface, NamesTheCriticalTasks) {
  const EstimatePointer estimate = open("static-queues");
  std::vector<std::uint32_t> tasks(8);
  EXPECT_EQ(tasktwin_critical(estimate.get(), tasks.data(), tasks.size()), 3);
  tasks.resize(3);
  EXPECT_THAT(tasks, ElementsAre(0, 2, 3));
  EXPECT_EQ(tasktwin_critical(estimate.get(), nullptr, 0), 3);
}

TEST(CInterface, EditsAreKeptOrTakenBack) {
  const EstimatePointer estimate = open("{from: static-queues, placement: replay}");
  const std::int64_t before = run(estimate).makespan_ns;
  const tasktwin_change longer{TASKTWIN_SET_TIME, 3, 0, 5000};
  ASSERT_EQ(tasktwin_edit(estimate.get(), &longer, 1), 0) << tasktwin_error();
  EXPECT_EQ(run(estimate).makespan_ns, before + 2000);
  EXPECT_LT(run(estimate).simulated, 1);
  ASSERT_EQ(tasktwin_settle(estimate.get(), 0), 0);
  EXPECT_EQ(run(estimate).makespan_ns, before);
  const std::array several{tasktwin_change{TASKTWIN_REMOVE_EDGE, 2, 3, 0}, tasktwin_change{TASKTWIN_MOVE, 3, 2, 0}, longer};
  ASSERT_EQ(tasktwin_edit(estimate.get(), several.data(), several.size()), 0) << tasktwin_error();
  const std::int64_t after = run(estimate).makespan_ns;
  EXPECT_NE(after, before);
  ASSERT_EQ(tasktwin_settle(estimate.get(), 1), 0);
  ASSERT_EQ(tasktwin_settle(estimate.get(), 0), 0);
  EXPECT_EQ(run(estimate).makespan_ns, after);
}

TEST(CInterface, FollowsThePlacesOfTasks) {
  const EstimatePointer estimate = open("{from: static-queues, placement: replay}");
  run(estimate);
  std::vector<tasktwin_task> without = kTasks;
  without[2].core = -1;
  EXPECT_EQ(open("{from: static-queues, placement: replay}", graph(without), machine()), nullptr);
  EXPECT_STREQ(tasktwin_error(), "placement 'replay' needs 'core' and 'place' of each task, which are 0 or more");
  std::vector<tasktwin_task> behind = kTasks;
  behind[1].core = behind[1].place = 0;
  behind[0].place = 1;
  EXPECT_EQ(open("{from: static-queues, placement: replay}", graph(behind), machine()), nullptr);
  EXPECT_THAT(tasktwin_error(), HasSubstr("tasks[0].place: on core 0 it waits for a task that stands behind it"));
  std::vector<tasktwin_task> far = kTasks;
  far[2].core = 4000;
  EXPECT_EQ(open("{from: static-queues, placement: replay}", graph(far), machine()), nullptr);
  EXPECT_THAT(tasktwin_error(), HasSubstr("task 't2' ran on core 4000"));
}

TEST(CInterface, NamesWhatIsWrong) {
  EXPECT_EQ(machine(nullptr), nullptr);
  EXPECT_STREQ(tasktwin_error(), "text: is NULL");
  EXPECT_EQ(machine("nvidia-h20"), nullptr);
  EXPECT_THAT(tasktwin_error(), HasSubstr("nvidia-h200"));
  EXPECT_EQ(machine("machine: mine\ncompute_cores: 3\n"), nullptr);
  EXPECT_THAT(tasktwin_error(), HasSubstr("machine:2:"));
  EXPECT_EQ(graph({{-1, 0, 0, 0, 0, 0}}, {}), nullptr);
  EXPECT_THAT(tasktwin_error(), HasSubstr("tasks[0].time_ns: is -1; must be 0 to"));
  EXPECT_EQ(graph({{1, 0, 7, 0, 0, 0}}, {}), nullptr);
  EXPECT_THAT(tasktwin_error(), HasSubstr("tasks[0].core_type: is 7; must be 0 to 2"));
  EXPECT_EQ(graph(kTasks, {{0, 1}, {0, 9}}), nullptr);
  EXPECT_STREQ(tasktwin_error(), "edges[1].to: is 9; there are 4 tasks, from 0");
  EXPECT_EQ(graph(kTasks, {{0, 1}, {1, 0}}), nullptr);
  EXPECT_THAT(tasktwin_error(), HasSubstr("in a cycle: "));
  EXPECT_EQ(open("static-queue"), nullptr);
  EXPECT_THAT(tasktwin_error(), HasSubstr("did you mean 'static-queues'?"));
  EXPECT_EQ(open("{from: static-queues, mailbox_dept: 2}"), nullptr);
  EXPECT_THAT(tasktwin_error(), HasSubstr("mailbox_depth"));
  EXPECT_EQ(open("{from: static-queues"), nullptr);
  EXPECT_EQ(open("[1, 2]"), nullptr);
  EXPECT_THAT(tasktwin_error(), HasSubstr("design: is a list"));
}

TEST(CInterface, NamesTheEditThatIsWrong) {
  const EstimatePointer estimate = open("static-queues");
  const std::int64_t before = run(estimate).makespan_ns;
  const auto refused = [&estimate](tasktwin_change change) {
    const std::array both{tasktwin_change{TASKTWIN_SET_TIME, 3, 0, 3000}, change};
    EXPECT_EQ(tasktwin_edit(estimate.get(), both.data(), both.size()), TASKTWIN_WRONG_INPUT);
    return std::string(tasktwin_error());
  };
  EXPECT_EQ(refused({TASKTWIN_SET_TIME, 4, 0, 1}), "changes[1]: task 4 is not there; the graph has tasks 0 to 3");
  EXPECT_THAT(refused({TASKTWIN_SET_TIME, 0, 0, -1}), HasSubstr("changes[1]: time_ns: is -1"));
  EXPECT_EQ(refused({TASKTWIN_ADD_EDGE, 0, 1, 0}), "changes[1]: edge 0 -> 1 is there already");
  EXPECT_EQ(refused({TASKTWIN_REMOVE_EDGE, 1, 2, 0}), "changes[1]: edge 1 -> 2 is not there");
  EXPECT_THAT(refused({TASKTWIN_MOVE, 0, 4000, 0}), HasSubstr("core 4000 is not there"));
  EXPECT_THAT(refused({TASKTWIN_SET_PRIORITY, 0, 0, 1}), HasSubstr("order 'priority' does"));
  EXPECT_THAT(refused({9, 0, 0, 0}), HasSubstr("changes[1]: kind: is 9; must be 0"));
  EXPECT_EQ(run(estimate).makespan_ns, before);
  EXPECT_EQ(tasktwin_edit(nullptr, nullptr, 0), TASKTWIN_WRONG_INPUT);
  EXPECT_EQ(tasktwin_run(estimate.get(), nullptr), TASKTWIN_WRONG_INPUT);
  EXPECT_STREQ(tasktwin_error(), "result: is NULL");
}

TEST(CInterface, AHangIsNoCrash) {
  const EstimatePointer estimate = open("{from: static-queues, placement: replay}");
  const std::int64_t before = run(estimate).makespan_ns;
  const tasktwin_change first{TASKTWIN_MOVE, 3, 0, 0};
  ASSERT_EQ(tasktwin_edit(estimate.get(), &first, 1), 0);
  tasktwin_result result{};
  EXPECT_EQ(tasktwin_run(estimate.get(), &result), TASKTWIN_CANNOT_RUN);
  EXPECT_THAT(tasktwin_error(), HasSubstr("stands still"));
  ASSERT_EQ(tasktwin_settle(estimate.get(), 0), 0);
  EXPECT_EQ(run(estimate).makespan_ns, before);
}

}  // namespace
}  // namespace tasktwin
