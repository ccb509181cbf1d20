// The processor that the host launches from; no GPU.
#include "gpu/quick_processor.hpp"

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

TEST(QuickProcessor, IsTheOneOnWhichTheCallTakesTheShortestTime) {
  cpu_set_t allowed;
  ASSERT_EQ(sched_getaffinity(0, sizeof allowed, &allowed), 0);
  if (CPU_COUNT(&allowed) < 2 || CPU_COUNT(&allowed) > 16) GTEST_SKIP() << "needs 2 to 16 processors";
  int quick = CPU_SETSIZE;
  while (!CPU_ISSET(--quick, &allowed)) {
  }
  const QuickProcessor found = move_to_quickest_processor([quick] {
    const auto begin = Clock::now();
    while (sched_getcpu() != quick && Clock::now() - begin < std::chrono::microseconds{200}) {
    }
  });
  EXPECT_EQ(found.number, quick);
  EXPECT_LT(found.call_ns, 200'000);
  cpu_set_t afterwards;
  ASSERT_EQ(sched_getaffinity(0, sizeof afterwards, &afterwards), 0);
  EXPECT_TRUE(CPU_EQUAL(&allowed, &afterwards));
}

TEST(QuickProcessor, DoesNotMoveForLittle) {
  cpu_set_t allowed;
  ASSERT_EQ(sched_getaffinity(0, sizeof allowed, &allowed), 0);
  if (CPU_COUNT(&allowed) < 2 || CPU_COUNT(&allowed) > 16) GTEST_SKIP() << "needs 2 to 16 processors";
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
  EXPECT_EQ(settled, 12 * (1 + CPU_COUNT(&allowed)));
}

TEST(QuickProcessor, PassesOnWhatTheCallThrowsAndLeavesTheThreadFree) {
  cpu_set_t allowed;
  ASSERT_EQ(sched_getaffinity(0, sizeof allowed, &allowed), 0);
  if (CPU_COUNT(&allowed) < 2) GTEST_SKIP() << "needs 2 processors";
  EXPECT_THROW(move_to_quickest_processor([] { throw 1; }), int);
  cpu_set_t afterwards;
  ASSERT_EQ(sched_getaffinity(0, sizeof afterwards, &afterwards), 0);
  EXPECT_TRUE(CPU_EQUAL(&allowed, &afterwards));
}

TEST(QuickProcessor, ProcessorsComeByHowQuicklyTheyComputeAndTheThreadIsLeftFree) {
  cpu_set_t allowed;
  ASSERT_EQ(sched_getaffinity(0, sizeof allowed, &allowed), 0);
  const std::vector<QuickProcessor> processors = processors_by_speed();
  ASSERT_EQ(processors.size(), std::min(16u, static_cast<unsigned>(CPU_COUNT(&allowed))));
  std::set<int> numbers;
  for (std::size_t i = 0; i < processors.size(); ++i) {
    EXPECT_TRUE(CPU_ISSET(processors[i].number, &allowed));
    EXPECT_GT(processors[i].call_ns, 0);
    EXPECT_GE(processors[i].call_ns, processors[i > 0 ? i - 1 : 0].call_ns);
    numbers.insert(processors[i].number);
  }
  EXPECT_EQ(numbers.size(), processors.size()) << "each once";
  cpu_set_t afterwards;
  ASSERT_EQ(sched_getaffinity(0, sizeof afterwards, &afterwards), 0);
  EXPECT_TRUE(CPU_EQUAL(&allowed, &afterwards));
}

TEST(QuickProcessor, AThreadStaysWhereItIsTold) {
  cpu_set_t allowed;
  ASSERT_EQ(sched_getaffinity(0, sizeof allowed, &allowed), 0);
  int last = CPU_SETSIZE;
  while (!CPU_ISSET(--last, &allowed)) {
  }
  std::jthread([last] {
    EXPECT_TRUE(stay_on_processor(last));
    EXPECT_EQ(sched_getcpu(), last);
    EXPECT_GT(computing_ns(), 0);
    EXPECT_EQ(sched_getcpu(), last);
  });
}

}  // namespace
}  // namespace tasktwin::gpu
