#include "verify/advise/advice.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/base/error.hpp"
#include "scenarios/load/scenario.hpp"
#include "tests/verify/support/captured_text.hpp"
#include "verify/explain/what_if.hpp"

namespace tasktwin::verify {
namespace {

using testing::Contains;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

/// Two chains of long kernels on two streams that share nothing, one waiting for the other all the same.
CapturedText needless_wait() {
  return CapturedText()
      .kernel("f(float*)", 7, {4096}, 200)
      .wait(8, 7)
      .kernel("g(float*)", 8, {8192}, 200)
      .wait(7, 8)
      .kernel("h(float const*, float*)", 7, {8192, 12288}, 20)
      .sync();
}

Advice advice_of(const scenarios::Scenario& scenario) {
  Progress progress;
  return advise(scenario, 1, progress);
}

TEST(Advise, ProposesToLeaveOutAWaitThatNothingNeeds) {
  const scenarios::Scenario scenario = needless_wait().scenario();
  const Advice advice = advice_of(scenario);
  ASSERT_TRUE(advice.order);
  ASSERT_THAT(advice.order->waits, SizeIs(3));
  EXPECT_EQ(advice.order->waits[0].verdict, OrderVerdict::kOrderOnly);
  EXPECT_EQ(advice.order->waits[1].verdict, OrderVerdict::kNeeded);
  EXPECT_EQ(advice.order->waits[2].verdict, OrderVerdict::kHost);
  const auto wait = std::ranges::find(advice.proposals, "wait", &Proposal::kind);
  ASSERT_NE(wait, advice.proposals.end());
  EXPECT_THAT(wait->what, HasSubstr("cudaStreamWaitEvent#1"));
  EXPECT_THAT(wait->where, HasSubstr("before g#1"));
  // The kernels are side by side then: some 200 of 420 us less.
  EXPECT_LT(to_ns(wait->makespan), to_ns(advice.makespan) - 150'000);
  const std::string text = advice_text(scenario, advice);
  EXPECT_THAT(text, HasSubstr("Of 3 waits 1 are needed"));
}

TEST(Advise, TriesNoWaitThatIsNeeded) {
  const Advice advice =
      advice_of(CapturedText().kernel("f(float*)", 7, {4096}, 200).wait(8, 7).kernel("g(float*)", 8, {4096}, 200).sync().scenario());
  EXPECT_EQ(advice.order->waits[0].verdict, OrderVerdict::kNeeded);
  EXPECT_THAT(advice.order->removable, IsEmpty());
  EXPECT_THAT(advice.proposals, Not(Contains(Field(&Proposal::kind, "wait"))));
}

TEST(Advise, FindsIndependentWorkInOneStream) {
  CapturedText capture;
  for (const int buffer : {4096, 8192, 12288, 16384}) capture.kernel("f(float*)", 7, {buffer}, 100);
  const scenarios::Scenario scenario = capture.sync().scenario();
  const Advice advice = advice_of(scenario);
  EXPECT_EQ(advice.order->neighbours.order_only, 3u);
  const auto streams = std::ranges::find(advice.proposals, "streams", &Proposal::kind);
  ASSERT_NE(streams, advice.proposals.end());
  EXPECT_THAT(streams->what, HasSubstr("4 streams"));
  EXPECT_LT(to_ns(streams->makespan), 200'000);
}

TEST(Advise, OfATraceWithoutPointersSaysWhatIsNotKnown) {
  scenarios::Scenario scenario = needless_wait().scenario();
  scenario.needs.reset();
  const Advice advice = advice_of(scenario);
  EXPECT_FALSE(advice.knows_memory);
  EXPECT_EQ(advice.order->waits[0].verdict, OrderVerdict::kUnknown);
  EXPECT_THAT(advice.remarks, Contains(HasSubstr("does not say which memory its work uses")));
  EXPECT_THAT(advice.proposals, Not(Contains(Field(&Proposal::kind, "streams"))));
}

TEST(Advise, RefusesWhatIsNoProgram) {
  Progress progress;
  EXPECT_THAT([&] { advise(scenarios::load_scenario("cholesky"), 1, progress); },
              testing::ThrowsMessage<InputError>(HasSubstr("is no captured program")));
}

TEST(WhatIfOfWaits, LeavesThemOutByNameAndNumber) {
  const scenarios::Scenario scenario = needless_wait().scenario();
  const Selection selection{.argument = "captured", .scenario = scenario, .designs = scenario.designs};
  WhatIf wanted;
  wanted.without_wait = {"cudaStreamWaitEvent#1"};
  EXPECT_EQ(what_if(selection, wanted).scenario.program->order.size(), scenario.program->order.size() - 2);  // and its record
  wanted.without_wait = {"cudaStreamWaitEvent"};
  EXPECT_EQ(what_if(selection, wanted).scenario.program->order.size(), scenario.program->order.size() - 4);
  wanted.without_wait = {"cudaEventSynchronize"};
  EXPECT_THAT([&] { what_if(selection, wanted); }, testing::ThrowsMessage<InputError>(HasSubstr("it has 3: cudaStreamWaitEvent#1")));
}

/// A step of four kernels of which the first alone reads what another stream writes behind all four, for a kernel of its own.
CapturedText late_wait() {
  return CapturedText()
      .kernel("read(float const*, float*)", 7, {4096, 8192}, 100)
      .kernel("f(float*)", 7, {8192}, 100)
      .kernel("f(float*)", 7, {8192}, 100)
      .kernel("f(float*)", 7, {8192}, 100)
      .wait(8, 7)
      .kernel("write(float*)", 8, {4096}, 300)
      .sync();
}

TEST(Advise, ProposesToWaitForTheLastReadAlone) {
  const scenarios::Scenario scenario = late_wait().scenario();
  const Advice advice = advice_of(scenario);
  ASSERT_TRUE(advice.order);
  EXPECT_EQ(advice.order->waits[0].verdict, OrderVerdict::kNeeded);
  const auto moved = std::ranges::find(advice.proposals, "wait_moved", &Proposal::kind);
  ASSERT_NE(moved, advice.proposals.end());
  EXPECT_THAT(moved->why.front(), HasSubstr("write#4 needs read#0"));
  // The write runs beside the other three kernels.
  EXPECT_NEAR(static_cast<double>(to_ns(advice.makespan - moved->makespan)), 300'000, 15'000);
}

TEST(WhatIfOfWaits, WaitsForAnotherTaskAndSaysWhatThatBreaks) {
  const scenarios::Scenario scenario = late_wait().scenario();
  const Selection selection{.argument = "captured", .scenario = scenario, .designs = scenario.designs};
  WhatIf wanted;
  wanted.wait_at = {{"cudaStreamWaitEvent#1", "read*"}};
  const Selection moved = what_if(selection, wanted);
  EXPECT_THAT(moved.changes.front(), Not(HasSubstr("race")));
  EXPECT_LT(to_ns(predict_makespan(moved.scenario, moved.designs.front(), 1)),
            to_ns(predict_makespan(scenario, scenario.designs.front(), 1)) - 250'000);
  wanted.wait_at.clear();
  wanted.without_wait = {"cudaStreamWaitEvent#1"};
  EXPECT_THAT(what_if(selection, wanted).changes.front(), HasSubstr("1 dependence any more, as of 'write#4' on 'read#0': a race"));
}

TEST(WhatIfOfWaits, OfATraceWithoutPointersSayWhatIsUnordered) {
  scenarios::Scenario scenario = late_wait().scenario();
  scenario.needs.reset();
  const Selection selection{.argument = "captured", .scenario = scenario, .designs = scenario.designs};
  WhatIf wanted;
  wanted.without_wait = {"cudaStreamWaitEvent#1"};
  EXPECT_THAT(what_if(selection, wanted).changes.front(), HasSubstr("whether they share memory is not known"));
}

TEST(Advise, DoesNotCreditStreamsWithWhatOneBringsToo) {
  CapturedText capture;
  for (int i = 0; i < 6; ++i) capture.kernel("f(float*)", 7, {4096}, 50).sync();  // each waited for
  const Advice advice = advice_of(capture.scenario());
  EXPECT_THAT(advice.proposals, Not(Contains(Field(&Proposal::kind, "streams"))));
  EXPECT_THAT(advice.proposals, Contains(Field(&Proposal::kind, "graph")));
}

TEST(WhatIfOfWaits, RefusesATaskThatComesBehindOrIsNotThere) {
  const scenarios::Scenario scenario = late_wait().scenario();
  const Selection selection{.argument = "captured", .scenario = scenario, .designs = scenario.designs};
  const auto says = [&](const std::string& wait, const std::string& task, const std::string& words) {
    WhatIf wanted;
    wanted.wait_at = {{wait, task}};
    EXPECT_THAT([&] { what_if(selection, wanted); }, testing::ThrowsMessage<InputError>(HasSubstr(words)));
  };
  says("cudaStreamWaitEvent#1", "write*", "is launched behind the wait");
  says("cudaStreamWaitEvent#1", "nobody", "no task of 'captured' goes by 'nobody'");
  says("*", "read*", "say which by its number");
}

TEST(Advise, ProposesCopiesInStreamsOfTheirOwn) {
  // In turn with kernels in one stream, each of memory of its own.
  CapturedText capture;
  for (const int buffer : {4096, 8192, 12288}) capture.copy_in(7, buffer, 200).kernel("f(float*)", 7, {buffer}, 200);
  const Advice advice = advice_of(capture.sync().scenario());
  const auto copies = std::ranges::find(advice.proposals, "copies", &Proposal::kind);
  ASSERT_NE(copies, advice.proposals.end());
  EXPECT_THAT(copies->what, HasSubstr("3 copies"));
  EXPECT_LT(to_ns(copies->makespan), to_ns(advice.makespan) - 300'000);
}

/// Of each of four steps the host reads a value before it launches the next.
CapturedText reading_steps() {
  CapturedText capture;
  for (int i = 0; i < 4; ++i) capture.kernel("f(float*)", 7, {4096}, 20).kernel("f(float*)", 7, {4096}, 20).copy_out(7, 4096, 2).sync();
  return capture;
}

TEST(Advise, ProposesToReadAtTheEndAndGraphsBetweenReads) {
  const scenarios::Scenario scenario = reading_steps().scenario();
  const Advice advice = advice_of(scenario);
  const auto reads = std::ranges::find(advice.proposals, "reads", &Proposal::kind);
  ASSERT_NE(reads, advice.proposals.end());
  EXPECT_THAT(reads->what, HasSubstr("in 3 waits"));
  EXPECT_THAT(reads->why, Contains(HasSubstr("one CUDA graph of all would then take")));
  EXPECT_LT(reads->makespan, advice.makespan);
  const auto graph = std::ranges::find(advice.proposals, "graph", &Proposal::kind);
  ASSERT_NE(graph, advice.proposals.end());
  EXPECT_THAT(graph->what, HasSubstr("4 CUDA graphs"));
  EXPECT_FALSE(graph->plan);
  for (const char* over : {"needed_graph", "own_memory", "streams", "order", "copies"})
    EXPECT_THAT(advice.proposals, Not(Contains(Field(&Proposal::kind, over))));
  EXPECT_THAT(advice.remarks, Contains(HasSubstr("in 3 waits before its last launch")));
}

/// 300 us of the host's own behind each read, before a call that waits for nothing: no graph takes that away.
TEST(Advise, KeepsTheHostsOwnTimeBetweenGraphs) {
  CapturedText capture;
  for (int i = 0; i < 4; ++i) {
    capture.kernel("f(float*)", 7, {4096}, 20).kernel("f(float*)", 7, {4096}, 20).copy_out(7, 4096, 2).sync();
    capture.call("cudaDeviceSynchronize", 300, 5, R"(,"op":"device_sync")");
  }
  const Advice advice = advice_of(capture.scenario());
  EXPECT_GT(to_ns(advice.makespan), 3 * 300'000);
  EXPECT_GT(advice.tried, 0U);
  for (const Proposal& one : advice.proposals) {
    if (one.kind == "graph") {
      EXPECT_GT(to_ns(one.makespan), 3 * 300'000) << one.what;
    }
  }
}

TEST(Advise, ProposesNothingOfReadsWhereTheLastWaitAloneReads) {
  const Advice advice = advice_of(CapturedText().kernel("f(float*)", 7, {4096}, 20).copy_out(7, 4096, 2).sync().scenario());
  EXPECT_THAT(advice.proposals, Not(Contains(Field(&Proposal::kind, "reads"))));
  EXPECT_THAT(advice.remarks, Not(Contains(HasSubstr("before its last launch"))));
}

/// What the calls of one thread leave unordered, as work on parts of one allocation, is no order that the program needs.
TEST(Advise, LeavesUnorderedWhatTheProgramDoes) {
  const Advice advice = advice_of(CapturedText()
                                      .kernel("f(float*)", 7, {4096}, 200)
                                      .kernel("f(float*)", 8, {4096 + 512}, 200)
                                      .kernel("g(float*)", 7, {8192}, 20)
                                      .kernel("g(float*)", 7, {12288}, 20)
                                      .sync()
                                      .scenario());
  EXPECT_THAT(advice.order->unordered, SizeIs(1));
  for (const Proposal& one : advice.proposals) {
    if (one.kind == "streams" || one.kind == "needed_graph") {
      EXPECT_LT(to_ns(one.makespan), 300'000) << one.what;
      EXPECT_THAT(one.why, Contains(HasSubstr("do not order either are left so")));
    }
  }
}

/// A kernel that another stream waits for behind a long one that nothing waits for.
CapturedText late_launch() {
  return CapturedText()
      .kernel("alone(float*)", 7, {12288}, 200)
      .kernel("first(float*)", 7, {4096}, 100)
      .wait(8, 7)
      .kernel("then(float const*, float*)", 8, {4096, 8192}, 300)
      .sync();
}

TEST(Advise, ProposesToLaunchWhatMostComesBehindFirst) {
  const Advice advice = advice_of(late_launch().scenario());
  const auto order = std::ranges::find(advice.proposals, "order", &Proposal::kind);
  ASSERT_NE(order, advice.proposals.end());
  // 100 + 300 us in place of 200 + 100 + 300.
  EXPECT_NEAR(static_cast<double>(to_ns(advice.makespan - order->makespan)), 200'000, 20'000);
  const gpu::rerun::Plan plan = order->plan().plan;
  ASSERT_THAT(plan.operations, SizeIs(3));
  EXPECT_EQ(plan.operations[0].operation, 1);
  EXPECT_NE(plan.operations[1].stream, plan.operations[2].stream);
}

TEST(Advise, DoesNotCreditAnOrderWithWhatItsCallsTake) {
  // The same order whatever is launched first.
  const Advice advice = advice_of(needless_wait().scenario());
  EXPECT_THAT(advice.proposals, Not(Contains(Field(&Proposal::kind, "order"))));
}

TEST(Advise, SchedulesArePlansOfAllTasks) {
  for (const CapturedText& program : {late_launch(), needless_wait()}) {
    const scenarios::Scenario scenario = program.scenario();
    std::size_t schedules = 0;
    for (const Proposal& one : advice_of(scenario).proposals) {
      if (!one.plan) continue;
      ++schedules;
      const PlanFile file = one.plan();
      EXPECT_EQ(file.plan.operations.size(), scenario.graph.size()) << one.what;
      // Run as the plan says it takes what the proposal says.
      scenarios::Scenario planned = scenario;
      planned.graph = planned_graph(scenario.graph, file.plan);
      EXPECT_EQ(predict_makespan(planned, planned_design(file.plan), 1), one.makespan) << one.what;
    }
    EXPECT_GE(schedules, 2u);
  }
}

TEST(WhatIfOfDependences, TakesThoseOfMemory) {
  const scenarios::Scenario scenario = needless_wait().scenario();
  const Selection selection{.argument = "captured", .scenario = scenario, .designs = scenario.designs};
  WhatIf wanted;
  wanted.dependences = true;
  const Selection changed = what_if(selection, wanted);
  EXPECT_EQ(changed.scenario.graph.edge_count(), 1u);
  EXPECT_THAT(scenario.graph.edge_count(), testing::Ge(2u));
}

}  // namespace
}  // namespace tasktwin::verify
