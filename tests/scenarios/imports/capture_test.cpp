// What tasktwin's own captures say beside a profiler's trace, and what their format lacks.
#include <gmock/gmock.h>

#include "tests/scenarios/imports/kineto_text.hpp"

namespace tasktwin::scenarios {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::ThrowsMessage;
using ::testing::UnorderedElementsAre;

/// Plans and reruns go by the numbers of a capture's operations.
TEST(CaptureImport, KeepsItsOperationsAsTheyAre) {
  const Imported run =
      imported(KinetoText().call("cudaLaunchKernel", 1, 100, 5, 1, R"(,"op":"kernel")").kernel("f", 1, 7, 100'000, 20).text());
  EXPECT_THAT(names(run.graph), ElementsAre("f#0"));
  EXPECT_THAT(run.remarks,
              Contains(HasSubstr("which the file does not have, counts as launching, since plans number the operations of a capture")));
}

TEST(CaptureImport, GraphEdgesAndRecordsAreRead) {
  KinetoText trace;
  trace.call("cudaGraphLaunch", 1, 100, 20, 1, ",\"op\":\"graph_launch\",\"call_stream\":7,\"graph_exec\":3");
  trace.kernel("root", 1, 7, 130, 10, ",\"graph node id\":10");
  trace.kernel("left", 1, 7, 142, 10, ",\"graph node id\":11");
  trace.kernel("right", 1, 7, 142, 12, ",\"graph node id\":12");
  trace.kernel("join", 1, 7, 156, 10, ",\"graph node id\":14");
  trace.call("cudaEventRecord", 2, 125, 1, 1, ",\"call_stream\":7")
      .call("cudaStreamWaitEvent", 3, 127, 1, 1, ",\"call_stream\":8,\"record\":2");
  trace.launch("other", 4, 8, 130, 170, 5);
  const Imported run = imported(
      trace.text("\"tasktwin_capture\":{\"version\":1,\"ended\":\"normally\",\"lost\":{\"records_dropped\":0},\"graphs\":[{\"exec\":3,"
                 "\"graph\":2,\"nodes\":[{\"node\":10,\"type\":\"kernel\"},{\"node\":13,\"type\":\"empty\"}],"
                 "\"edges\":[[10,11],[10,12],[11,13],[12,13],[13,14]]}]},"));
  // 13 is a node that leaves no trace: what is behind it is behind what is before it.
  EXPECT_THAT(edges(run.graph), ElementsAre(Pair(0, 1), Pair(0, 2), Pair(1, 3), Pair(2, 3), Pair(3, 4)));
  EXPECT_NE(run.graph.traits(task_id(1)).stream, run.graph.traits(task_id(2)).stream);
  EXPECT_THAT(run.remarks, ElementsAre(HasSubstr("which work shares memory is not in the file")));
}

TEST(CaptureImport, LossesAreSaid) {
  const Imported run =
      imported(two_kernels().text("\"tasktwin_capture\":{\"version\":1,\"ended\":\"abruptly\",\"lost\":{\"records_dropped\":12}},"));
  EXPECT_THAT(run.remarks, UnorderedElementsAre(HasSubstr("has lost 12 of 'records_dropped'"), HasSubstr("ended abruptly")));
}

TEST(CaptureImport, RefusesWhatItsFormatLacks) {
  const auto refusal = [](const std::string& first, const std::string& argument = "", const std::string& category = "kernel") {
    KinetoText trace;
    trace.call("cudaLaunchKernel", 1, 100, 5, 1, ",\"op\":\"kernel\",\"call_stream\":7");
    trace.event(category, "f", 110, 20, "\"device\":0,\"stream\":7,\"correlation\":1" + argument, 7, 0);
    return refused(trace.text("\"tasktwin_capture\":{" + first + "},"));
  };
  const std::string head = "\"version\":1";
  EXPECT_EQ(refusal("\"version\":1,\"ended\":\"normally\"", ",\"channel\":4294967295"), "");
  EXPECT_THAT(refusal("\"version\":2"), HasSubstr("1:32: tasktwin_capture.version is 2; this tasktwin reads version 1"));
  EXPECT_THAT(refusal("\"verson\":1"), HasSubstr("a capture has no field 'verson' there; did you mean 'version'?"));
  EXPECT_THAT(refusal("\"ended\":\"normal\""), HasSubstr("tasktwin_capture.ended is 'normal'; did you mean 'normally'?"));
  EXPECT_THAT(refusal("\"version\":1,\"memory\":{}"), HasSubstr("tasktwin_capture.memory is an object; it must be a list"));
  EXPECT_THAT(refusal("\"version\":1,\"memory\":[{\"address\":1,\"size\":2}]"),
              HasSubstr("tasktwin_capture.memory[0]: a capture has no field 'size'"));
  EXPECT_THAT(refusal("\"version\":1,\"graphs\":[{\"edges\":[[1,2],[1.5,2]]}]"),
              HasSubstr("tasktwin_capture.graphs[0].edges[1][0] is '1.5'; it must be a whole number of 64 bits"));
  EXPECT_THAT(refusal("\"ended\":\"normally\""), HasSubstr("tasktwin_capture lacks the field 'version'"));
  EXPECT_THAT(refusal("\"version\":1,\"version\":1"), HasSubstr("tasktwin_capture.version is given twice"));
  EXPECT_THAT(refusal(head, "", "kernal"), HasSubstr("traceEvents[1].cat is 'kernal'; did you mean 'kernel'?"));
  EXPECT_THAT(refused("{\"tasktwin_capture\":{\"version\":1},\"traceEvents\":[{\"ph\":\"X\",\"name\":\"f\",\"pid\":0,\"tid\":7}]}"),
              HasSubstr("traceEvents[0] ('f') lacks the field 'cat'"));
  EXPECT_THAT(refusal(head, ",\"grid\":[4]"), HasSubstr("traceEvents[1].args.grid has 1 element; it must have 3"));
  EXPECT_THAT(refusal(head, ",\"tensors\":[[1,2,3],[4,5,6,7]]"),
              HasSubstr("traceEvents[1].args.tensors[1] has 4 elements; it must have 3"));
  EXPECT_THAT(refusal(head, ",\"chanel\":1"),
              HasSubstr("traceEvents[1].args: a capture has no field 'chanel' there; did you mean 'channel'?"));
  EXPECT_THAT(refusal(head, ",\"grid\":[1,-2,1]"), HasSubstr("traceEvents[1].args.grid has -2; it must be whole numbers from 1"));
  EXPECT_THAT(refusal(head, ",\"channel\":\"3\""), HasSubstr("traceEvents[1].args.channel is '3'; it must be a whole number"));
  EXPECT_THAT(refusal(head, ",\"op\":\"mallock\""), HasSubstr("traceEvents[1].args.op is 'mallock'; did you mean 'malloc'?"));
  EXPECT_THAT(refusal(head, ",\"channel\":4294967296"),
              HasSubstr("has args.channel 4294967296; it must be a whole number from 0 of 32 bits"));
  EXPECT_THAT(refused(two_kernels().text("\"schemaVersion\":1,\"tasktwin_capture\":{},")),
              HasSubstr("has 'tasktwin_capture' behind other keys; in a capture it is the first"));
  EXPECT_THAT(refused(two_kernels().text("\"tasktwin_captur\":{},")),
              HasSubstr("did you mean 'tasktwin_capture', which makes it a capture?"));
  EXPECT_THAT(
      refused("{\"tasktwin_capture\":{\"version\":1},\"traceEvents\":[{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"f\",\"pid\":0}]}"),
      HasSubstr("traceEvents[0] lacks the field 'tid'"));
  const TemporaryFile no_capture(two_kernels().text(), "trace.json");
  EXPECT_THAT([&] { import_file(no_capture.path(), "capture", {}); },
              ThrowsMessage<InputError>(HasSubstr("does not begin with the key 'tasktwin_capture', so it is no capture")));
}

TEST(CaptureImport, AKernelWithoutAQueueDoesNotHaveTheOneBefore) {
  const auto queues = [](const std::string& second) {
    KinetoText trace;
    trace.call("cudaLaunchKernel", 1, 100, 5).kernel("a", 1, 7, 110, 20, ",\"channel\":3");
    trace.call("cudaLaunchKernel", 2, 120, 5).kernel("b", 2, 8, 130, 20, second);
    return imported(trace.text("\"tasktwin_capture\":{\"version\":1},")).hardware_queues;
  };
  EXPECT_EQ(queues(",\"channel\":3"), 1);
  EXPECT_EQ(queues(""), 0);
}

TEST(CaptureImport, TellsTheRacesOfACapture) {
  const Imported run =
      imported(two_kernels().text("\"tasktwin_capture\":{\"version\":1,\"ended\":\"normally\",\"races\":[{\"kind\":\"use_without_wait\","
                                  "\"times\":4,\"address\":127,\"first\":{\"correlation\":2,\"what\":\"void fill<int>(int*)\"},"
                                  "\"second\":{\"correlation\":3,\"what\":\"sum(int const*)\"}}]},"));
  EXPECT_THAT(run.remarks, UnorderedElementsAre("race (use_without_wait), 4 times: nothing orders fill and sum"));
}

}  // namespace
}  // namespace tasktwin::scenarios
