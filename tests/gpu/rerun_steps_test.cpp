#include <algorithm>
#include <cstddef>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gpu/rerun/order/plan.hpp"
#include "gpu/rerun/order/schedules.hpp"
#include "gpu/rerun/order/steps.hpp"

namespace tasktwin::gpu::rerun {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Writes calls as a program would make them.
class Calls {
 public:
  explicit Calls(std::vector<StreamKind> streams) : streams_(std::move(streams)) {}

  int operation(int stream) {
    steps_.push_back({StepKind::kOperation, stream, -1, operations_});
    return operations_++;
  }
  void record(int event, int stream) { steps_.push_back({StepKind::kRecord, stream, event, -1}); }
  void wait(int event, int stream) { steps_.push_back({StepKind::kWait, stream, event, -1}); }
  void sync_stream(int stream) { steps_.push_back({StepKind::kSyncStream, stream, -1, -1}); }
  void sync_event(int event) { steps_.push_back({StepKind::kSyncEvent, -1, event, -1}); }
  void sync_all() { steps_.push_back({StepKind::kSyncAll, -1, -1, -1}); }

  const std::vector<Step>& steps() const { return steps_; }
  Edges edges() const { return edges_of(streams_, steps_); }

 private:
  std::vector<StreamKind> streams_;
  std::vector<Step> steps_;
  int operations_ = 0;
};

constexpr auto kFree = StreamKind::kNonBlocking;

/// Which operations come before which, through any number of edges: the slow way.
std::vector<std::set<int>> before_each(const Edges& edges) {
  std::vector<std::set<int>> before(edges.size());
  for (std::size_t i = 0; i < edges.size(); ++i) {
    for (const int one : edges[i]) {
      before[i].insert(one);
      before[i].insert(before[static_cast<std::size_t>(one)].begin(), before[static_cast<std::size_t>(one)].end());
    }
  }
  return before;
}

TEST(RerunEdges, AStreamIsAChain) {
  Calls calls({kFree});
  for (int i = 0; i < 3; ++i) calls.operation(0);
  EXPECT_THAT(calls.edges(), ElementsAre(IsEmpty(), ElementsAre(0), ElementsAre(1)));
  EXPECT_TRUE(is_chain(calls.edges()));
}

TEST(RerunEdges, StreamsAreIndependentButForEvents) {
  Calls calls({kFree, kFree});
  calls.operation(0);  // 0
  calls.record(7, 0);
  calls.operation(0);  // 1, behind the record
  calls.operation(1);  // 2
  calls.wait(7, 1);
  calls.operation(1);  // 3
  EXPECT_THAT(calls.edges(), ElementsAre(IsEmpty(), ElementsAre(0), IsEmpty(), ElementsAre(0, 2)));
  EXPECT_FALSE(is_chain(calls.edges()));
}

TEST(RerunEdges, AWaitIsForTheLastRecordBeforeIt) {
  Calls calls({kFree, kFree});
  calls.operation(0);
  calls.record(1, 0);
  calls.operation(0);
  calls.record(1, 0);
  calls.wait(1, 1);
  calls.operation(0);
  calls.record(1, 0);
  calls.operation(1);
  EXPECT_THAT(calls.edges()[3], ElementsAre(1));
}

TEST(RerunEdges, AWaitWithoutARecordOrdersNothing) {
  Calls calls({kFree, kFree});
  calls.operation(0);
  calls.wait(3, 1);
  calls.operation(1);
  EXPECT_THAT(calls.edges(), ElementsAre(IsEmpty(), IsEmpty()));
}

TEST(RerunEdges, WhatOthersImplyIsLeftOut) {
  Calls calls({kFree, kFree});
  calls.operation(0);  // 0
  calls.record(1, 0);
  calls.wait(1, 1);
  calls.operation(1);  // 1 after 0
  calls.record(2, 1);
  calls.wait(2, 0);
  calls.operation(0);  // 2 after 1, and so after 0
  EXPECT_THAT(calls.edges(), ElementsAre(IsEmpty(), ElementsAre(0), ElementsAre(1)));
}

TEST(RerunEdges, TheLegacyStreamIsABarrierForBlockingStreamsAlone) {
  Calls calls({StreamKind::kLegacy, StreamKind::kBlocking, kFree});
  calls.operation(1);  // 0
  calls.operation(2);  // 1
  calls.operation(0);  // 2 after 0
  calls.operation(1);  // 3 after 2
  calls.operation(2);  // 4 after 1
  EXPECT_THAT(calls.edges(), ElementsAre(IsEmpty(), IsEmpty(), ElementsAre(0), ElementsAre(2), ElementsAre(1)));
}

TEST(RerunEdges, BlockingStreamsAreIndependentOfEachOther) {
  Calls calls({StreamKind::kBlocking, StreamKind::kBlocking});
  calls.operation(0);
  calls.operation(1);
  EXPECT_THAT(calls.edges(), ElementsAre(IsEmpty(), IsEmpty()));
}

TEST(RerunEdges, WhatTheHostWaitedForComesBeforeWhatItLaunchesThen) {
  Calls calls({kFree, kFree, kFree});
  calls.operation(0);  // 0
  calls.operation(1);  // 1
  calls.record(1, 1);
  calls.operation(1);  // 2
  calls.sync_stream(0);
  calls.operation(2);  // 3 after 0
  calls.sync_event(1);
  calls.operation(2);  // 4 after 1 and 3
  calls.sync_all();
  calls.operation(0);  // 5 after 2 and 4
  EXPECT_THAT(calls.edges(), ElementsAre(IsEmpty(), IsEmpty(), ElementsAre(1), ElementsAre(0), ElementsAre(1, 3), ElementsAre(2, 4)));
}

TEST(RerunEdges, ACutChainLacksEveryNthEdge) {
  EXPECT_THAT(cut_chain(5, 2), ElementsAre(IsEmpty(), ElementsAre(0), IsEmpty(), ElementsAre(2), IsEmpty()));
  EXPECT_EQ(edge_count(chain(5)), 4U);
}

/// Whatever the edges, the streams' own order and events order at least as much, and events no more than needed.
TEST(RerunStreams, KeepTheOrderOfRandomGraphs) {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    const std::size_t size = 1 + random() % 30;
    Edges edges(size);
    for (std::size_t i = 1; i < size; ++i) {
      std::set<int> before;
      for (std::size_t k = random() % 4; k > 0; --k) before.insert(static_cast<int>(random() % i));
      edges[i].assign(before.begin(), before.end());
    }
    const int count = 1 + static_cast<int>(random() % 5);
    const std::vector<Step> steps = over_streams(edges, count);
    const auto made = before_each(edges_of(std::vector<StreamKind>(static_cast<std::size_t>(count), kFree), steps));
    ASSERT_EQ(made.size(), size);
    for (std::size_t i = 0; i < size; ++i) {
      for (const int one : edges[i]) EXPECT_TRUE(made[i].contains(one)) << one << " before " << i << ", round " << round;
    }
  }
}

