#include "verify/predict/run_statistics.hpp"
#include "models/runtimes/runtimes.hpp"

#include <cmath>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/base/random.hpp"
#include "tests/support/free_machine.hpp"
#include "tests/verify/support/cases.hpp"
#include "verify/compare/standings.hpp"

namespace tasktwin::verify {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(Distribution, IsWorkedOutByHand) {
  const std::vector<double> values{4, 1, 3, 2, 10};
  const Distribution one = distribution(values);
  EXPECT_EQ(one.runs, 5U);
  EXPECT_DOUBLE_EQ(one.mean, 4);
  EXPECT_DOUBLE_EQ(one.median, 3);
  EXPECT_DOUBLE_EQ(one.p5, 1.2);
  EXPECT_DOUBLE_EQ(one.p95, 8.8);
  EXPECT_EQ(one.min, 1);
  EXPECT_EQ(one.max, 10);
  EXPECT_DOUBLE_EQ(one.sigma, std::sqrt(50.0 / 4));
  EXPECT_EQ(distribution(std::vector<double>{7}).sigma, 0);
}

TEST(PairedDifference, HasStudentsInterval) {
  // Differences 1, 2, 3: mean 2, s 1, t(0.975, 2) = 4.30265 (any table), half width 4.30265 / √3.
  const PairedDifference three = paired_difference(std::vector<double>{11, 22, 33}, std::vector<double>{10, 20, 30});
  EXPECT_DOUBLE_EQ(three.mean, 2);
  EXPECT_NEAR(three.high - three.mean, 4.302653 / std::sqrt(3.0), 1e-5);
  EXPECT_NEAR(three.mean - three.low, 4.302653 / std::sqrt(3.0), 1e-5);
  EXPECT_FALSE(three.beyond_noise());

  // Two runs: t(0.975, 1) = 12.7062.
  const PairedDifference two = paired_difference(std::vector<double>{0, 0}, std::vector<double>{10, 12});
  EXPECT_NEAR(two.low, -11 - 12.7062, 1e-3);
}

TEST(PairedDifference, OfEqualDifferencesIsCertain) {
  const PairedDifference same = paired_difference(std::vector<double>{5, 9, 2}, std::vector<double>{4, 8, 1});
  EXPECT_EQ(same.low, 1);
  EXPECT_EQ(same.high, 1);
  EXPECT_TRUE(same.beyond_noise());
  EXPECT_FALSE(paired_difference(std::vector<double>{5, 9}, std::vector<double>{5, 9}).beyond_noise());
}

TEST(PairedDifference, CoversTheTruthNinetyFiveTimesInAHundred) {
  int covered = 0;
  constexpr int kTrials = 2000;
  Random random(5);
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<double> a;
    std::vector<double> b;
    for (int run = 0; run < 6; ++run) {
      const double shared = 100 * random.normal();  // what pairing takes out
      a.push_back(shared + 3 + random.normal());
      b.push_back(shared + random.normal());
    }
    const PairedDifference one = paired_difference(a, b);
    covered += one.low <= 3 && 3 <= one.high ? 1 : 0;
  }
  // 1900 expected, σ = √(2000 · 0.95 · 0.05) = 9.7: five of them to each side.
  EXPECT_NEAR(covered, 1900, 49);
}

Machine plain_machine() {
  Machine machine = free_machine();
  machine.compute_cores = {{.type = CoreType::kSm, .count = 2}};
  machine.control_cores.count = 1;
  return machine;
}

TaskGraph one_task(const Task& task, const TaskTraits& traits = {}) {
  TaskGraphBuilder builder;
  Task with = task;
  with.traits = builder.add_traits(traits);
  builder.add_task("one", with);
  return std::move(builder).build();
}

