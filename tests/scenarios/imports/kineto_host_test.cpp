// What traces of Kineto say of the host: its calls, its own time between them, and ranges.
#include <map>

#include <gmock/gmock.h>

#include "scenarios/importers/importers.hpp"
#include "tests/scenarios/imports/kineto_text.hpp"

namespace tasktwin::scenarios {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

TEST(KinetoHost, HostProgramHasOwnTimesAndCalls) {
  const Imported run = imported(two_kernels().call("cudaDeviceSynchronize", 3, 215, 30).text());
  ASSERT_TRUE(run.program);
  const std::vector<HostCall>& calls = run.program->threads.at(0).calls;
  ASSERT_EQ(calls.size(), 3u);
  EXPECT_EQ(to_ns(calls[0].own), 0);
  EXPECT_EQ(to_ns(calls[0].call), 5'000);
  EXPECT_EQ(to_ns(calls[1].own), 95'125);
  // The kernel ends at 230.5, the call returns at 245: what it takes behind what it waits for.
  EXPECT_EQ(calls[2].kind, HostCallKind::kDeviceSync);
  EXPECT_EQ(to_ns(calls[2].call), 14'500);
}

TEST(KinetoHost, CallsThatOrderNothingAreOwnTime) {
  const Imported run =
      imported(KinetoText().launch("f", 1, 7, 100, 110, 20).call("cudaMalloc", 2, 110, 50).launch("g", 3, 7, 200, 210, 20).text());
  EXPECT_EQ(run.program->threads.at(0).calls.size(), 2u);
  EXPECT_EQ(to_ns(run.program->threads.at(0).calls[1].own), 95'000);
}

/// The device has been idle for long: no other way of launching spares the host what it took.
TEST(KinetoHost, WhatAFreeTakesBeyondItsWaitIsTheHostsOwn) {
  const Imported run =
      imported(KinetoText().launch("f", 1, 7, 100, 110, 20).call("cudaFree", 2, 200, 50).launch("g", 3, 7, 300, 310, 20).text());
  const std::vector<HostCall>& calls = run.program->threads.at(0).calls;
  ASSERT_EQ(calls.size(), 3u);
  EXPECT_EQ(calls[1].kind, HostCallKind::kDeviceSync);
  EXPECT_EQ(to_ns(calls[1].call), 0);
  EXPECT_EQ(to_ns(calls[2].own), 100'000);
  ASSERT_EQ(calls[2].within.size(), 1u);
  EXPECT_EQ(run.program->names[calls[2].within[0].name], "cudaFree");
  EXPECT_EQ(to_ns(calls[2].within[0].time), 50'000);
}

TEST(KinetoHost, CallsAreKnownByTheirNamesAndWhatWasCalledBetweenThem) {
  const Imported run = imported(KinetoText()
                                    .launch("f", 1, 7, 100, 110, 20)
                                    .call("cudaMalloc", 2, 110, 50)
                                    .call("cudaEventQuery", 4, 165, 10)
                                    .call("cudaMalloc", 5, 180, 5)
                                    .launch("g", 3, 7, 200, 210, 20)
                                    .call("cudaDeviceSynchronize", 6, 215, 30)
                                    .text());
  const HostProgram& program = *run.program;
  const std::vector<HostCall>& calls = program.threads.at(0).calls;
  ASSERT_EQ(calls.size(), 3u);
  EXPECT_EQ(program.names[calls[2].name], "cudaDeviceSynchronize");
  EXPECT_EQ(calls[0].name, calls[1].name);
  ASSERT_EQ(calls[1].within.size(), 2u);
  EXPECT_EQ(program.names[calls[1].within[0].name], "cudaMalloc");
  EXPECT_EQ(to_ns(calls[1].within[0].time), 55'000);
  EXPECT_EQ(calls[1].within[0].calls, 2u);
  EXPECT_EQ(program.names[calls[1].within[1].name], "cudaEventQuery");
  EXPECT_EQ(to_ns(calls[1].own), 95'000) << "they are a part of it";
}

TEST(KinetoHost, OwnTimeIsThatOfTheInnermostRange) {
  const Imported run = imported(KinetoText()
                                    .range("step#1", 50, 400)
                                    .range("forward", 100, 60)
                                    .range("another thread's", 0, 1000, 2)
                                    .event("cpu_op", "aten::mm", 100, 60, "")
                                    .launch("f", 1, 7, 90, 100, 5)
                                    .call("cudaMalloc", 2, 110, 20)
                                    .launch("g", 3, 7, 200, 210, 20)
                                    .launch("h", 4, 7, 500, 510, 20)
                                    .text());
  const HostProgram& program = *run.program;
  const auto ranges = [&program](std::size_t call) {
    std::map<std::string, std::int64_t> times;
    for (const NamedTime& range : program.threads.at(0).calls.at(call).ranges) times[program.names.at(range.name)] += to_ns(range.time);
    return times;
  };
  EXPECT_THAT(ranges(0), IsEmpty());
  // From 95 to 200, without the 20 of cudaMalloc: forward from 100 to 110 and from 130 to 160, the step around it.
  EXPECT_THAT(ranges(1), ElementsAre(Pair("forward", 40'000), Pair("step", 45'000)));
  EXPECT_THAT(ranges(2), ElementsAre(Pair("step", 245'000))) << "it ends at 450; what comes behind is in no range";
}

/// Two iterations of three launches each.
KinetoText two_iterations() {
  KinetoText text;
  for (int i = 0; i < 6; ++i) text.launch("f", 1 + i, 7, 100 + 50 * i, 110 + 50 * i, 20);
  return text.range("iteration_0", 90, 130).range("iteration_1", 240, 130);
}

TEST(KinetoHost, IterationsAreTheRangesAlikeThatLaunchTheMost) {
  EXPECT_EQ(imported(two_kernels().text()).iterations, 1u);
  EXPECT_EQ(imported(two_kernels().range("all", 90, 900).text()).iterations, 1u) << "it comes once";
  EXPECT_EQ(imported(two_iterations().text()).iterations, 2u);
  EXPECT_EQ(imported(two_iterations().range("all", 0, 900).text()).iterations, 2u);
  EXPECT_EQ(imported(two_iterations().text(), {.range = "iteration_0"}).iterations, 1u) << "one was asked for";
}

TEST(KinetoHost, IterationsAreNotRangesWithinThemOrOfALibrary) {
  KinetoText nested = two_iterations();
  for (int i = 0; i < 6; ++i) nested.range("layer" + std::to_string(i % 3), 95 + 50 * i, 15);
  EXPECT_EQ(imported(nested.text()).iterations, 2u);
  KinetoText sending = two_iterations();
  for (int i = 0; i < 3; ++i) sending.range("MPI_Send", 1000 + 5000 * i, 4000);
  EXPECT_EQ(imported(sending.text()).iterations, 2u) << "these take longer, but launch nothing";
  KinetoText alone = two_kernels();
  for (int i = 0; i < 3; ++i) alone.range("MPI_Send", 1000 + 5000 * i, 4000);
  EXPECT_EQ(imported(alone.text()).iterations, 1u);
}

TEST(KinetoHost, IterationsOfAThreadCountWhatOthersLaunchMeanwhile) {
  KinetoText text;
  for (int i = 0; i < 4; ++i) text.launch("f", 1 + i, 7, 100 + 50 * i, 110 + 50 * i, 20, 2);
  text.range("step_0", 90, 90).range("step_1", 190, 90).range("wait", 0, 2).range("wait", 3, 2).range("wait", 400, 900);
  EXPECT_EQ(imported(text.text()).iterations, 2u);
}

TEST(KinetoHost, WhatALongLaunchingCallDoesBeforeItsKernelIsTheHostsOwn) {
  const auto with_call_of = [](double us) {
    KinetoText text = two_kernels();
    text.call("cudaLaunchKernel", 3, 205, us).kernel("late", 3, 7, 205 + us - 2, 10);
    return imported(text.text());
  };
  const Imported loads = with_call_of(3500);
  const HostCall& call = loads.program->threads[0].calls[2];
  EXPECT_EQ(to_ns(call.own + call.call), 3'500'000 - 125);  // the call before it returned at 205.125
  EXPECT_EQ(to_ns(call.call), 11'875);                      // 10 is a quick latency, and the kernel starts 2 before the end
  ASSERT_TRUE(call.latency);
  EXPECT_EQ(to_ns(*call.latency), 10'000);
  EXPECT_THAT(loads.remarks,
              Contains(HasSubstr("1 launching call of 100 us and more in or behind which its kernel, copy or graph starts")));
  EXPECT_THAT(with_call_of(50).remarks, IsEmpty());
}

/// Of the only launch: no other says what is usual.
TEST(KinetoHost, WhatTheOnlyLaunchingCallDoesBeforeItsKernelIsTheHostsOwn) {
  const Imported run = imported(KinetoText().call("cudaLaunchKernel", 1, 1000, 500'000).kernel("only", 1, 7, 501'037, 10).text());
  ASSERT_TRUE(run.program);
  const HostCall& call = run.program->threads[0].calls[0];
  ASSERT_TRUE(call.latency);
  EXPECT_LE(to_ns(*call.latency), 50'000);
  EXPECT_GT(to_ns(call.own), 490'000'000);
}

TEST(KinetoHost, WhatALongCallDoesBeforeACopyThatItDoesNotWaitForIsTheHostsOwn) {
  KinetoText text = KinetoText().call("cudaMemcpyAsync", 1, 1000, 10).copy("Memcpy HtoD (Pinned -> Device)", 1, 7, 1012, 12);
  text.call("cudaMemcpyAsync", 2, 1020, 3500).copy("Memcpy HtoD (Pageable -> Device)", 2, 7, 4516, 1000);
  const Imported run = imported(text.call("cudaDeviceSynchronize", 3, 4530, 990).text());
  const HostCall& call = run.program->threads[0].calls[1];
  EXPECT_FALSE(call.blocks);
  EXPECT_EQ(to_ns(call.call), 16'000);  // 12 is a quick latency, and the copy starts 4 before the end
  EXPECT_EQ(to_ns(call.own), 3'484'000 + 10'000);
  ASSERT_EQ(call.within.size(), 1u);
  EXPECT_EQ(run.program->names[call.within[0].name], "before the copy in cudaMemcpyAsync");
  EXPECT_THAT(run.remarks, Contains(HasSubstr("1 launching call of 100 us and more in or behind which its kernel, copy or graph starts")));
}

TEST(KinetoHost, ALongCallWhoseCopyStartsBehindItsStreamWaitedForThat) {
  KinetoText text = KinetoText().launch("f", 1, 7, 1000, 1012, 3000);
  text.call("cudaMemcpyAsync", 2, 1020, 3500).copy("Memcpy HtoD (Pageable -> Device)", 2, 7, 4015, 1000);
  EXPECT_THAT(imported(text.text()).remarks, Not(Contains(HasSubstr("launching call of 100 us and more"))));
}

/// A kernel of 500 us, and meanwhile or behind it a call of 2 ms whose copy starts 1.9 ms in and has ended when it returns.
Imported with_late_copy(const std::string& api, double begin) {
  KinetoText text = KinetoText().launch("f", 1, 7, 1000, 1010, 500);
  text.call(api, 2, begin, 2000).copy("Memcpy HtoD (Pageable -> Device)", 2, 7, begin + 1900, 40);
  return imported(text.launch("g", 3, 7, begin + 2010, begin + 2020, 500).text());
}

TEST(KinetoHost, WhatALongCallDoesBeforeACopyThatItWaitsForIsTheHostsOwn) {
  for (const char* const api : {"cudaMemcpyAsync", "cudaMemcpy"}) {
    for (const double begin : {1510.0, 1020.0}) {
      const Imported run = with_late_copy(api, begin);
      const HostCall& call = run.program->threads[0].calls[1];
      EXPECT_TRUE(call.blocks);
      EXPECT_EQ(to_ns(call.own), 1'000 * (static_cast<std::int64_t>(begin) - 1005 + 1890)) << "10 us are a usual latency";
      EXPECT_EQ(to_ns(call.call), 60'000) << "behind the copy's end";
      ASSERT_EQ(call.within.size(), 1u);
      EXPECT_EQ(run.program->names[call.within[0].name], std::string("before the copy in ") + api);
      EXPECT_THAT(run.remarks, Contains(HasSubstr("1 launching call of 100 us and more")));
    }
  }
}

TEST(KinetoHost, ACopyThatStartsALittleBehindWhatRanMeanwhileWaitedForThat) {
  const auto with_copy_at = [](double start) {
    KinetoText text = KinetoText().launch("f", 1, 7, 1000, 1012, 3000).launch("elsewhere", 2, 8, 1006, 1018, 3500);
    text.call("cudaMemcpyAsync", 3, 1020, start - 1020 + 60).copy("Memcpy DtoH (Device -> Pageable)", 3, 7, start, 40);
    return imported(text.text());
  };
  for (const double start : {4600.0, 5500.0})  // behind the other stream's kernel: by less than 100 us, by less than it waited
    EXPECT_THAT(with_copy_at(start).remarks, Not(Contains(HasSubstr("launching call of 100 us and more")))) << start;
  EXPECT_THAT(with_copy_at(9000).remarks, Contains(HasSubstr("launching call of 100 us and more")));
}

TEST(KinetoHost, WhatALongGraphLaunchDoesBeforeItsFirstNodeIsTheHostsOwn) {
  const auto launched = [](KinetoText& text, int correlation, double begin, double us, double start) {
    text.call("cudaGraphLaunch", correlation, begin, us);
    for (int i = 0; i < 2; ++i) text.kernel("node", correlation, 7, start + 31 * i, 30);
  };
  KinetoText text = KinetoText().launch("f", 1, 7, 1000, 1010, 500);
  launched(text, 2, 1020, 5000, 6010);
  const Imported alone = imported(text.text());
  const HostCall& first = alone.program->threads[0].calls[1];
  EXPECT_EQ(to_ns(first.own), 15'000 + 4'980'000);
  EXPECT_EQ(to_ns(first.call), 20'000);
  ASSERT_TRUE(first.latency);
  EXPECT_EQ(to_ns(*first.latency), 10'000);
  ASSERT_EQ(first.within.size(), 1u);
  EXPECT_EQ(alone.program->names[first.within[0].name], "before the graph in cudaGraphLaunch");

  launched(text, 3, 6100, 900, 6900);  // graphs of two nodes take that long each time
  launched(text, 4, 7100, 900, 7900);
  const Imported usual = imported(text.text());
  EXPECT_EQ(to_ns(usual.program->threads[0].calls[1].own), 15'000 + 4'190'000) << "less the 800 us that others take";
  EXPECT_EQ(usual.program->threads[0].calls[2].within.size(), 0u);
  EXPECT_EQ(usual.program->threads[0].calls[3].within.size(), 0u);
  EXPECT_THAT(usual.remarks, Contains(HasSubstr("1 launching call of 100 us and more")));
}

TEST(KinetoHost, TasksAndCallsThatLackEachOtherAreCounted) {
  const Imported run = imported(two_kernels().kernel("lone", 77, 7, 300, 10).call("cudaLaunchKernel", 78, 310, 5).text());
  EXPECT_EQ(run.graph.size(), 3u);
  EXPECT_THAT(run.remarks, UnorderedElementsAre(HasSubstr("1 task has no launching call"), HasSubstr("1 launching call has no task")));
}

TEST(KinetoHost, CallWithinAnotherOfItsCorrelationIsAPartOfIt) {
  const Imported run = imported(two_kernels().event("cuda_driver", "cuLaunchKernel", 201, 2, "\"correlation\":2").text());
  EXPECT_EQ(run.program->threads[0].calls.size(), 2u);
  EXPECT_THAT(run.remarks, IsEmpty());
}

TEST(KinetoHost, RangesMayBeNamedByTheirNumberOrWithoutIt) {
  const std::string text = KinetoText()
                               .range("ProfilerStep#3", 90, 50)
                               .launch("f", 1, 7, 100, 110, 5)
                               .range("ProfilerStep#4", 190, 50)
                               .launch("g", 2, 7, 200, 210, 5)
                               .text();
  const auto of = [&text](const char* range) { return names(imported(text, {.range = range}).graph); };
  EXPECT_THAT(of("ProfilerStep#4"), ElementsAre("g#0"));
  EXPECT_THAT(of("ProfilerStep#1"), ElementsAre("f#0"));
  EXPECT_THAT(of("ProfilerStep"), ElementsAre("f#0", "g#1"));
  EXPECT_THAT(of("Profiler*"), ElementsAre("f#0", "g#1"));
  EXPECT_THAT(refused(text, {.range = "ProfilerStep#7"}), HasSubstr("there are 2 ranges 'ProfilerStep', not 7"));
}

TEST(KinetoHost, WhatTheHostDidBeforeItsFirstLaunchIsSaid) {
  const Imported run =
      imported(KinetoText().call("cudaDeviceGetStreamPriorityRange", 9, 100, 30'000).launch("f", 1, 7, 30'200, 30'210, 20).text());
  EXPECT_THAT(run.remarks, Contains("30.1 ms of the host before its first call that gives the device work are left out, 30 ms of them in "
                                    "'cudaDeviceGetStreamPriorityRange'"));
  EXPECT_THAT(imported(two_kernels().text()).remarks, Not(Contains(HasSubstr("left out"))));
}

}  // namespace
}  // namespace tasktwin::scenarios
