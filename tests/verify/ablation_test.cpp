#include "verify/compare/ablation.hpp"
#include "models/runtimes/runtimes.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/verify/support/cases.hpp"

namespace tasktwin::verify {
namespace {

using testing::HasSubstr;
using testing::Not;

/// Recordings of a scenario that are what the simulator says of it.
RecordedSelections as_predicted(const tests::TemporaryFolder& folder) {
  tests::write_text(folder / "tiny.yaml", tests::kTinyScenario);
  RecordedSelections recorded;
  Selection& selection = recorded.selections.emplace_back();
  selection.scenario = scenarios::load_scenario((folder / "tiny.yaml").string());
  selection.designs = {named_design("cuda-streams"), named_design("static-queues")};
  std::vector<RecordedCase>& cases = recorded.measured.emplace_back();
  for (const Design& design : selection.designs) {
    RecordedCase& one = cases.emplace_back();
    one.makespans = {predict_median(selection.scenario, design).timeline.makespan()};
  }
  return recorded;
}

TEST(Ablation, SaysWhatEachPartBuysTheDesignThatNeedsItMost) {
  const tests::TemporaryFolder folder;
  Progress progress;
  const std::vector<Ablation> all = ablate(as_predicted(folder), progress);
  const auto row = [&all](std::string_view part) { return *std::ranges::find(all, part, &Ablation::part); };
  const Ablation launch = row("host_calls.launch_ns");
  EXPECT_EQ(launch.design, "cuda-streams");
  EXPECT_EQ(launch.cases, 1u);
  EXPECT_EQ(launch.p95_with, 0);
  EXPECT_GT(launch.p95_without, 0.05);
  EXPECT_TRUE(launch.pays());
  EXPECT_EQ(row("resident_cores.counter_hop_ns").design, "static-queues");
  EXPECT_TRUE(std::ranges::is_sorted(all, std::greater{}, &Ablation::buys));
  EXPECT_EQ(std::ranges::find(all, "barriers.leave_ns", &Ablation::part), all.end()) << "no case reads it";
  EXPECT_EQ(std::ranges::find(all, "kernels.*.cold_ns", &Ablation::part), all.end()) << "spinning bodies have none";
}

TEST(Ablation, TheTableHasWhatPaysAlone) {
  const std::vector<Ablation> ablations{
      {.machine = "m", .part = "pays", .cases = 3, .design = "hybrid", .p95_with = 0.05, .p95_without = 0.06},
      {.machine = "m", .part = "idle", .cases = 3, .design = "hybrid", .p95_with = 0.05, .p95_without = 0.052}};
  const std::string table = ablations_to_markdown(ablations);
  EXPECT_THAT(table, HasSubstr("| `pays` | `m` | 3 | `hybrid` | 5.0 % | 6.0 % |"));
  EXPECT_THAT(table, Not(HasSubstr("idle")));
  EXPECT_THAT(ablations_to_text(ablations), HasSubstr("1 of 2 parts of the model buy some design 0.3 % or more"));
}

}  // namespace
}  // namespace tasktwin::verify