TEST(RandomParts, AreNamedOneByOne) {
  const Machine machine = plain_machine();
  const Design design;
  EXPECT_THAT(random_parts(one_task({}), machine, design), IsEmpty());
  EXPECT_THAT(random_parts(one_task({.cost = {.sigma_ns = 5}}), machine, design), ElementsAre(HasSubstr("sigma_ns")));
  TaskTraits sampled;
  sampled.samples = {Duration{1}, Duration{2}};
  EXPECT_THAT(random_parts(one_task({}, sampled), machine, design), ElementsAre(HasSubstr("samples_ns")));
  sampled.samples = {Duration{1}};
  EXPECT_THAT(random_parts(one_task({}, sampled), machine, design), IsEmpty()) << "one sample is always the one drawn";
  Machine spreading = machine;
  spreading.kernels[static_cast<std::size_t>(Kernel::kSpin)].spread = Nanoseconds{20};
  EXPECT_THAT(random_parts(one_task({}), spreading, design), ElementsAre(HasSubstr("spread_ns")));
  TaskTraits predicate;
  predicate.probability = 0.5;
  EXPECT_THAT(random_parts(one_task({}, predicate), machine, design), ElementsAre(HasSubstr("probability")));

  Machine varying = machine;
  varying.device_mailboxes->hop_sigma = Nanoseconds{5};
  EXPECT_THAT(random_parts(one_task({}), varying, design), ElementsAre(HasSubstr("device_mailboxes.hop_sigma_ns")));
  EXPECT_THAT(random_parts(one_task({}), varying, named_design("shared-queue")), IsEmpty()) << "no mailbox";
  const Design threads = named_design("host-dispatcher");
  EXPECT_THAT(random_parts(one_task({}), varying, threads), IsEmpty()) << "another mailbox";
  varying.host_mailboxes->hop_sigma = Nanoseconds{5};
  EXPECT_THAT(random_parts(one_task({}), varying, threads), ElementsAre(HasSubstr("host_mailboxes.hop_sigma_ns")));
  Design random_order;
  random_order.order = TaskOrder::kRandom;
  EXPECT_THAT(random_parts(one_task({}), machine, random_order), ElementsAre(HasSubstr("task order")));
  Design thief = named_design("work-stealing");
  EXPECT_THAT(random_parts(one_task({}), machine, thief), ElementsAre(HasSubstr("victims")));
  thief.victim = Victim::kNext;
  EXPECT_THAT(random_parts(one_task({}), machine, thief), IsEmpty());
  Design late;
  late.backoff_ns = 10;
  EXPECT_THAT(random_parts(one_task({}), machine, late), ElementsAre(HasSubstr("backoff_ns")));
}

Standing standing(const std::string& name, std::vector<double> makespans) {
  Standing one;
  one.design.name = name;
  one.makespans = std::move(makespans);
  return one;
}

TEST(Standings, NameTheWinnerOnlyWhenItBeatsAllBeyondNoise) {
  const std::vector<Standing> clear{standing("a", {100, 110, 120}), standing("b", {90, 99, 109}), standing("c", {200, 205, 190})};
  const auto verdicts = judge_pairs(clear);
  ASSERT_EQ(verdicts.size(), 3U);
  EXPECT_EQ(verdicts[0].faster, "b");
  EXPECT_EQ(verdicts[0].slower, "a");
  EXPECT_NEAR(verdicts[0].gain, 32.0 / 3 / 110, 1e-12);
  EXPECT_TRUE(verdicts[0].separated);
  ASSERT_NE(winner(clear, verdicts), nullptr);
  EXPECT_EQ(winner(clear, verdicts)->design.name, "b");

  const std::vector<Standing> noisy{standing("a", {100, 110, 120}), standing("b", {90, 125, 109}), standing("c", {200, 205, 190})};
  const auto noise = judge_pairs(noisy);
  EXPECT_FALSE(noise[0].separated);
  EXPECT_EQ(winner(noisy, noise), nullptr);
  EXPECT_THAT(to_text(noise[0], true), HasSubstr("no difference beyond noise between b and a"));
}

TEST(Standings, OfRunsThatNeverVaryNeedNoInterval) {
  const std::vector<Standing> certain{standing("a", {100}), standing("b", {80})};
  const auto verdicts = judge_pairs(certain);
  EXPECT_DOUBLE_EQ(verdicts[0].gain, 0.2);
  EXPECT_EQ(to_text(verdicts[0], false), "b is faster than a by 20.0 %");
  EXPECT_EQ(winner(certain, verdicts)->design.name, "b");

  const std::vector<Standing> equal{standing("a", {100}), standing("b", {100})};
  EXPECT_EQ(winner(equal, judge_pairs(equal)), nullptr);
  EXPECT_EQ(to_text(judge_pairs(equal)[0], false), "a and b are equal");
}

TEST(Standings, HoldADesignThatNeverVariesAgainstEachRunOfAnother) {
  const std::vector<Standing> mixed{standing("a", {100}), standing("b", {80, 90, 100})};
  const auto verdicts = judge_pairs(mixed);
  EXPECT_EQ(verdicts[0].faster, "b");
  EXPECT_FALSE(verdicts[0].separated);
  EXPECT_NEAR(verdicts[0].high, (10 + 4.302653 * 10 / std::sqrt(3.0)) / 100, 1e-6);
}

}  // namespace
}  // namespace tasktwin::verify
