// Where bodies wait for their code.
#include "sim/cores/code_fetches.hpp"

#include <gtest/gtest.h>

#include "tests/sim/small_worlds.hpp"

namespace tasktwin::sim {
namespace {

/// Of a machine of six cores, the first and the last two of which are on one of two GPCs.
class CodeFetchesTest : public testing::Test {
 protected:
  static Machine of_two_gpcs() {
    Machine machine = plain_machine(6);
    machine.compute_cores.front().memory_ports = {7, 3, 7, 7, 3, 7};  // of blocks, in an order of their own
    machine.compute_cores.front().memory_queues = {0, 1, 1, 3, 2, 2};
    return machine;
  }

  std::int64_t wait(std::uint32_t core, std::int64_t start, Kernel kernel = Kernel::kFma) {
    return fetches_.wait(cost_, kernel, CoreId{core}, at_ns(start)).count();
  }

  KernelCost cost_{.cold = Nanoseconds{50}};
  Machine machine_ = of_two_gpcs();
  std::vector<CoreType> cores_ = std::vector<CoreType>(6, machine_.compute_cores.front().type);
  CodeFetches fetches_{machine_, cores_};
};

TEST_F(CodeFetchesTest, AKernelsFirstBodyOnAGpcSendsForIt) {
  EXPECT_EQ(wait(1, 100), 50);
  EXPECT_EQ(wait(2, 110), 40);
  EXPECT_EQ(wait(3, 149), 1);
  EXPECT_EQ(wait(1, 150), 0);
  EXPECT_EQ(wait(0, 200), 50) << "the other one has not got it";
  EXPECT_EQ(wait(5, 230), 20);
  EXPECT_EQ(wait(4, 300), 0);
  EXPECT_EQ(wait(4, 300, Kernel::kStream), 50) << "each kernel has its own";
}

TEST_F(CodeFetchesTest, ThoseToldLaterMayHaveSentForItEarlier) {
  EXPECT_EQ(wait(0, 100), 50);
  EXPECT_EQ(wait(4, 80), 50);
  EXPECT_EQ(wait(5, 110), 20);
}

TEST_F(CodeFetchesTest, WhatComesFromMemoryComesForAllAtOnceAndLateOnesFetchItFromTheDevicesCache) {
  cost_.uncached_cold = Nanoseconds{200};
  EXPECT_EQ(wait(0, 100), 200);
  EXPECT_EQ(wait(4, 280), 20);
  EXPECT_EQ(wait(1, 290), 50) << "the first one of the other GPC";
  EXPECT_EQ(wait(2, 340), 0);
}

TEST(CodeFetches, OneCacheServesAllWhereTheMachineTellsNoGpcs) {
  const KernelCost cost{.cold = Nanoseconds{50}};
  const std::vector<CoreType> cores(4, plain_machine(4).compute_cores.front().type);
  CodeFetches fetches(plain_machine(4), cores);
  EXPECT_EQ(fetches.wait(cost, Kernel::kFma, CoreId{0}, at_ns(100)), Duration{50});
  EXPECT_EQ(fetches.wait(cost, Kernel::kFma, CoreId{3}, at_ns(130)), Duration{20});
}

}  // namespace
}  // namespace tasktwin::sim
