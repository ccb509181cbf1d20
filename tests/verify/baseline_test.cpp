// Gates: what they catch, and how often they are wrong.
#include "verify/baseline.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/error.hpp"
#include "models/random.hpp"
#include "tests/verify/support/cases.hpp"

namespace tasktwin::verify {
namespace {

using testing::HasSubstr;

constexpr int kSeeds = 1000;
constexpr int kRuns = 20;
constexpr double kLimit = 0.02;

/// Runs of a design whose makespan varies by `sigma`, a fraction of it, part of which the seed decides.
struct Runs {
  std::vector<double> before;
  std::vector<double> now;
};

Runs drawn(std::uint64_t seed, double slower, double common, double own) {
  Random random(seed);
  Runs runs;
  for (int run = 0; run < kRuns; ++run) {
    const double shared = 1 + common * random.normal();
    runs.before.push_back(100'000 * (shared + own * random.normal()));
    runs.now.push_back(100'000 * (1 + slower) * (shared + own * random.normal()));
  }
  return runs;
}

int alarms(double slower, double common, double own, bool paired) {
  int count = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Runs runs = drawn(seed, slower, common, own);
    count += slowdown(runs.now, runs.before, paired).low > kLimit;
  }
  return count;
}

TEST(Gate, IsWrongInAtMostOneOfAHundredThatAreNoSlower) {
  EXPECT_LE(alarms(0, 0.05, 0.01, true), kSeeds / 100);
  EXPECT_LE(alarms(0, 0.05, 0.01, false), kSeeds / 100);
  EXPECT_LE(alarms(kLimit, 0, 0.004, true), 2 * kSeeds / 100) << "just at the limit, in one of a hundred";
}

TEST(Gate, CatchesThreePerCentWhereTwoAreTheLimit) {
  EXPECT_GE(alarms(0.03, 0.05, 0.004, true), 99 * kSeeds / 100) << "the seeds' own part is taken out";
  EXPECT_GE(alarms(0.03, 0, 0.004, false), 99 * kSeeds / 100);
}

TEST(Gate, IsExactWhereNothingVaries) {
  const Slowdown by = slowdown(std::vector{103.0}, std::vector{100.0}, true);
  EXPECT_DOUBLE_EQ(by.mean, 0.03);
  EXPECT_DOUBLE_EQ(by.low, 0.03);
}

TEST(Baseline, SaysWhatIsWrongWithItsFile) {
  const tests::TemporaryFolder folder;
  const std::string file = (folder / "baseline.json").string();
  const auto refused = [&file](const std::string& text) -> std::string {
    tests::write_text(file, text);
    try {
      read_baseline(file);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(refused("{"), HasSubstr("baseline.json: is no JSON"));
  EXPECT_THAT(refused("{}"), HasSubstr("scenario: is missing"));
  EXPECT_THAT(refused(R"({"scenario": "s", "machine_hash": "h", "seed": 1, "designs": [{"design": "a"}]})"),
              HasSubstr("designs[0].makespans_ns: is missing"));
  EXPECT_EQ(refused(R"({"scenario": "s", "machine_hash": "h", "seed": 1, "designs": [{"design": "a", "makespans_ns": [5], "path": {}}]})"),
            "");
}

}  // namespace
}  // namespace tasktwin::verify