TEST(RerunStreams, PutIndependentChainsOnStreamsOfTheirOwn) {
  // Two chains of three, issued by turns.
  const Edges edges{{}, {}, {0}, {1}, {2}, {3}};
  const std::vector<Step> steps = over_streams(edges, 2);
  EXPECT_TRUE(std::ranges::all_of(steps, [](const Step& step) { return step.kind == StepKind::kOperation; }));
  for (const Step& step : steps) EXPECT_EQ(step.stream, step.operation % 2);
}

TEST(RerunSchedules, AreReadWithTheCapturedOrderFirst) {
  std::vector<std::string> names;
  for (const Schedule& one : parse_schedules("graph,streams:4,as-captured,cut:10,graph")) names.push_back(one.name());
  EXPECT_THAT(names, ElementsAre("as-captured", "graph", "streams:4", "cut:10"));
  names.clear();
  for (const Schedule& one : parse_schedules("plan,plan:2,plan:1")) names.push_back(one.name());
  EXPECT_THAT(names, ElementsAre("as-captured", "plan", "plan:2"));
}

TEST(RerunSchedules, RefuseWhatTheyAreNot) {
  const auto said = [](const char* words) -> std::string {
    try {
      parse_schedules(words);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(said("grahp"),
              testing::HasSubstr(
                  "unknown schedule 'grahp' (valid: as-captured, chain, graph, programmatic, dependences, streams:N, plan:N, cut:N)"));
  EXPECT_THAT(said("graph,"), testing::HasSubstr("unknown schedule ''"));
  EXPECT_THAT(said("graph:2"), testing::HasSubstr("schedule 'graph' has no number"));
  for (const char* wrong : {"streams", "streams:", "streams:0", "streams:65", "streams:4x", "streams:-1", "streams: 4"})
    EXPECT_THAT(said(wrong), testing::HasSubstr("needs a number from 1 to 64, as in 'streams:4'")) << wrong;
  EXPECT_THAT(said("cut:1"), testing::HasSubstr("needs a number from 2"));
}

TEST(RerunEdges, WithoutThoseThatOthersImply) {
  EXPECT_THAT(reduced({{}, {0}, {0, 1}, {0, 2, 1}}), ElementsAre(IsEmpty(), ElementsAre(0), ElementsAre(1), ElementsAre(2)));
  std::mt19937 random(7);
  for (int graph = 0; graph < 50; ++graph) {
    Edges edges(130);
    for (std::size_t i = 1; i < edges.size(); ++i) {
      for (int k = 0; k < 3; ++k) edges[i].push_back(static_cast<int>(random() % i));
      std::ranges::sort(edges[i]);
      edges[i].erase(std::ranges::unique(edges[i]).begin(), edges[i].end());
    }
    const Edges kept = reduced(edges);
    EXPECT_EQ(before_each(kept), before_each(edges));
    const auto before = before_each(kept);
    for (std::size_t i = 0; i < kept.size(); ++i) {
      for (const int one : kept[i]) {
        for (const int other : kept[i]) EXPECT_FALSE(before[static_cast<std::size_t>(other)].contains(one)) << i;
      }
    }
  }
}

Plan a_plan() {
  return {.graph = false,
          .operations = {{.operation = 0, .kind = "copy", .stream = 0, .after = {}},
                         {.operation = 2, .kind = "kernel", .blocks = 12, .stream = 1, .priority = -2, .after = {0}},
                         {.operation = 1, .kind = "kernel", .blocks = 3, .stream = 0, .after = {0}},
                         {.operation = 3, .kind = "memset", .stream = 1, .after = {1, 2}}}};
}

TEST(RerunPlan, GoesThroughAFile) {
  EXPECT_EQ(parse_plan(to_lines(a_plan())), a_plan());
  Plan graph = a_plan();
  graph.graph = true;
  EXPECT_EQ(parse_plan(to_lines(graph)), graph);
  EXPECT_THROW(parse_plan(""), std::invalid_argument);
  EXPECT_THROW(parse_plan("graph\n0 kernel 1 0\n"), std::invalid_argument);
  EXPECT_THROW(parse_plan("graph\n0 kernel 1 0 0 x\n"), std::invalid_argument);
  EXPECT_THROW(parse_plan("streams\n1 kernel 1 0 0\n"), std::invalid_argument);
}

TEST(RerunPlan, SaysWhatIsWrong) {
  const auto fault = [](auto change) {
    Plan plan = a_plan();
    change(plan.operations);
    return fault_of(plan);
  };
  EXPECT_EQ(fault_of(a_plan()), "");
  EXPECT_THAT(fault([](auto& all) { all[1].operation = 1; }), HasSubstr("operation 1 occurs twice"));
  EXPECT_THAT(fault([](auto& all) { all[1].operation = 9; }), HasSubstr("operation 9 is none of 4"));
  EXPECT_THAT(fault([](auto& all) { all[1].after = {3}; }), HasSubstr("operation 2 waits for operation 3, which does not come before it"));
  EXPECT_THAT(fault([](auto& all) { all[1].after = {-1}; }), HasSubstr("does not come before it"));
  EXPECT_THAT(fault([](auto& all) { all[1].stream = 64; }), HasSubstr("is on stream 64"));
}

/// In its own order, with a record and a wait for each edge between two streams.
TEST(RerunPlan, BecomesCalls) {
  EXPECT_EQ(a_plan().streams(), 2U);
  EXPECT_THAT(a_plan().edges(), ElementsAre(IsEmpty(), ElementsAre(0), ElementsAre(0), ElementsAre(1, 2)));
  std::vector<std::string> calls;
  for (const Step& step : steps_of(a_plan())) {
    const char* const word = step.kind == StepKind::kOperation ? "run" : step.kind == StepKind::kRecord ? "record" : "wait";
    calls.push_back(std::string(word) + " " + std::to_string(step.kind == StepKind::kOperation ? step.operation : step.event) + " on " +
                    std::to_string(step.stream));
  }
  // Events count places in the plan: operation 1 is its third.
  EXPECT_THAT(calls, ElementsAre("run 0 on 0", "record 0 on 0", "wait 0 on 1", "run 2 on 1", "run 1 on 0", "record 2 on 0", "wait 2 on 1",
                                 "run 3 on 1"));
}

}  // namespace
}  // namespace tasktwin::gpu::rerun
