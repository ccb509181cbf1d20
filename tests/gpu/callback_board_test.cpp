// Who may be launched next where host functions say who is done; the functions' threads are threads of the test.
#include "gpu/streams/callback_board.hpp"

#include <atomic>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/runtimes/runtimes.hpp"
#include "tests/gpu/executor_cases.hpp"

namespace tasktwin::gpu {
namespace {

using testing::Eq;
using testing::Optional;

std::vector<StreamLaunch> plan_of(const TaskGraph& graph, int streams) {
  Design design = named_design("cuda-streams");
  design.stream_wait = StreamWait::kCallback;
  design.streams = streams;
  return plan_streams(graph, design);
}

TEST(CallbackBoard, OffersTheFirstInThePlanOfThoseThatNothingHoldsBack) {
  // t0 and t2 in stream 0, t1 and t3 in stream 1; t3 awaits t0.
  TaskGraphBuilder builder;
  for (const char* name : {"t0", "t1", "t2", "t3"}) builder.add_task(name, {});
  builder.add_edge(TaskId{0}, TaskId{3});
  const auto plan = plan_of(std::move(builder).build(), 2);
  CallbackBoard board(plan);
  EXPECT_THAT(board.take(), Optional(Eq(0u)));
  EXPECT_THAT(board.take(), Optional(Eq(1u)));
  EXPECT_EQ(board.take(), std::nullopt);  // those behind them in their streams are not launched yet
  board.launched(1);
  EXPECT_EQ(board.take(), std::nullopt);  // t3 still awaits t0
  board.launched(0);
  EXPECT_THAT(board.take(), Optional(Eq(2u)));
  board.launched(2);
  EXPECT_EQ(board.take(), std::nullopt);
  board.ran(0);
  EXPECT_THAT(board.take(), Optional(Eq(3u)));
}

TEST(CallbackBoard, LosesNoReportOfOtherThreads) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const TaskGraph graph = random_graph(2'000, 40, Duration{0}, seed);
    const auto plan = plan_of(graph, 7);
    CallbackBoard board(plan);
    std::vector<std::atomic<bool>> launched(plan.size());
    std::vector<std::atomic<bool>> ran(plan.size());
    std::thread functions([&] {
      for (std::size_t left = plan.size(); left > 0;) {
        for (std::uint32_t i = 0; i < plan.size(); ++i) {
          if (!launched[i] || ran[i].exchange(true)) continue;
          board.ran(i);
          --left;
        }
      }
    });
    std::vector<std::uint32_t> position(graph.size());
    for (std::uint32_t i = 0; i < plan.size(); ++i) position[index(plan[i].task)] = i;
    std::size_t early = 0;
    for (std::size_t left = plan.size(); left > 0;) {
      const auto taken = board.take();
      if (!taken) continue;
      for (const TaskId awaited : plan[*taken].awaited) early += ran[position[index(awaited)]] ? 0 : 1;
      board.launched(*taken);
      launched[*taken] = true;
      --left;
    }
    functions.join();
    EXPECT_EQ(early, 0u) << seed;
    EXPECT_EQ(board.take(), std::nullopt);
  }
}

}  // namespace
}  // namespace tasktwin::gpu
