// How the cores fall into shares, and which divisions there are.
#include "models/design/core_shares.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/base/error.hpp"
#include "models/runtimes/runtimes.hpp"
#include "tests/models/design_refusal.hpp"
#include "tests/support/free_machine.hpp"

namespace tasktwin {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Machine sms(int count, int granularity) {
  Machine machine = free_machine();
  machine.name = "sms";
  machine.compute_cores = {{CoreType::kSm, count}};
  machine.launch_limits.partition_granularity = granularity;
  return machine;
}

Design divided(int percent) {
  Design design = named_design("cuda-streams");
  design.name = "divided";
  design.stream_granularity = StreamGranularity::kPerTaskType;
  design.partition = percent;
  return design;
}

TEST(CoreShares, AreAtLeastWhatIsAskedForInWholeGroups) {
  // 132 SMs in eights: 50 per cent are 66, so 72; 54 per cent are 71.28, so 72; 55 per cent are 72.6, so 80.
  const Machine h200 = sms(132, 8);
  EXPECT_EQ(first_share(132, divided(1), h200), 8);
  EXPECT_EQ(first_share(132, divided(50), h200), 72);
  EXPECT_EQ(first_share(132, divided(54), h200), 72);
  EXPECT_EQ(first_share(132, divided(55), h200), 80);
  for (const int any : {0, 1}) {
    EXPECT_EQ(first_share(132, divided(50), sms(132, any)), 66);
    EXPECT_EQ(first_share(132, divided(1), sms(132, any)), 2);  // 1.32
  }
}

TEST(CoreShares, TakeTheLowestCoresOfEachTypeFirst) {
  const std::vector<CoreType> cores{CoreType::kAic, CoreType::kAic, CoreType::kAiv, CoreType::kAic, CoreType::kAiv, CoreType::kAiv};
  EXPECT_THAT(core_shares(cores, divided(34), sms(6, 0)), ElementsAre(0, 0, 0, 1, 0, 1));  // 1.02 of three are two
  EXPECT_THAT(core_shares(cores, divided(33), sms(6, 0)), ElementsAre(0, 1, 0, 1, 1, 1));
  EXPECT_THAT(core_shares(cores, divided(0), sms(6, 0)), ElementsAre(0, 0, 0, 0, 0, 0));
}

TEST(CoreShares, MatrixKernelsHaveTheFirst) {
  EXPECT_EQ(share_of(divided(50), Kernel::kGemm), 0);
  EXPECT_EQ(share_of(divided(50), Kernel::kFma), 0);
  EXPECT_EQ(share_of(divided(50), Kernel::kSpin), 1);
  EXPECT_EQ(share_of(divided(50), Kernel::kStream), 1);
  EXPECT_EQ(share_of(divided(0), Kernel::kSpin), 0);
}

TEST(Partition, IsRefusedWhereTheSecondShareWouldBeEmpty) {
  EXPECT_EQ(refusal(divided(93), sms(132, 8)), "");  // 122.76, so 128
  EXPECT_EQ(refusal(divided(96), sms(132, 8)), "");  // 126.72
  EXPECT_THAT(refusal(divided(97), sms(132, 8)),     // 128.04, so 136
              HasSubstr("partition is 97, but of the 132 cores of type 'sm' of machine 'sms' that leaves none"));
  EXPECT_EQ(refusal(divided(99), sms(132, 0)), "");  // 130.68, so 131
  EXPECT_THAT(refusal(divided(99), sms(99, 0)), HasSubstr("leaves none"));
  EXPECT_THAT(refusal(divided(1), sms(1, 0)), HasSubstr("leaves none"));
}

TEST(Partition, IsRefusedWhereAStreamIsOfNoShare) {
  Design design = divided(50);
  design.default_stream = DefaultStream::kLegacy;
  EXPECT_THAT(refusal(design, sms(4, 0)), HasSubstr("partition cannot have default_stream 'legacy'"));
  design.default_stream = DefaultStream::kPerThread;
  EXPECT_THAT(refusal(design, sms(4, 0)), HasSubstr("partition cannot have default_stream 'per_thread'"));
  design = divided(50);
  design.stream_granularity = StreamGranularity::kPerCore;
  EXPECT_THAT(refusal(design, sms(4, 0)), HasSubstr("partition has no effect here"));
}

TEST(Partition, IsRefusedWhereCoresStandInClusters) {
  Machine machine = sms(4, 0);
  machine.compute_cores = {{CoreType::kAic, 4, 1}, {CoreType::kAiv, 8, 2}};
  EXPECT_THAT(refusal(divided(50), machine), HasSubstr("stand in clusters"));
}

}  // namespace
}  // namespace tasktwin
