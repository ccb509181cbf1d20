// The table of executors, which needs no GPU.
#include <gtest/gtest.h>

#include <algorithm>

#include "gpu/executors.hpp"

namespace tasktwin::gpu {
namespace {

TEST(Executors, ThereIsOneForAllThatIsSaidToBeSupported) {
  EXPECT_EQ(executors().size(), all_supported().size());
  for (const Supported* const supported : all_supported())
    EXPECT_EQ(std::ranges::count(executors(), supported, &ExecutorEntry::supported), 1);
}

}  // namespace
}  // namespace tasktwin::gpu
