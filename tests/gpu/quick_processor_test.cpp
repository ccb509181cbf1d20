// The processor that the host launches from; no GPU.
#include "gpu/host/quick_processor.hpp"

#include <algorithm>
#include <chrono>
#include <set>
#include <thread>
#include <vector>

#include <sched.h>

#include <gtest/gtest.h>

namespace tasktwin::gpu {
namespace {

using Clock = std::chrono::steady_clock;

/// Each leaves its thread free to run where it might before.
class QuickProcessorTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(sched_getaffinity(0, sizeof allowed_, &allowed_), 0); }
  void TearDown() override {
    cpu_set_t afterwards;
    ASSERT_EQ(sched_getaffinity(0, sizeof afterwards, &afterwards), 0);
    EXPECT_TRUE(CPU_EQUAL(&allowed_, &afterwards));
  }

  int last_allowed() const {
    int last = CPU_SETSIZE;
    while (!CPU_ISSET(--last, &allowed_)) {
    }
    return last;
  }

  cpu_set_t allowed_;
};

TEST_F(QuickProcessorTest, IsTheOneOnWhichTheCallTakesTheShortestTime) {
  if (CPU_COUNT(&allowed_) < 2 || CPU_COUNT(&allowed_) > 16) GTEST_SKIP() << "needs 2 to 16 processors";
  const int quick = last_allowed();
  const QuickProcessor found = move_to_quickest_processor([quick] {
    const auto begin = Clock::now();
    while (sched_getcpu() != quick && Clock::now() - begin < std::chrono::microseconds{200}) {
    }
  });
  EXPECT_EQ(found.number, quick);
  EXPECT_LT(found.call_ns, 200'000);
}

TEST_F(QuickProcessorTest, DoesNotMoveForLittle) {
  if (CPU_COUNT(&allowed_) < 2 || CPU_COUNT(&allowed_) > 16) GTEST_SKIP() << "needs 2 to 16 processors";
  const int here = sched_getcpu();
  int settled = 0;
  const QuickProcessor found = move_to_quickest_processor(
      [here] {
        const auto begin = Clock::now();
        while (Clock::now() - begin < std::chrono::microseconds{sched_getcpu() == here ? 103 : 100}) {
        }
      },
      [&settled] { ++settled; });
  EXPECT_EQ(found.number, here);
  EXPECT_GE(found.call_ns, 103'000);
  EXPECT_EQ(settled, 12 * (1 + CPU_COUNT(&allowed_)));
}

TEST_F(QuickProcessorTest, PassesOnWhatTheCallThrowsAndLeavesTheThreadFree) {
  if (CPU_COUNT(&allowed_) < 2) GTEST_SKIP() << "needs 2 processors";
  EXPECT_THROW(move_to_quickest_processor([] { throw 1; }), int);
}

TEST_F(QuickProcessorTest, ProcessorsComeByHowQuicklyTheyComputeAndTheThreadIsLeftFree) {
  const std::vector<QuickProcessor> processors = processors_by_speed();
  ASSERT_EQ(processors.size(), std::min(16u, static_cast<unsigned>(CPU_COUNT(&allowed_))));
  std::set<int> numbers;
  for (std::size_t i = 0; i < processors.size(); ++i) {
    EXPECT_TRUE(CPU_ISSET(processors[i].number, &allowed_));
    EXPECT_GT(processors[i].call_ns, 0);
    EXPECT_GE(processors[i].call_ns, processors[i > 0 ? i - 1 : 0].call_ns);
    numbers.insert(processors[i].number);
  }
  EXPECT_EQ(numbers.size(), processors.size()) << "each once";
}

TEST_F(QuickProcessorTest, AThreadStaysWhereItIsTold) {
  const int last = last_allowed();
  std::jthread([last] {
    EXPECT_TRUE(stay_on_processor(last));
    EXPECT_EQ(sched_getcpu(), last);
    EXPECT_GT(computing_ns(), 0);
    EXPECT_EQ(sched_getcpu(), last);
  });
}

TEST_F(QuickProcessorTest, AThreadHasAProcessorOfItsOwnIfThereIsOneForEach) {
  const std::vector<QuickProcessor> processors{{last_allowed(), 1}};
  std::jthread([&processors, this] {
    take_own_processor(processors, 0, 2);
    cpu_set_t where;
    ASSERT_EQ(sched_getaffinity(0, sizeof where, &where), 0);
    EXPECT_TRUE(CPU_EQUAL(&allowed_, &where)) << "one is not enough for two";
    take_own_processor(processors, 0, 1);
    ASSERT_EQ(sched_getaffinity(0, sizeof where, &where), 0);
    EXPECT_EQ(CPU_COUNT(&where), 1);
    EXPECT_TRUE(CPU_ISSET(processors[0].number, &where));
  });
}

TEST(Disturbance, IsHowMuchSlowerThreadsWereThanTheQuickestProcessor) {
  const std::vector<QuickProcessor> processors{{3, 100}, {1, 150}};
  EXPECT_DOUBLE_EQ(disturbance(120, processors), 0.2);
  EXPECT_EQ(disturbance(95, processors), 0) << "quicker than before";
  EXPECT_EQ(disturbance(200, {}), 0);
}

}  // namespace
}  // namespace tasktwin::gpu
