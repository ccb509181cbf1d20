// The processor that the host launches from; no GPU.
#include "gpu/quick_processor.hpp"

#include <chrono>

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

}  // namespace
}  // namespace tasktwin::gpu
