#include <map>

#include <gmock/gmock.h>
#include <zlib.h>

#include "models/base/error.hpp"
#include "scenarios/importers/importers.hpp"
#include "scenarios/load/scenario.hpp"
#include "scenarios/scenario_writer/import_scenario.hpp"
#include "tests/scenarios/kineto_text.hpp"
#include "tests/scenarios/temporary_file.hpp"

namespace tasktwin::scenarios {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

TEST(KinetoImport, KernelsBecomeTasksInTheOrderOfTheirLaunches) {
  const Imported run = imported(two_kernels().text());
  EXPECT_THAT(names(run.graph), ElementsAre("ns::f#0", "g#1"));
  EXPECT_THAT(edges(run.graph), ElementsAre(Pair(0, 1)));
  EXPECT_EQ(to_ns(run.graph[task_id(0)].cost.time), 20'000);
  EXPECT_EQ(to_ns(run.captured.tasks[1].started), 110'500);  // since the first call began
  EXPECT_THAT(run.counts, Contains(Pair("kernels", 2)));
  EXPECT_THAT(run.remarks, IsEmpty());
}

TEST(KinetoImport, CooperativeLaunchesAreKnownByTheirCall) {
  const Imported run = imported(KinetoText()
                                    .call("cudaLaunchCooperativeKernel", 1, 100, 5)
                                    .kernel("f", 1, 7, 110, 20)
                                    .call("cudaLaunchKernelExC", 2, 150, 5, 1, ",\"cooperative\":true")
                                    .kernel("g", 2, 7, 160, 20)
                                    .call("cudaLaunchKernelExC", 3, 200, 5, 1, ",\"cooperative\":false")
                                    .kernel("h", 3, 7, 210, 20)
                                    .text());
  std::vector<bool> cooperative;
  for (std::size_t i = 0; i < run.graph.size(); ++i) cooperative.push_back(run.graph.traits(task_id(i)).cooperative);
  EXPECT_THAT(cooperative, ElementsAre(true, true, false));
}

TEST(KinetoImport, EdgesThatOnlyTheOrderOfAStreamMakesCanBeLeftOut) {
  // Streams 7: a, b, then c behind a record of 8's d; a copy that blocks, e, a device synchronisation, f.
  const KinetoText trace = KinetoText()
                               .launch("a", 1, 7, 100, 110, 5)
                               .launch("b", 2, 7, 110, 120, 5)
                               .launch("d", 3, 8, 120, 130, 5)
                               .call("cudaEventRecord", 4, 130, 1, 1, ",\"stream\":8")
                               .call("cudaStreamWaitEvent", 5, 132, 1, 1, ",\"stream\":7")
                               .sync("Stream Wait Event", 5, 7, 4, 8)
                               .launch("c", 6, 7, 140, 150, 5)
                               .launch("c2", 7, 7, 150, 160, 5)
                               .call("cudaMemcpy", 8, 170, 40)
                               .copy("Memcpy DtoH (Device -> Pageable)", 8, 7, 180, 10)
                               .launch("e", 9, 9, 220, 230, 5)
                               .call("cudaDeviceSynchronize", 10, 240, 10)
                               .launch("f", 11, 7, 260, 270, 5)
                               .launch("g", 12, 9, 270, 280, 5);
  const ImportOptions dropped{.drop_edges = {"stream"}};
  const Imported run = imported(trace.text(), dropped);
  ASSERT_EQ(run.graph.size(), 9u);
  // a 0, b 1, d 2, c 3, c2 4, copy 5, e 6, f 7, g 8
  const Edges all = edges(run.graph);
  const auto has = [&all](std::size_t from, std::size_t to) { return std::ranges::find(all, std::pair(from, to)) != all.end(); };
  EXPECT_FALSE(has(0, 1)) << "the order of the stream alone";
  EXPECT_FALSE(has(1, 3));
  EXPECT_FALSE(has(3, 4));
  EXPECT_TRUE(has(2, 3)) << "an event";
  EXPECT_TRUE(has(2, 4)) << "it holds for all that comes behind in the stream";
  EXPECT_TRUE(has(5, 6)) << "the host knew that the copy had ended";
  for (const std::size_t before : {0u, 1u, 6u}) {
    EXPECT_TRUE(has(before, 7)) << "the synchronisation waits for all: " << before;
    EXPECT_TRUE(has(before, 8));
  }
  EXPECT_FALSE(has(7, 8));
  EXPECT_THAT(run.remarks, Contains(HasSubstr("dependencies, which only the order of a stream makes, left out by drop_edges")));
  EXPECT_EQ(run.program->threads.at(0).calls.size(), imported(trace.text()).program->threads.at(0).calls.size());
}

TEST(KinetoImport, OutputsCallABodyByItsKernel) {
  const Imported run =
      imported(two_kernels().call("cudaMemcpyAsync", 3, 300, 5).copy("Memcpy HtoD (Pinned -> Device)", 3, 7, 310, 5).text());
  EXPECT_EQ(run.graph.kernel_name(task_id(0)), "ns::f");
  EXPECT_EQ(run.graph.kernel_name(task_id(1)), "g");
  EXPECT_EQ(run.graph.kernel_name(task_id(2)), "Memcpy HtoD");
}

TEST(KinetoImport, HostProgramHasOwnTimesAndCalls) {
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

TEST(KinetoImport, CallsThatOrderNothingAreOwnTime) {
  const Imported run =
      imported(KinetoText().launch("f", 1, 7, 100, 110, 20).call("cudaMalloc", 2, 110, 50).launch("g", 3, 7, 200, 210, 20).text());
  EXPECT_EQ(run.program->threads.at(0).calls.size(), 2u);
  EXPECT_EQ(to_ns(run.program->threads.at(0).calls[1].own), 95'000);
}

/// The device has been idle for long: no other way of launching spares the host what it took.
TEST(KinetoImport, WhatAFreeTakesBeyondItsWaitIsTheHostsOwn) {
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

TEST(KinetoImport, CallsAreKnownByTheirNamesAndWhatWasCalledBetweenThem) {
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

TEST(KinetoImport, OwnTimeIsThatOfTheInnermostRange) {
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

TEST(KinetoImport, IterationsAreTheRangesAlikeThatLaunchTheMost) {
  EXPECT_EQ(imported(two_kernels().text()).iterations, 1u);
  EXPECT_EQ(imported(two_kernels().range("all", 90, 900).text()).iterations, 1u) << "it comes once";
  EXPECT_EQ(imported(two_iterations().text()).iterations, 2u);
  EXPECT_EQ(imported(two_iterations().range("all", 0, 900).text()).iterations, 2u);
  EXPECT_EQ(imported(two_iterations().text(), {.range = "iteration_0"}).iterations, 1u) << "one was asked for";
}

TEST(KinetoImport, IterationsAreNotRangesWithinThemOrOfALibrary) {
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

TEST(KinetoImport, IterationsOfAThreadCountWhatOthersLaunchMeanwhile) {
  KinetoText text;
  for (int i = 0; i < 4; ++i) text.launch("f", 1 + i, 7, 100 + 50 * i, 110 + 50 * i, 20, 2);
  text.range("step_0", 90, 90).range("step_1", 190, 90).range("wait", 0, 2).range("wait", 3, 2).range("wait", 400, 900);
  EXPECT_EQ(imported(text.text()).iterations, 2u);
}

TEST(KinetoImport, TimesOfBigClocksKeepTheirNanoseconds) {
  std::string text = two_kernels().text();
  const std::string start = "\"ts\":110.000000";
  text.replace(text.find(start), start.size(), "\"ts\":4814330098042.709");
  const std::string call = "\"ts\":100.000000";
  text.replace(text.find(call), call.size(), "\"ts\":4814330098032.001");
  const std::string second = "\"ts\":200.125000";
  text.replace(text.find(second), second.size(), "\"ts\":4814330098132.001");
  const std::string second_start = "\"ts\":210.500000";
  text.replace(text.find(second_start), second_start.size(), "\"ts\":4814330098142.002");
  const Imported run = imported(text);
  EXPECT_EQ(to_ns(run.captured.tasks[0].started), 10'708);
  EXPECT_EQ(to_ns(run.captured.tasks[1].started), 110'001);
}

TEST(KinetoImport, AMarkOfTheByteOrderAndDecimalsOfNothingDoNotCount) {
  const std::string text = two_kernels().text();
  std::string marked = "\xEF\xBB\xBF" + text;
  const std::string stream = "\"stream\":7";
  for (std::size_t at = marked.find(stream); at != std::string::npos; at = marked.find(stream, at + 1))
    marked.insert(at + stream.size(), ".0");
  ASSERT_NE(marked.find("\"stream\":7.0"), std::string::npos);
  EXPECT_EQ(imported(marked).captured.tasks, imported(text).captured.tasks);
}

TEST(KinetoImport, WhatIsLeftOutOrContradictsItselfIsCounted) {
  std::string text = two_kernels().text();
  const std::string complete = R"({"ph":"X","cat":"kernel")";
  const std::size_t at = text.rfind(complete);
  text.insert(
      at,
      R"({"ph":"B","cat":"kernel","name":"h","pid":0,"tid":7,"ts":500},{"ph":"E","cat":"kernel","name":"h","pid":0,"tid":7,"ts":510},)");
  const Imported run = imported(text);
  EXPECT_EQ(run.graph.size(), 2u);
  EXPECT_THAT(run.remarks, Contains(HasSubstr("1 events of phase 'B' left out")));
  EXPECT_THAT(run.remarks, Contains(HasSubstr("1 events of phase 'E' left out")));
  EXPECT_THAT(imported(KinetoText().launch("f", 1, 7, 100, 90, 20).launch("g", 2, 7, 200, 210, 20).text()).remarks,
              Contains(HasSubstr("1 task begins before the call that launches it")));
}

TEST(KinetoImport, StreamsMayBeHandles) {
  std::string text = KinetoText().launch("f", 1, 7, 100, 110, 20).launch("g", 2, 8, 200, 210, 20).text();
  const auto rename = [&text](const std::string& from, const std::string& to) { text.replace(text.find(from), from.size(), to); };
  rename("\"stream\":7", "\"stream\":94489280519");  // the same 32 bits as the other's
  rename("\"stream\":8", "\"stream\":90194313223");
  const Imported run = imported(text);
  EXPECT_NE(run.captured.tasks[0].core, run.captured.tasks[1].core);
  EXPECT_TRUE(edges(run.graph).empty());
}

TEST(KinetoImport, OrderOfEventsInTheFileDoesNotCount) {
  const KinetoText trace = two_kernels().launch("h", 5, 8, 300, 310, 20).call("cudaDeviceSynchronize", 6, 320, 40);
  const Imported one = imported(trace.text());
  const Imported other = imported(trace.reversed().text());
  EXPECT_EQ(names(one.graph), names(other.graph));
  EXPECT_EQ(edges(one.graph), edges(other.graph));
  EXPECT_EQ(one.captured, other.captured);
}

TEST(KinetoImport, GzipIsUnpacked) {
  const TemporaryFile file("", "trace.json.gz");
  gzFile packed = gzopen(file.path().c_str(), "wb");
  const std::string text = two_kernels().text();
  ASSERT_GT(gzwrite(packed, text.data(), static_cast<unsigned>(text.size())), 0);
  gzclose(packed);
  EXPECT_EQ(import_file(file.path(), "", {}).graph.size(), 2u);
}

/// A kernel in stream 7, a record of it, a wait of stream 8 for that, and a kernel there.
KinetoText one_wait(bool record_is_known) {
  return KinetoText()
      .launch("f", 1, 7, 100, 110, 100)
      .call("cudaEventRecord", 2, 120, 1)
      .call("cudaStreamWaitEvent", 3, 125, 1)
      .sync("Stream Wait Event", 3, 8, record_is_known ? 2 : -1, record_is_known ? 7 : -1)
      .launch("g", 4, 7, 130, 210, 10)
      .launch("h", 5, 8, 140, 215, 10);
}

TEST(KinetoImport, WaitMakesAnEdgeFromWhatStoodBeforeTheRecord) {
  const Imported run = imported(one_wait(true).text());
  EXPECT_THAT(edges(run.graph), ElementsAre(Pair(0, 1), Pair(0, 2)));
  EXPECT_EQ(run.program->records, 1u);
  EXPECT_THAT(run.counts, Contains(Pair("stream waits", 1)));
}

TEST(KinetoImport, WaitForAnUnknownRecordIsCountedAndWaitsForNothingUnlessAsked) {
  const Imported none = imported(one_wait(false).text());
  EXPECT_THAT(edges(none.graph), ElementsAre(Pair(0, 1)));
  EXPECT_THAT(none.remarks, Contains(HasSubstr("1 of 1 stream wait is for an event whose record the file does not name")));
  const Imported all = imported(one_wait(false).text(), {.unknown_waits = "all"});
  EXPECT_THAT(edges(all.graph), ElementsAre(Pair(0, 1), Pair(0, 2)));
  EXPECT_THAT(all.remarks, Contains(HasSubstr("taken to wait for all that was launched before")));
  EXPECT_THAT(refused(one_wait(false).text(), {.unknown_waits = "some"}), HasSubstr("unknown_waits: 'some'"));
}

TEST(KinetoImport, HostSyncOrdersWhatItsThreadLaunchesLater) {
  const Imported run = imported(KinetoText()
                                    .launch("f", 1, 7, 100, 110, 100)
                                    .launch("g", 2, 8, 120, 130, 10)
                                    .call("cudaStreamSynchronize", 3, 130, 90)
                                    .sync("Stream Sync", 3, 7)
                                    .launch("h", 4, 9, 230, 240, 10)
                                    .text());
  EXPECT_THAT(edges(run.graph), ElementsAre(Pair(0, 2)));
}

TEST(KinetoImport, ASynchronisationThatReturnedBeforeTheEndWaitsForNothing) {
  KinetoText text = two_kernels();  // the first ends at 130
  text.call("cudaDeviceSynchronize", 3, 106, 4).call("cudaDeviceSynchronize", 4, 140, 6);
  text.launch("elsewhere", 5, 8, 120, 125, 10);  // launched behind the early call, it starts before what that would have waited for ends
  const Imported run = imported(text.text());
  const std::vector<HostCall>& calls = run.program->threads[0].calls;
  ASSERT_EQ(calls.size(), 5u);
  EXPECT_EQ(calls[1].kind, HostCallKind::kEventSync);
  EXPECT_EQ(calls[1].record, kNoRecord);
  EXPECT_EQ(to_ns(calls[1].call), 4'000);
  EXPECT_EQ(calls[3].kind, HostCallKind::kDeviceSync);
  EXPECT_THAT(edges(run.graph), ElementsAre(Pair(0, 2), Pair(1, 2)));
  EXPECT_THAT(run.remarks, Contains(HasSubstr("1 synchronisation returned before what it waits for had ended, by the file's clocks: "
                                              "waiting takes no time in it")));
}

TEST(KinetoImport, WhatALongLaunchingCallDoesBeforeItsKernelIsTheHostsOwn) {
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
TEST(KinetoImport, WhatTheOnlyLaunchingCallDoesBeforeItsKernelIsTheHostsOwn) {
  const Imported run = imported(KinetoText().call("cudaLaunchKernel", 1, 1000, 500'000).kernel("only", 1, 7, 501'037, 10).text());
  ASSERT_TRUE(run.program);
  const HostCall& call = run.program->threads[0].calls[0];
  ASSERT_TRUE(call.latency);
  EXPECT_LE(to_ns(*call.latency), 50'000);
  EXPECT_GT(to_ns(call.own), 490'000'000);
}

TEST(KinetoImport, WhatALongCallDoesBeforeACopyThatItDoesNotWaitForIsTheHostsOwn) {
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

TEST(KinetoImport, ALongCallWhoseCopyStartsBehindItsStreamWaitedForThat) {
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

TEST(KinetoImport, WhatALongCallDoesBeforeACopyThatItWaitsForIsTheHostsOwn) {
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

TEST(KinetoImport, ACopyThatStartsALittleBehindWhatRanMeanwhileWaitedForThat) {
  const auto with_copy_at = [](double start) {
    KinetoText text = KinetoText().launch("f", 1, 7, 1000, 1012, 3000).launch("elsewhere", 2, 8, 1006, 1018, 3500);
    text.call("cudaMemcpyAsync", 3, 1020, start - 1020 + 60).copy("Memcpy DtoH (Device -> Pageable)", 3, 7, start, 40);
    return imported(text.text());
  };
  for (const double start : {4600.0, 5500.0})  // behind the other stream's kernel: by less than 100 us, by less than it waited
    EXPECT_THAT(with_copy_at(start).remarks, Not(Contains(HasSubstr("launching call of 100 us and more")))) << start;
  EXPECT_THAT(with_copy_at(9000).remarks, Contains(HasSubstr("launching call of 100 us and more")));
}

TEST(KinetoImport, WhatALongGraphLaunchDoesBeforeItsFirstNodeIsTheHostsOwn) {
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

TEST(KinetoImport, CopiesOfArraysAndWithinTheHostGoWhereTheyGo) {
  KinetoText text;
  double begin = 1000;
  int correlation = 0;
  for (const char* const name : {"Memcpy HtoA (Pinned -> Array)", "Memcpy AtoH (Array -> Pageable)", "Memcpy AtoA (Array -> Array)",
                                 "Memcpy DtoA (Device -> Array)", "Memcpy HtoH (Pinned -> Pinned)"}) {
    ++correlation;
    text.call("cudaMemcpyAsync", correlation, begin, 4).copy(name, correlation, 7, begin + 7, 100);
    begin += 120;
  }
  const Imported run = imported(text.text());
  std::vector<std::string> operations;
  std::vector<std::int64_t> bytes;
  for (std::size_t i = 0; i < run.graph.size(); ++i) {
    operations.emplace_back(to_word(run.graph[task_id(i)].operation));
    bytes.push_back(run.graph[task_id(i)].cost.bytes.count);
  }
  EXPECT_THAT(operations, ElementsAre("copy_h2d", "copy_d2h", "kernel", "kernel", "host"));
  EXPECT_THAT(bytes, ElementsAre(4096, 4096, 0, 0, 0));
  EXPECT_THAT(run.counts, Contains(Pair("kernels", 2)));
  EXPECT_THAT(run.counts, Contains(Pair("copies within the host's memory", 1)));
  EXPECT_THAT(run.remarks, Contains(HasSubstr("1 copy is within the host's memory, without link or core")));
}

TEST(KinetoImport, BlockingCopyIsKnownToHaveEnded) {
  const Imported run = imported(KinetoText()
                                    .call("cudaMemcpy", 1, 100, 60)
                                    .copy("Memcpy DtoH (Device -> Pageable)", 1, 7, 120, 30)
                                    .launch("g", 2, 8, 170, 180, 10)
                                    .text());
  EXPECT_THAT(edges(run.graph), ElementsAre(Pair(0, 1)));
  EXPECT_EQ(run.graph[task_id(0)].operation, Operation::kCopyD2h);
  EXPECT_TRUE(run.graph.traits(task_id(0)).pageable);
  EXPECT_TRUE(run.program->threads[0].calls[0].blocks);
  EXPECT_EQ(to_ns(run.program->threads[0].calls[0].call), 10'000);
}

TEST(KinetoImport, IndependentRangesAreNotOrderedByTheirStream) {
  KinetoText trace;
  trace.launch("before", 1, 7, 100, 110, 10);
  trace.range("branch_a", 150, 100).launch("a1", 2, 7, 160, 170, 10).launch("a2", 3, 7, 200, 210, 10);
  trace.range("branch_b", 300, 100).launch("b1", 4, 7, 310, 320, 10).launch("b2", 5, 7, 350, 360, 10);
  trace.launch("after", 6, 7, 450, 460, 10);
  EXPECT_THAT(edges(imported(trace.text()).graph), ElementsAre(Pair(0, 1), Pair(1, 2), Pair(2, 3), Pair(3, 4), Pair(4, 5)));
  EXPECT_THAT(edges(imported(trace.text(), {.independent = {"branch_*"}}).graph),
              UnorderedElementsAre(Pair(0, 1), Pair(1, 2), Pair(0, 3), Pair(3, 4), Pair(2, 5), Pair(4, 5)));
  EXPECT_THAT(refused(trace.text(), {.independent = {"branc_a"}}), HasSubstr("independent: no range, kernel or copy fits 'branc_a'"));
}

TEST(KinetoImport, IndependentWorkMayBeginWithOneRangeAndEndWithAnother) {
  KinetoText trace;
  for (int i = 0; i < 2; ++i) {
    const double at = 100 + 300 * i;
    trace.range("to", at, 50).launch("in", 10 * i + 1, 7, at + 10, at + 20, 10);
    trace.launch("work", 10 * i + 2, 7, at + 100, at + 110, 10);
    trace.range("copy_", at + 200, 50).launch("out", 10 * i + 3, 7, at + 210, at + 220, 10);
  }
  EXPECT_THAT(edges(imported(trace.text(), {.independent = {"to..copy_"}}).graph),
              ElementsAre(Pair(0, 1), Pair(1, 2), Pair(3, 4), Pair(4, 5)));
}

TEST(KinetoImport, KernelsAndCopiesMayBeIndependentToo) {
  KinetoText trace;
  for (int i = 0; i < 2; ++i) {
    const int at = 1000 * i;
    trace.call("cudaMemcpyAsync", 3 * i + 1, at, 5).copy("Memcpy HtoD (Pinned -> Device)", 3 * i + 1, 7, at + 10, 50);
    trace.launch("void scale<float>(float*)", 3 * i + 2, 7, at + 100, at + 110, 50);
    trace.call("cudaMemcpyAsync", 3 * i + 3, at + 200, 5).copy("Memcpy DtoH (Device -> Pinned)", 3 * i + 3, 7, at + 210, 50);
  }
  const Imported chained = imported(trace.text());
  EXPECT_THAT(chained.remarks, Contains(HasSubstr("5 of 5 dependencies are the order of one stream: more streams cannot help unless "
                                                  "--independent says")));
  const Imported items = imported(trace.text(), {.independent = {"Memcpy HtoD..Memcpy DtoH"}});
  EXPECT_THAT(edges(items.graph), ElementsAre(Pair(0, 1), Pair(1, 2), Pair(3, 4), Pair(4, 5)));
  const Imported kernels = imported(trace.text(), {.independent = {"scale*", "Memcpy*"}});
  EXPECT_THAT(edges(kernels.graph), IsEmpty());
  EXPECT_THAT(refused(trace.text(), {.independent = {"scalar"}}),
              HasSubstr("no range, kernel or copy fits 'scalar'; did you mean 'scale'?"));
}

TEST(KinetoImport, RangesAreCountedWithTheirTimes) {
  const Imported run = imported(two_kernels().range("step#1", 90, 30).range("step#2", 190, 50).range("all", 90, 150).text());
  ASSERT_EQ(run.ranges.size(), 2u);
  EXPECT_EQ(run.ranges[0].name, "step");
  EXPECT_EQ(run.ranges[0].times, 2);
  EXPECT_EQ(run.ranges[0].total, Duration{80'000});
  EXPECT_EQ(run.ranges[1].name, "all");
}

TEST(KinetoImport, RangeTakesWhatTheHostLaunchedWithinIt) {
  KinetoText trace;
  for (int i = 0; i < 3; ++i) trace.range("iteration", 100 + 100 * i, 90).launch("k", i + 1, 7, 120 + 100 * i, 150 + 100 * i, 10);
  EXPECT_EQ(imported(trace.text()).graph.size(), 3u);
  EXPECT_EQ(imported(trace.text(), {.range = "iteration"}).graph.size(), 3u);
  const Imported second = imported(trace.text(), {.range = "iteration#2"});
  EXPECT_EQ(second.graph.size(), 1u);
  EXPECT_EQ(to_ns(second.captured.tasks[0].started), 50'000);  // since the range began
  EXPECT_EQ(to_ns(second.program->threads[0].calls[0].own), 20'000);
  EXPECT_THAT(refused(trace.text(), {.range = "iteratio"}), HasSubstr("range: there is no range 'iteratio'; did you mean 'iteration'?"));
  EXPECT_THAT(refused(trace.text(), {.range = "iteration#4"}), HasSubstr("there are 3 ranges 'iteration', not 4"));
}

TEST(KinetoImport, DeviceOfSeveralMustBeChosen) {
  std::string text = two_kernels().text();
  const std::string device = "\"device\":0";
  text.replace(text.rfind(device), device.size(), "\"device\":1");
  EXPECT_THAT(refused(text), HasSubstr("has tasks of devices 0, 1"));
  EXPECT_THAT(names(imported(text, {.device = 1}).graph), ElementsAre("g#0"));
  EXPECT_THAT(refused(text, {.device = 3}), HasSubstr("nothing ran on device 3; its tasks are of 0, 1"));
}

TEST(KinetoImport, GraphLaunchHasManyNodes) {
  KinetoText trace;
  trace.call("cudaGraphLaunch", 1, 100, 20);
  for (int i = 0; i < 3; ++i) trace.kernel("n", 1, 7, 130 + 12 * i, 10, ",\"graph node id\":" + std::to_string(i));
  const Imported run = imported(trace.text());
  EXPECT_EQ(run.program->threads[0].calls.size(), 1u);
  EXPECT_TRUE(run.program->threads[0].calls[0].graph);
  EXPECT_EQ(run.program->threads[0].calls[0].tasks, 3u);
  EXPECT_THAT(edges(run.graph), ElementsAre(Pair(0, 1), Pair(1, 2)));
  EXPECT_THAT(run.remarks, Contains(HasSubstr("3 of 3 nodes of graphs are of graphs whose edges the file does not have")));
}

TEST(KinetoImport, ConstantsAreMeansOfEnoughOccasionsWithoutTheExtremes) {
  KinetoText few;
  KinetoText enough;
  for (int i = 0; i < 9; ++i) {
    if (i < 4) few.launch("k", i + 1, 7, 100 + 100 * i, 108 + 100 * i, 10);
    enough.launch("k", i + 1, 7, 100 + 100 * i, 108 + 100 * i + (i == 0 ? 50 : 0), 10);
  }
  EXPECT_THAT(imported(few.text()).constants, IsEmpty());
  const std::vector<MeasuredConstant> constants = imported(enough.text()).constants;
  ASSERT_EQ(constants.size(), 2u);
  EXPECT_EQ(constants[0].key, "streams.launch_latency_ns");
  EXPECT_EQ(constants[0].value, 8000);
  EXPECT_EQ(constants[1].key, "host_calls.launch_ns");
}

TEST(KinetoImport, AMeanFarAboveTheMedianIsOfSomethingElseBesides) {
  KinetoText text;
  for (int i = 0; i < 12; ++i) text.launch("k", i + 1, 7, 100 + 1000 * i, 100 + 1000 * i + (i % 3 == 0 ? 500 : 8), 10);
  const std::vector<MeasuredConstant> constants = imported(text.text()).constants;
  ASSERT_FALSE(constants.empty());
  EXPECT_EQ(constants[0].key, "streams.launch_latency_ns");
  EXPECT_EQ(constants[0].value, 8000);
  EXPECT_STREQ(constants[0].statistic(), "median of");
}

/// Launches of one graph of ten nodes, in whose gaps `between` says what is, in µs; later nodes each a little after the one before.
Imported with_gaps_in_graphs(const std::vector<double>& between) {
  KinetoText text;
  double now = 100;
  for (int launch = 1; launch <= 3; ++launch) {
    text.call("cudaGraphLaunch", launch, now, 20);
    double start = now + 30;
    for (std::size_t i = 0; i < 10; ++i) {
      text.kernel("n", launch, 7, start, 10, ",\"graph node id\":" + std::to_string(i));
      start += 10 + between[i % between.size()];
    }
    now = start + 100;
  }
  return imported(text.text());
}

bool has_graph_gap(const Imported& run) {
  return std::ranges::find(run.constants, "graph_launch.gap_ns", &MeasuredConstant::key) != run.constants.end();
}

TEST(KinetoImport, GapsThatHaveSomethingInBetweenAreNotTaken) {
  const Imported usual = with_gaps_in_graphs({1, 2, 1});
  EXPECT_TRUE(has_graph_gap(usual));
  EXPECT_THAT(usual.remarks, testing::Not(Contains(HasSubstr("is not taken from the file"))));
  const Imported long_ones = with_gaps_in_graphs({195});
  EXPECT_FALSE(has_graph_gap(long_ones)) << "no gap is so long by itself";
  EXPECT_THAT(long_ones.remarks, Contains(HasSubstr("graph_launch.gap_ns is not taken from the file, but from the machine: of 27 occasions "
                                                    "(node end to start of the node behind it) a quarter are below 195, half below 195 and "
                                                    "a quarter above 195 us")));
  const Imported several_kinds = with_gaps_in_graphs({2, 2, 40, 30, 35});
  EXPECT_FALSE(has_graph_gap(several_kinds)) << "a quarter of them are far shorter";
  EXPECT_THAT(several_kinds.remarks, Contains(HasSubstr("graph_launch.gap_ns is not taken from the file")));
}

TEST(KinetoImport, KernelsThatOverlapInTheirStreamAreCounted) {
  KinetoText text;
  text.launch("a", 1, 7, 100, 120, 1000).launch("b", 2, 7, 106, 1000, 500).launch("c", 3, 7, 112, 1500, 10);
  EXPECT_THAT(imported(text.text()).remarks,
              Contains("1 kernel begins before what its stream has ahead of it has ended, as of programmatic launches: taken one after the "
                       "other"));
}

TEST(KinetoImport, LatenciesThatNoLaunchTakesAreNotTaken) {
  KinetoText text;
  for (int i = 0; i < 12; ++i) text.launch("k", i + 1, 7, 100 + 10'000 * i, 100 + 10'000 * i + 5000, 10);
  const Imported run = imported(text.text());
  EXPECT_EQ(std::ranges::find(run.constants, "streams.launch_latency_ns", &MeasuredConstant::key), run.constants.end());
  EXPECT_THAT(run.remarks, Contains(HasSubstr("streams.launch_latency_ns is not taken from the file")));
}

TEST(KinetoImport, ACopyThatWaitedForItsEngineSaysNothingOfItsLatency) {
  KinetoText text;
  for (int i = 0; i < 6; ++i) {
    const double at = 100 + 1000 * i;
    text.call("cudaMemcpyAsync", 2 * i + 1, at, 3).copy("Memcpy HtoD (Pinned -> Device)", 2 * i + 1, 7, at + 8, 200);
    text.call("cudaMemcpyAsync", 2 * i + 2, at + 20, 3).copy("Memcpy HtoD (Pinned -> Device)", 2 * i + 2, 8, at + 208, 50);
  }
  const auto constants = imported(text.text()).constants;
  const auto latency = std::ranges::find(constants, "copies.latency_ns", &MeasuredConstant::key);
  ASSERT_NE(latency, constants.end());
  EXPECT_EQ(latency->occasions, 6);
  EXPECT_EQ(latency->value, 8000);
}

TEST(KinetoImport, TheCostOfLaunchingIsTheMedianOfCallsThatLaunchAKernelAndDoNothingElse) {
  KinetoText text;
  for (int i = 0; i < 8; ++i) {
    const double at = 100 + 1000 * i;
    const bool blocked = i == 3;
    text.call("cudaLaunchKernel", 2 * i + 1, at,
              i == 7    ? 500
              : blocked ? 90
                        : 4 + i)
        .kernel("k", 2 * i + 1, 7, at + (i == 7 ? 490 : 8), 10);
    text.call("cudaMemcpy", 2 * i + 2, at + 600, 300).copy("Memcpy DtoH (Device -> Pageable)", 2 * i + 2, 7, at + 610, 280);
  }
  const auto constants = imported(text.text()).constants;
  const auto launch = std::ranges::find(constants, "host_calls.launch_ns", &MeasuredConstant::key);
  ASSERT_NE(launch, constants.end());
  EXPECT_EQ(launch->occasions, 7);
  EXPECT_EQ(launch->value, 8000);  // of 4, 5, 6, 8, 9, 10 and 90 us
  EXPECT_STREQ(launch->statistic(), "median of");
}

TEST(KinetoImport, GapsThatTheRunDoesNotShowAreTheMachinesLessWhatItsKernelsAndAProfilerHaveAroundBlocks) {
  const Machine shipped = load_machine("nvidia-h200");
  const Machine machine = import_machine(imported(two_kernels().text()), "nvidia-h200");
  const double shorter = static_cast<double>(kAroundBlocks.count()) + shipped.launched_kernels->around.count();
  EXPECT_DOUBLE_EQ(machine.streams->gap.count(), shipped.streams->gap.count() - shorter);
  EXPECT_DOUBLE_EQ(machine.streams->event_gap.count(), shipped.streams->event_gap.count() - shorter);
  EXPECT_DOUBLE_EQ(machine.graph_launch->gap.count(), std::max(0.0, shipped.graph_launch->gap.count() - shorter));
}

TEST(KinetoImport, CopiesKnowForHowLongAnotherMovedBytesTheOtherWay) {
  KinetoText text;
  text.call("cudaMemcpyAsync", 1, 0, 5).copy("Memcpy HtoD (Pinned -> Device)", 1, 7, 10, 100);
  text.call("cudaMemcpyAsync", 2, 20, 5).copy("Memcpy DtoH (Device -> Pinned)", 2, 13, 60, 200);
  text.call("cudaMemcpyAsync", 3, 40, 5).copy("Memcpy HtoD (Pinned -> Device)", 3, 7, 120, 70);
  const Imported run = imported(text.text());
  ASSERT_TRUE(run.program);
  EXPECT_THAT(run.program->beside, ElementsAre(0.5, 0.6, 1));
}

TEST(KinetoImport, FootprintIsThatOfTheBlocksThatWereSideBySide) {
  const Imported run = imported(KinetoText().call("cudaLaunchKernel", 1, 0, 1).kernel("k", 1, 7, 5, 5, ",\"shared memory\":1024").text());
  const TaskTraits& traits = run.graph.traits(task_id(0));
  EXPECT_EQ(traits.blocks, 4);
  EXPECT_EQ(traits.threads, 128);
  EXPECT_EQ(traits.registers, 32);
  EXPECT_EQ(traits.shared_memory, 1024);
}

/// The one block a multiprocessor that stands for those of a grid of `each` blocks a multiprocessor, of 32 threads and so many bytes each.
TaskTraits grid_of(int each, const std::string& capability, int shared_memory, int registers = 16) {
  KinetoText text;
  text.call("cudaLaunchKernel", 1, 0, 1);
  text.event("kernel", "k", 5, 5,
             "\"device\":0,\"stream\":7,\"correlation\":1,\"grid\":[" + std::to_string(132 * each) +
                 ",1,1],\"block\":[32,1,1],\"registers per thread\":" + std::to_string(registers) +
                 ",\"shared memory\":" + std::to_string(shared_memory),
             7, 0);
  std::string file = text.text();
  file.insert(file.find("\"numSms\""), capability);
  return imported(file).graph.traits(task_id(0));
}

/// How many blocks of a grid of 100 a multiprocessor were side by side there.
std::int64_t side_by_side(const std::string& capability, int shared_memory) {
  return grid_of(100, capability, shared_memory).shared_memory / shared_memory;
}

TEST(KinetoImport, NoMoreBlocksAreSideBySideThanTheCapabilityAllows) {
  EXPECT_EQ(side_by_side("", 64), 32);
  EXPECT_EQ(side_by_side("\"computeMajor\":9,\"computeMinor\":0,", 64), 32);
  EXPECT_EQ(side_by_side("\"computeMajor\":8,\"computeMinor\":9,", 64), 24);
  EXPECT_EQ(side_by_side("\"computeMajor\":8,\"computeMinor\":6,", 64), 16);
}

TEST(KinetoImport, EachBlockSideBySideTakesWhatTheHardwareReserves) {
  // 228 KiB hold 22 blocks of 10 KiB, and 20 where each takes one KiB more.
  EXPECT_EQ(side_by_side("\"computeMajor\":9,\"computeMinor\":0,", 10240), 20);
  EXPECT_EQ(side_by_side("\"computeMajor\":7,\"computeMinor\":0,", 10240), 22);
}

TEST(KinetoImport, AKernelOfMoreBlocksThanThereIsRoomForLeavesNone) {
  // A multiprocessor holds 32 blocks, which are 1024 threads: with 32 there is no room for another, with 33 not until some end.
  EXPECT_EQ(grid_of(32, "", 0).threads, 2048);
  EXPECT_EQ(grid_of(33, "", 0).threads, 2048);
  EXPECT_EQ(grid_of(16, "", 0).threads, 1024);
  // Room by threads; a block of 64 registers a thread has half as many in place of twice the threads.
  EXPECT_EQ(grid_of(16, "", 0, 64).registers, 32);
  EXPECT_LE(grid_of(33, "", 0, 40).registers * 2048, 65536);
}

TEST(KinetoImport, TasksAndCallsThatLackEachOtherAreCounted) {
  const Imported run = imported(two_kernels().kernel("lone", 77, 7, 300, 10).call("cudaLaunchKernel", 78, 310, 5).text());
  EXPECT_EQ(run.graph.size(), 3u);
  EXPECT_THAT(run.remarks, UnorderedElementsAre(HasSubstr("1 task has no launching call"), HasSubstr("1 launching call has no task")));
}

TEST(KinetoImport, CallWithinAnotherOfItsCorrelationIsAPartOfIt) {
  const Imported run = imported(two_kernels().event("cuda_driver", "cuLaunchKernel", 201, 2, "\"correlation\":2").text());
  EXPECT_EQ(run.program->threads[0].calls.size(), 2u);
  EXPECT_THAT(run.remarks, IsEmpty());
}

TEST(KinetoImport, RefusesWithPlaceAndCause) {
  const std::string whole = two_kernels().text();
  EXPECT_THAT(refused(""), HasSubstr("is empty"));
  EXPECT_THAT(refused(whole.substr(0, whole.size() / 2)), HasSubstr("is truncated: its JSON ends early, behind traceEvents["));
  EXPECT_THAT(refused(whole + whole), HasSubstr("goes on behind the end of its JSON; a file has one trace"));
  EXPECT_THAT(refused("{\"traceEvents\": [1]}"), HasSubstr("traceEvents[0] is '1', no event"));
  EXPECT_THAT(refused("{\"traceEvents\": [], \"x\": tru}"), HasSubstr("is no JSON"));
  EXPECT_THAT(refused("{\"traceEvents\": []}"), HasSubstr("it has no kernel, copy or memset"));
  EXPECT_THAT(refused("{\"schemaVersion\": 1, \"deviceProperties\": []}"), HasSubstr("has no list 'traceEvents'"));
  EXPECT_THAT(refused("{\"traceEvents\": " + std::string(100, '[') + std::string(100, ']') + "}"),
              HasSubstr("nested deeper than 64 levels"));
  EXPECT_THAT(refused(KinetoText().call("cudaLaunchKernel", 1, 0, 5).range("r", 0, 5).text()),
              HasSubstr("Usual causes: the profiler was not asked for the GPU"));
  EXPECT_THAT(refused("{\"traceEvents\": [{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"dur\":1,\"args\":{}}]}"),
              HasSubstr("traceEvents[0] ('kernel', 'k') has no ts"));
  EXPECT_THAT(refused("{\"traceEvents\": [{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"ts\":\"soon\",\"dur\":1}]}"),
              HasSubstr("traceEvents[0].ts is 'soon'"));
  EXPECT_THAT(refused("{\"traceEvents\": [{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"ts\":1,\"dur\":\"20.5 us\"}]}"),
              HasSubstr("traceEvents[0].dur is '20.5 us'"));
  EXPECT_THAT(refused("{\"traceEvents\": [{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"ts\":1,\"dur\":-1,\"args\":{\"stream\":7}}]}"),
              HasSubstr("lasts -1000 ns"));
}

TEST(KinetoImport, HipsCallsOrderWorkAsCudas) {
  const auto trace = [](const std::string& api) {
    return imported(KinetoText()
                        .launch("f", 1, 7, 100, 110, 20)
                        .call(api + "StreamWaitEvent", 2, 200, 3)
                        .launch("g", 3, 8, 210, 220, 20)
                        .call(api + "DeviceSynchronize", 4, 230, 20)
                        .call(api + "Free", 5, 260, 5)
                        .text());
  };
  const Imported hip = trace("hip");
  const Imported cuda = trace("cuda");
  EXPECT_EQ(hip.remarks, cuda.remarks);
  ASSERT_TRUE(hip.program);
  ASSERT_EQ(hip.program->threads.size(), 1u);
  ASSERT_EQ(hip.program->threads[0].calls.size(), cuda.program->threads[0].calls.size());
  for (std::size_t i = 0; i < hip.program->threads[0].calls.size(); ++i)
    EXPECT_EQ(hip.program->threads[0].calls[i].kind, cuda.program->threads[0].calls[i].kind) << i;
}

TEST(KinetoImport, WorkThatTheFileLacksStandsBeforeWhatWaitedForIt) {
  const Imported run = imported(
      KinetoText().launch("f", 1, 7, 100, 100'000, 20).launch("g", 2, 7, 120, 100'030, 20).launch("h", 3, 8, 200'000, 200'010, 5).text());
  EXPECT_THAT(names(run.graph), ElementsAre("work that is not in the file#0", "f#1", "g#2", "h#3"));
  EXPECT_THAT(edges(run.graph), ElementsAre(Pair(0, 1), Pair(1, 2)));
  EXPECT_NEAR(static_cast<double>(to_ns(run.graph[task_id(0)].cost.time)), 99.89e6, 0.02e6);
  EXPECT_THAT(run.remarks,
              Contains(HasSubstr("an operation begins long after the launch, and nothing in the file kept it ('f' by 99.89 ms)")));
  const Imported quick = imported(two_kernels().text());
  EXPECT_THAT(quick.remarks, Not(Contains(HasSubstr("not in the file"))));
}

TEST(KinetoImport, WhatAStreamHadToDoBeforeTheRangeStandsFirst) {
  const std::string text = KinetoText()
                               .range("step", 90, 50)
                               .launch("f", 1, 7, 100, 110, 500)
                               .range("step", 190, 50)
                               .launch("g", 2, 7, 200, 612, 500)
                               .launch("h", 3, 8, 210, 220, 5)
                               .text();
  const Imported second = imported(text, {.range = "step#2"});
  EXPECT_THAT(names(second.graph), ElementsAre("work before the range#0", "g#1", "h#2"));
  EXPECT_THAT(edges(second.graph), ElementsAre(Pair(0, 1)));
  EXPECT_EQ(to_ns(second.graph[task_id(0)].cost.time), 420'000);
  EXPECT_THAT(second.remarks,
              Contains(HasSubstr("a stream was busy with earlier launches when the range began (0.42 ms more, to the end of 'f')")));
  EXPECT_THAT(names(imported(text, {.range = "step#1"}).graph), ElementsAre("f#0"));
}

TEST(KinetoImport, RangesMayBeNamedByTheirNumberOrWithoutIt) {
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

TEST(KinetoImport, WhatTheHostDidBeforeItsFirstLaunchIsSaid) {
  const Imported run =
      imported(KinetoText().call("cudaDeviceGetStreamPriorityRange", 9, 100, 30'000).launch("f", 1, 7, 30'200, 30'210, 20).text());
  EXPECT_THAT(run.remarks, Contains("30.1 ms of the host before its first call that gives the device work are left out, 30 ms of them in "
                                    "'cudaDeviceGetStreamPriorityRange'"));
  EXPECT_THAT(imported(two_kernels().text()).remarks, Not(Contains(HasSubstr("left out"))));
}

TEST(KinetoImport, KernelsOfCollectivesAreSaidToHoldTheirWaits) {
  const Imported run = imported(KinetoText().launch("ncclDevKernel_AllReduce_Sum_f32_RING_LL(args)", 1, 7, 100, 110, 2500).text());
  EXPECT_THAT(run.remarks, Contains(HasSubstr("1 kernel of NCCL (2.5 ms together) count as bodies: the file is of one rank")));
}

/// A wide kernel beside one that holds some multiprocessors had the others: on all of them it would come in two waves of that time.
TEST(KinetoImport, AKernelBesideOthersKeepsTheMultiprocessorsThatItHad) {
  const auto kernel = [](int stream, int correlation, double ts, double dur, int blocks, int threads) {
    return "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k" + std::to_string(correlation) +
           "\",\"pid\":0,\"tid\":" + std::to_string(stream) + ",\"ts\":" + std::to_string(ts) + ",\"dur\":" + std::to_string(dur) +
           ",\"args\":{\"device\":0,\"context\":1,\"stream\":" + std::to_string(stream) +
           ",\"correlation\":" + std::to_string(correlation) + ",\"grid\":[" + std::to_string(blocks) + ",1,1],\"block\":[" +
           std::to_string(threads) + ",1,1],\"registers per thread\":64}}";
  };
  const std::string calls =
      KinetoText().call("cudaLaunchKernel", 1, 100, 5).call("cudaLaunchKernel", 2, 110, 5).call("cudaLaunchKernel", 3, 120, 5).text();
  std::string text = calls;
  text.insert(text.rfind("\n]}"), ",\n" + kernel(8, 1, 115, 900, 20, 1024) + ",\n" + kernel(7, 2, 125, 400, 4096, 512) + ",\n" +
                                      kernel(7, 3, 1100, 300, 4096, 512));
  const Imported run = imported(text);
  EXPECT_EQ(run.graph.traits(task_id(0)).blocks, 20);
  EXPECT_EQ(run.graph.traits(task_id(1)).blocks, 112);
  EXPECT_EQ(run.graph.traits(task_id(2)).blocks, 132);  // alone
  EXPECT_THAT(run.remarks, Contains(HasSubstr("1 kernel ran beside others that held multiprocessors")));
}

TEST(KinetoImport, SeveralProcessesAreRefused) {
  const KinetoText trace = two_kernels().event("cuda_runtime", "cudaLaunchKernel", 400, 5, "\"correlation\":5", 1, 10);
  EXPECT_THAT(refused(trace.text()), HasSubstr("has calls of 2 processes"));
}

TEST(KinetoImport, OptionOfOtherFormatsIsRefused) {
  EXPECT_THAT(
      refused(two_kernels().text(), {.drop_edges = {"x"}}),
      HasSubstr("drop_edges: 'x'; valid: stream: of a trace the edges that only the order of a stream makes can be left out, or those "
                "between what --independent"));
  EXPECT_THAT(refused(two_kernels().text(), {.independent = {"f"}, .drop_edges = {"stream"}}), HasSubstr("give one of them"));
}

TEST(Importers, UnknownFormatNamesTheNearest) {
  const TemporaryFile file("{}", "x.json");
  try {
    importer_of(file.path(), "kinetoo");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("unknown format 'kinetoo'; did you mean 'kineto'?"));
  }
}

}  // namespace
}  // namespace tasktwin::scenarios
