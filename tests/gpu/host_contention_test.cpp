// What threads of the host share holds them up: measured on the host at hand.
#include <gtest/gtest.h>

#include "gpu/launch_probes.hpp"

namespace tasktwin::gpu {
namespace {

TEST(HostContention, ThreadsHoldEachOtherUp) {
  const HostContentionTimes times = probe_host_contention(2);
  EXPECT_GT(times.queue_ns, 0);
  EXPECT_GE(times.line_ns, 0);
  EXPECT_GT(times.contended_queue_ns, 0);
}

}  // namespace
}  // namespace tasktwin::gpu
