// What is measured where runs are disturbed; the runs are made up.
#include "gpu/run/run_series.hpp"

#include <gtest/gtest.h>

namespace tasktwin::gpu {
namespace {

using namespace std::chrono_literals;

struct MadeUp {
  Duration makespan;
  double host_disturbance = 0;
};

/// Gives plain runs one after the other, the last again and again; stamped ones take 1 us longer and are steady.
class MadeUpExecutor final : public Executor {
 public:
  explicit MadeUpExecutor(std::vector<MadeUp> runs) : runs_(std::move(runs)) {}

  RunResult run(RunMode mode) override {
    modes.push_back(mode);
    RunResult result;
    const MadeUp& plain = runs_[std::min(next_, runs_.size() - 1)];
    result.makespan = mode == RunMode::kStamped ? last_ + 1us : plain.makespan;
    result.host_disturbance = mode == RunMode::kStamped ? 0 : plain.host_disturbance;
    result.host_call_ns = static_cast<double>(modes.size());
    if (mode == RunMode::kPlain) {
      last_ = plain.makespan;
      ++next_;
    }
    return result;
  }
  std::optional<Residual> check_result() override { return std::nullopt; }

  std::vector<RunMode> modes;

 private:
  std::vector<MadeUp> runs_;
  std::size_t next_ = 0;
  Duration last_{};
};

TEST(RunSeries, HasPlainAndStampedRunsByTurns) {
  MadeUpExecutor executor({{100us}, {101us}, {102us}});
  const RunSeries series = run_series(executor, 3, true);
  EXPECT_EQ(series.makespans, (std::vector<Duration>{100us, 101us, 102us}));
  EXPECT_EQ(series.stamped_makespans, (std::vector<Duration>{101us, 102us, 103us}));
  EXPECT_EQ(series.stamped.size(), 3u);
  EXPECT_EQ(series.host_calls.size(), 6u);
  EXPECT_EQ(executor.modes, (std::vector<RunMode>{RunMode::kPlain, RunMode::kStamped, RunMode::kPlain, RunMode::kStamped, RunMode::kPlain,
                                                  RunMode::kStamped}));
}

TEST(RunSeries, MakesARunAgainInWhichTheHostsPaceChanged) {
  MadeUpExecutor executor({{150us, 0.3}, {110us, 0.2}, {140us, 0.25}, {130us, 0.3}, {120us, 0.4}, {160us, 0.3}, {100us, 0.05}});
  const RunSeries series = run_series(executor, 1, false);
  EXPECT_EQ(series.makespans, std::vector<Duration>{110us}) << "the steadiest of six";
  EXPECT_EQ(series.host_calls, std::vector<double>{2}) << "and its pace";
  EXPECT_EQ(executor.modes.size(), 6u);
}

TEST(RunSeries, IsContentWithTheFirstRunThatIsSteady) {
  MadeUpExecutor executor({{150us, 0.3}, {110us, 0.05}, {100us, 0}});
  const RunResult result = run_steadily(executor, RunMode::kPlain);
  EXPECT_EQ(result.makespan, 110us);
  EXPECT_EQ(executor.modes.size(), 2u);
}

TEST(RunSeries, TakesASeriesAgainThatIsSpreadAndKeepsTheSteadiest) {
  // Middle halves from 110 to 130 of 120 us, then from 206 to 210 of 208.
  MadeUpExecutor executor({{100us}, {120us}, {140us}, {110us}, {130us}, {200us}, {206us}, {214us}, {208us}, {210us}});
  const RunSeries series = run_series(executor, 5, false);
  EXPECT_EQ(series.makespans, (std::vector<Duration>{200us, 206us, 214us, 208us, 210us})) << "though it is slower";
  EXPECT_NEAR(series.spread(), 4.0 / 208, 1e-12);
  EXPECT_EQ(executor.modes.size(), 10u) << "which is steady enough";
}

TEST(RunSeries, ComesToAnEndWhereNothingIsSteady) {
  std::vector<MadeUp> runs;
  for (int i = 0; i < 100; ++i) runs.push_back({(i % 5 + 1) * 100us, 1});
  MadeUpExecutor executor(runs);
  EXPECT_EQ(run_series(executor, 4, false).makespans.size(), 4u);
  EXPECT_EQ(executor.modes.size(), 3u * 4 * 6);
}

}  // namespace
}  // namespace tasktwin::gpu
