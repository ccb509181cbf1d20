// What the host spends on each task where a captured program's work is launched another way.
#include <gmock/gmock.h>

#include "tests/models/host_programs.hpp"

namespace tasktwin {
namespace {

using testing::ElementsAre;
using testing::Field;

auto named(std::uint32_t name, std::int64_t time) {
  return testing::AllOf(Field(&NamedTime::name, name), Field(&NamedTime::time, Duration{time}));
}

/// A launch and a synchronisation, each after calls that order nothing, then a launch in a range.
HostProgram with_calls() {
  return HostProgramBuilder(1)
      .call({.kind = HostCallKind::kLaunch, .first = task_id(0), .tasks = 1, .within = {{1, Duration{60}}}}, 100, 10)
      .call({.kind = HostCallKind::kDeviceSync, .within = {{1, Duration{20}}, {2, Duration{5}}}}, 50, 30)
      .call({.kind = HostCallKind::kLaunch, .first = task_id(1), .tasks = 1, .within = {{1, Duration{7}}}, .ranges = {{3, Duration{9}}}},
            40, 11)
      .build();
}

TEST(HostShares, TellCallsThatAreStillMadeFromOwnTime) {
  const std::vector<HostShare> shares = host_shares(with_calls(), 2);
  EXPECT_EQ(shares[0].own, Duration{100});
  EXPECT_THAT(shares[0].within, ElementsAre(named(1, 60)));
  EXPECT_EQ(shares[1].own, Duration{90});
  EXPECT_THAT(shares[1].within, ElementsAre(named(1, 27), named(2, 5)));
  EXPECT_THAT(shares[1].ranges, ElementsAre(named(3, 9)));
}

TEST(HostShares, HaveOfACallOnlyWhatNoOtherThreadHides) {
  HostProgramBuilder calls(1);
  calls.launch(0, 0, 100, 50, 0);
  calls.call({.kind = HostCallKind::kLaunch, .first = task_id(1), .tasks = 1, .within = {{1, Duration{90}}}}, 170, 50, 1);
  const std::vector<HostShare> shares = host_shares(calls.build(), 2);
  EXPECT_EQ(shares[1].own, Duration{20});
  EXPECT_THAT(shares[1].within, ElementsAre(named(1, 20)));
}

TEST(HostShares, AreTheSameOfOneThread) {
  HostProgramBuilder calls(1);
  calls.launch(0, 0, 100, 50, 0).launch(1, 0, 120, 50, 1).call({.kind = HostCallKind::kDeviceSync}, 30, 500, 1).launch(2, 0, 90, 20, 0);
  for (const HostProgram& program : {with_calls(), calls.build()}) {
    const std::size_t tasks = program.threads.size() > 1 ? 3 : 2;
    const std::vector<HostShare> shares = host_shares(program, tasks);
    const HostProgram one = on_one_thread(program, tasks);
    EXPECT_EQ(one.threads.size(), 1u);
    const std::vector<HostShare> same = host_shares(one, tasks);
    for (std::size_t i = 0; i < tasks; ++i) {
      EXPECT_EQ(same[i].own, shares[i].own) << i;
      EXPECT_EQ(same[i].launch, shares[i].launch) << i;
      EXPECT_EQ(same[i].within.size(), shares[i].within.size()) << i;
    }
  }
}

TEST(HostShares, WithoutTheHostsTimeNothingIsLeft) {
  for (const HostShare& share : host_shares(without_host_time(with_calls()), 2)) {
    EXPECT_EQ(share.own, Duration{0});
    EXPECT_EQ(share.launch, Duration{0});
  }
}

TEST(HostShares, WithoutLaunchesOrOtherCallsTheRestStays) {
  const std::vector<HostShare> unlaunched = host_shares(without(with_calls(), HostPart::kLaunch), 2);
  EXPECT_EQ(unlaunched[0].launch, Duration{0});
  EXPECT_EQ(unlaunched[0].own, Duration{100});
  const std::vector<HostShare> alone = host_shares(without(with_calls(), HostPart::kOther), 2);
  EXPECT_EQ(alone[0].launch, Duration{10});
  EXPECT_EQ(alone[0].own, Duration{40});
}

}  // namespace
}  // namespace tasktwin
