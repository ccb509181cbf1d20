// What a run uses that may never end is not destroyed; the run is made up.
#include "gpu/run/unended_run.hpp"

#include <gtest/gtest.h>

namespace tasktwin::gpu {
namespace {

struct Buffer {
  explicit Buffer(int& destroyed) : destroyed_(destroyed) {}
  ~Buffer() { ++destroyed_; }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

 private:
  int& destroyed_;
};

TEST(UnendedRun, LeavesWhatItUses) {
  int destroyed = 0;
  auto buffer = std::make_unique<Buffer>(destroyed);
  Buffer* const left = buffer.get();
  EXPECT_THROW(use_or_leave(std::move(buffer), [](Buffer&) -> int { throw UnendedRun("it does not end"); }), UnendedRun);
  EXPECT_EQ(destroyed, 0);
  delete left;
}

TEST(UnendedRun, IsNoOtherError) {
  int destroyed = 0;
  EXPECT_THROW(use_or_leave(std::make_unique<Buffer>(destroyed), [](Buffer&) -> int { throw std::runtime_error("a fault"); }),
               std::runtime_error);
  EXPECT_EQ(destroyed, 1);
}

TEST(UnendedRun, IsNoneWhereTheRunEnds) {
  int destroyed = 0;
  EXPECT_EQ(use_or_leave(std::make_unique<Buffer>(destroyed), [](Buffer&) { return 7; }), 7);
  EXPECT_EQ(destroyed, 1);
}

}  // namespace
}  // namespace tasktwin::gpu
