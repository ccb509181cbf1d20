// Where bodies wait for their code.
#include "sim/cores/code_fetches.hpp"

#include <gtest/gtest.h>

#include "tests/sim/small_worlds.hpp"

namespace tasktwin::sim {
namespace {

class CodeFetchesTest : public testing::Test {
 protected:
  std::int64_t wait(std::int64_t start, Kernel kernel = Kernel::kFma) { return fetches_.wait(cost_, kernel, at_ns(start)).count(); }

  KernelCost cost_{.cold = Nanoseconds{50}};
  CodeFetches fetches_;
};

TEST_F(CodeFetchesTest, AKernelsFirstBodySendsForIt) {
  EXPECT_EQ(wait(100), 50);
  EXPECT_EQ(wait(110), 40);
  EXPECT_EQ(wait(149), 1);
  EXPECT_EQ(wait(150), 0);
  EXPECT_EQ(wait(300, Kernel::kStream), 50) << "each kernel has its own";
}

TEST_F(CodeFetchesTest, ThoseToldLaterMayHaveSentForItEarlier) {
  EXPECT_EQ(wait(100), 50);
  EXPECT_EQ(wait(80), 50);
  EXPECT_EQ(wait(110), 20);
}

TEST_F(CodeFetchesTest, FromMemoryItComesLater) {
  cost_.uncached_cold = Nanoseconds{200};
  EXPECT_EQ(wait(100), 200);
  EXPECT_EQ(wait(280), 20);
  EXPECT_EQ(wait(300), 0);
}

}  // namespace
}  // namespace tasktwin::sim
