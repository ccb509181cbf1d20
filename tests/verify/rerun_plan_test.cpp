#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/base/error.hpp"
#include "models/runtimes/runtimes.hpp"
#include "scenarios/importers/trace/kernel_effects.hpp"
#include "scenarios/machine_files/load_machine.hpp"
#include "tests/verify/support/captured_text.hpp"
#include "tests/verify/support/cases.hpp"
#include "verify/explain/needed_order.hpp"
#include "verify/output/files/atomic_file.hpp"
#include "verify/rerun/effects_text.hpp"
#include "verify/rerun/needed_iterations.hpp"
#include "verify/rerun/plan_file.hpp"
#include "verify/rerun/predicted_schedules.hpp"

namespace tasktwin::verify {
namespace {

using gpu::rerun::Plan;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Four kernels of 50 us in one stream, each on memory of its own, and one that reads what the first two wrote.
scenarios::Scenario four_and_one() {
  CapturedText capture;
  for (const int memory : {4096, 8192, 12288, 16384}) capture.kernel("f(float*)", 7, {memory}, 50);
  return capture.kernel("g(float const*, float const*)", 7, {4096, 8192}, 50).sync().scenario();
}

TEST(PlanFile, OfWhatIsNeededIsAGraphWithoutTheStreamsOrder) {
  const scenarios::Scenario scenario = four_and_one();
  const Plan plan = graph_plan(with_needed_edges(scenario, {.unordered = true, .reuse = true}));
  EXPECT_TRUE(plan.graph);
  EXPECT_THAT(plan.edges(), ElementsAre(IsEmpty(), IsEmpty(), IsEmpty(), IsEmpty(), ElementsAre(0, 1)));
  EXPECT_EQ(plan.operations[4].kind, "kernel");
}

/// Of a graph that the program launches the nodes are one operation, as in a rerun.
TEST(PlanFile, HasOneOperationForAGraphThatTheProgramLaunches) {
  TaskGraphBuilder builder;
  for (const char* name : {"f#0", "Memcpy DtoD (Device -> Device)#1", "g#2", "h#3", "f#4"}) builder.add_task(name, Task{});
  for (const auto& [from, to] : {std::pair{0, 2}, {1, 3}, {2, 3}, {3, 4}}) {
    builder.add_edge(task_id(static_cast<std::size_t>(from)), task_id(static_cast<std::size_t>(to)));
  }
  const TaskGraph graph = std::move(builder).build();
  HostProgram program;
  const auto launch = [](std::size_t first, std::uint32_t tasks) {
    return HostCall{.kind = HostCallKind::kLaunch, .first = task_id(first), .tasks = tasks, .graph = tasks > 1};
  };
  program.threads = {{.name = "1", .calls = {launch(0, 1), launch(1, 1), launch(2, 2), launch(4, 1)}}};
  program.order = {{0, 0}, {0, 1}, {0, 2}, {0, 3}};
  const Plan plan = graph_plan(graph, program);
  std::vector<std::string> kinds;
  for (const auto& one : plan.operations) kinds.push_back(one.kind);
  EXPECT_THAT(kinds, ElementsAre("kernel", "copy", "graph", "kernel"));
  EXPECT_THAT(plan.edges(), ElementsAre(IsEmpty(), IsEmpty(), ElementsAre(0, 1), ElementsAre(2)));
}

/// A caching allocator hands out the memory of one operation to another, and each time in another way.
TEST(NeededIterations, KeepTheOrderThatAnyOfThemNeeds) {
  const auto iteration = [](const std::vector<int>& memory) {
    CapturedText capture;
    for (const int buffer : memory) capture.kernel("f(float*)", 7, {buffer}, 50);
    return capture.sync().scenario();
  };
  const scenarios::Scenario last = iteration({4096, 8192, 12288});
  const std::vector<scenarios::Scenario> others{iteration({4096, 4096, 8192}), iteration({4096, 4096, 4096, 4096})};
  EXPECT_EQ(needed_by_any(last, {}, false).graph.edge_count(), 0U);
  const NeededIterations any = needed_by_any(last, others, false);
  EXPECT_EQ(any.iterations, 2U);  // the third launches something else
  EXPECT_THAT(graph_plan(any.graph, *last.program).edges(), ElementsAre(IsEmpty(), ElementsAre(0), IsEmpty()));
}

TEST(PlanFile, OfStreamsIsWhatTheDesignDoes) {
  scenarios::Scenario scenario = four_and_one();
  scenario.graph = with_needed_edges(scenario, {.unordered = true, .reuse = true});
  Design design = named_design("cuda-streams");
  design.stream_granularity = StreamGranularity::kListScheduled;
  design.streams = 4;
  design.stream_priorities = StreamPriorities::kCriticalPath;
  const Plan plan = plan_of(scenario, design);
  EXPECT_FALSE(plan.graph);
  EXPECT_EQ(plan.streams(), 4U);
  EXPECT_EQ(fault_of(plan), "");
  EXPECT_THAT(plan.edges()[4], ElementsAre(0, 1));
  EXPECT_LT(plan.operations[0].priority, plan.operations[2].priority);  // another waits for it
  EXPECT_EQ(planned_design(plan).stream_priorities, StreamPriorities::kTask);
  const TaskGraph planned = planned_graph(scenario.graph, plan);
  EXPECT_EQ(planned[task_id(0)].priority, -plan.operations[0].priority);
  EXPECT_THROW(plan_of(scenario, named_design("shared-queue")), InputError);
  // Simulated as it is written: four kernels side by side, and one.
  const std::vector<PlanFile> plans{{.from = "a test", .plan = plan}};
  const auto predicted = predicted_schedules({.scenario = four_and_one(),
                                              .host = scenarios::load_machine("nvidia-h200"),
                                              .schedules = "chain,graph,dependences,streams:4,plan",
                                              .needed = &scenario.graph,
                                              .plans = plans});
  ASSERT_EQ(predicted.size(), 6U);
  const auto us = [&](std::size_t i) { return to_ns(predicted[i].host) / 1000; };
  for (const std::size_t i : {0U, 1U, 2U}) EXPECT_GT(us(i), 250) << predicted[i].schedule;
  for (const std::size_t i : {3U, 4U, 5U}) {
    EXPECT_EQ(predicted[i].why_not, "") << predicted[i].schedule;
    EXPECT_GT(us(i), 100) << predicted[i].schedule;
    EXPECT_LT(us(i), 150) << predicted[i].schedule;
  }
}

class PlanFiles : public testing::Test {
 protected:
  std::string why_refused(const std::string& from, const std::string& to) {
    const scenarios::Scenario scenario = four_and_one();
    std::string text = to_text(to_json({.from = "a test", .plan = graph_plan(scenario.graph)}, scenario.graph));
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << text;
    write_file(folder_ / "plan.json", text.replace(at, from.size(), to));
    try {
      read_plan_file(folder_ / "plan.json");
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }

  tests::TemporaryFolder folder_;
};

TEST_F(PlanFiles, AreReadAsTheyWereWritten) {
  const scenarios::Scenario scenario = four_and_one();
  const PlanFile file{.from = "a test", .own_memory = true, .plan = graph_plan(scenario.graph)};
  write_file(folder_ / "plan.json", to_text(to_json(file, scenario.graph)));
  const PlanFile read = read_plan_file(folder_ / "plan.json");
  EXPECT_EQ(read.plan, file.plan);
  EXPECT_EQ(read.from, file.from);
  EXPECT_TRUE(read.own_memory);
}

TEST_F(PlanFiles, AreRefusedWithTheField) {
  EXPECT_THAT(why_refused("\"launch\": \"graph\"", "\"launch\": \"grahp\""), HasSubstr("tasktwin_plan.launch: is 'grahp'"));
  EXPECT_THAT(why_refused("\"version\": 1", "\"version\": 2"), HasSubstr("tasktwin_plan.version: is not 1"));
  EXPECT_THAT(why_refused("\"kind\": \"kernel\"", "\"kind\": \"event\""), HasSubstr("operations[0].kind: is 'event'"));
  EXPECT_THAT(why_refused("\"operation\": 1", "\"operation\": 0"), HasSubstr("operations: operation 0 occurs twice"));
  EXPECT_THAT(why_refused("\"stream\": 0", "\"sream\": 0"), HasSubstr("operations[0].sream: is an unknown key; did you mean 'stream'?"));
  EXPECT_THAT(why_refused("\"stream\": 0", "\"stream\": 2147483648"), HasSubstr("operations[0].stream: is no whole number from"));
  EXPECT_THAT(why_refused("\"priority\": 0", "\"priority\": 1"), HasSubstr("operations[0].priority: is none from -100 to 0"));
  EXPECT_THAT(why_refused("\"stream\": 0", "\"stream\": -1"), HasSubstr("on stream -1"));
  EXPECT_THAT(why_refused("\"own_memory\": false", "\"own_memory\": 3"), HasSubstr("tasktwin_plan.own_memory: is neither true nor false"));
}

/// All that any launch of a kernel did counts, at each place where any had a pointer.
TEST(ObservedEffects, BecomeAFileThatImportsRead) {
  const tests::TemporaryFolder folder;
  write_file(folder / "effects.yaml", effects_text({{"copy(float const*, float*)", {{{0, 0}, "read"}, {{1, 0}, "write"}}},
                                                    {"mix(Values<float*, 3>)", {{{0, 0}, "write"}, {{0, 8}, "read"}}},
                                                    {"mix(Values<float*, 3>)", {{{0, 0}, "read"}, {{0, 16}, "write"}}},
                                                    {"a \"quoted\" name", {{{0, 0}, "read"}}},
                                                    {"none()", {}}},
                                                   "a test"));
  const auto effects = scenarios::read_kernel_effects((folder / "effects.yaml").string());
  ASSERT_EQ(effects.size(), 3U);
  EXPECT_EQ(effects[0].kernel, "copy(float const*, float*)");  // the longest first
  EXPECT_FALSE(effects[0].pointers[0].write);
  EXPECT_FALSE(effects[0].pointers[1].read);
  ASSERT_EQ(effects[1].pointers.size(), 3U);
  EXPECT_TRUE(effects[1].pointers[0].read && effects[1].pointers[0].write);
  EXPECT_FALSE(effects[1].pointers[1].write);
  EXPECT_EQ(effects[1].places[2], (scenarios::PointerPlace{0, 16}));
}

}  // namespace
}  // namespace tasktwin::verify
