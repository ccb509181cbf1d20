// Traces of Kineto as tasks, and the order between them.
#include <algorithm>

#include <gmock/gmock.h>
#include <zlib.h>

#include "models/base/error.hpp"
#include "scenarios/importers/importers.hpp"
#include "tests/scenarios/imports/kineto_text.hpp"
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

TEST(KinetoImport, WaitForAnUnknownRecordIsForWhatHadEndedUnlessAsked) {
  const Imported observed = imported(one_wait(false).text());
  EXPECT_THAT(edges(observed.graph), ElementsAre(Pair(0, 1), Pair(0, 2)));
  EXPECT_THAT(observed.remarks, Contains(HasSubstr("had ended when it began, which holds what it waited for")));
  const Imported none = imported(one_wait(false).text(), {.unknown_waits = "none"});
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

TEST(KinetoImport, KernelsOfCollectivesAreSaidToHoldTheirWaits) {
  const Imported run = imported(KinetoText().launch("ncclDevKernel_AllReduce_Sum_f32_RING_LL(args)", 1, 7, 100, 110, 2500).text());
  EXPECT_THAT(run.remarks, Contains(HasSubstr("1 kernel of NCCL (2.5 ms together) count as bodies: the file is of one rank")));
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
