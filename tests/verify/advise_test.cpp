#include "verify/advise/advice.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/base/error.hpp"
#include "scenarios/document/document.hpp"
#include "scenarios/load/scenario_document.hpp"
#include "tests/scenarios/temporary_file.hpp"
#include "verify/explain/what_if.hpp"

namespace tasktwin::verify {
namespace {

using testing::Contains;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

/// A capture of one iteration, event by event; times in µs.
class Capture {
 public:
  Capture& call(const std::string& name, double own, double takes, const std::string& arguments) {
    now_ += own;
    add("cuda_runtime", name, now_, takes, 1, "\"correlation\":" + std::to_string(++correlation_) + arguments);
    now_ += takes;
    return *this;
  }
  Capture& kernel(const std::string& name, int stream, const std::vector<int>& pointers, double takes) {
    std::string list;
    for (std::size_t i = 0; i < pointers.size(); ++i)
      list += (i == 0 ? "[" : ",[") + std::to_string(i) + ",0," + std::to_string(pointers[i]) + "]";
    call("cudaLaunchKernel", 2, 3, ",\"call_stream\":" + std::to_string(stream) + R"(,"op":"kernel","pointers":[)" + list + "]");
    double& free = free_[stream];
    const double start = std::max(now_ + 2, free);
    free = start + takes;
    add("kernel", name, start, takes, 0,
        "\"device\":0,\"context\":1,\"stream\":" + std::to_string(stream) + ",\"correlation\":" + std::to_string(correlation_) +
            ",\"grid\":[4,1,1],\"block\":[128,1,1],\"registers per thread\":32");
    return *this;
  }
  Capture& wait(int stream, int source) {
    call("cudaEventRecord", 1, 2, ",\"call_stream\":" + std::to_string(source) + R"(,"op":"event_record")");
    const int record = correlation_;
    call("cudaStreamWaitEvent", 1, 2,
         ",\"call_stream\":" + std::to_string(stream) + R"(,"op":"stream_wait_event","record":)" + std::to_string(record));
    free_[stream] = std::max(free_[stream], free_[source]);
    return *this;
  }
  Capture& sync() {
    double end = now_;
    for (const auto& [stream, free] : free_) end = std::max(end, free);
    return call("cudaDeviceSynchronize", 1, std::max(5.0, end + 5 - now_), R"(,"op":"device_sync")");
  }

  scenarios::Scenario scenario(const std::string& options = "") const {
    const scenarios::TemporaryFile file(
        R"({"tasktwin_capture":{"version":1,"ended":"normally","memory":[{"address":4096,"bytes":1024},{"address":8192,"bytes":1024},)"
        R"({"address":12288,"bytes":1024},{"address":16384,"bytes":1024}]},"traceEvents":[)" +
            events_ + "]}",
        "capture.json");
    return scenarios::scenario_from(scenarios::parse_document(
        file.path() + ".yaml",
        "scenario: captured\nmachine: nvidia-h200\ngraph: {import: '" + file.path() + "'" + options +
            "}\ndesigns: [{name: as-captured, from: cuda-streams, streams: 2, stream_granularity: hinted, stream_wait: program}]\n"));
  }

 private:
  void add(const std::string& category, const std::string& name, double ts, double dur, int tid, const std::string& arguments) {
    events_ += (events_.empty() ? "" : ",\n") + (R"({"ph":"X","cat":")" + category + R"(","name":")" + name +
                                                 "\",\"pid\":" + (tid == 0 ? "0" : "9") + ",\"tid\":" + std::to_string(tid) + ",\"ts\":" +
                                                 std::to_string(ts) + ",\"dur\":" + std::to_string(dur) + ",\"args\":{" + arguments + "}}");
  }

  std::string events_;
  std::map<int, double> free_;  ///< by stream: when its work has ended
  double now_ = 100;
  int correlation_ = 0;
};

/// Two chains of long kernels on two streams that share nothing, one waiting for the other all the same.
Capture needless_wait() {
  return Capture()
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
      advice_of(Capture().kernel("f(float*)", 7, {4096}, 200).wait(8, 7).kernel("g(float*)", 8, {4096}, 200).sync().scenario());
  EXPECT_EQ(advice.order->waits[0].verdict, OrderVerdict::kNeeded);
  EXPECT_THAT(advice.order->removable, IsEmpty());
  EXPECT_THAT(advice.proposals, Not(Contains(Field(&Proposal::kind, "wait"))));
}

TEST(Advise, FindsIndependentWorkInOneStream) {
  Capture capture;
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
