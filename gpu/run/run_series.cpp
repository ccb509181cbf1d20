#include "gpu/run/run_series.hpp"

#include "gpu/host/steadiest.hpp"

namespace tasktwin::gpu {

namespace {

constexpr double kSteadySpread = 0.03;
constexpr int kRunTries = 6;

template <class Run>
RunSeries take_series(const Run& run, int repeats, bool stamps) {
  RunSeries series;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    const RunResult plain = run(RunMode::kPlain);
    series.makespans.push_back(plain.makespan);
    series.host_calls.push_back(plain.host_call_ns);
    if (!stamps) continue;
    series.stamped.push_back(run(RunMode::kStamped));
    series.stamped_makespans.push_back(series.stamped.back().makespan);
    series.host_calls.push_back(series.stamped.back().host_call_ns);
  }
  return series;
}

}  // namespace

double RunSeries::spread() const {
  std::vector<double> times;
  for (const Duration makespan : makespans) times.push_back(static_cast<double>(makespan.count()));
  return middle_spread(times);
}

RunResult run_steadily(Executor& executor, RunMode mode) {
  return steadiest(
      kSteadyPace, [&] { return executor.run(mode); }, &RunResult::host_disturbance, kRunTries);
}

RunSeries run_series(Executor& executor, int repeats, bool stamps, Again again) {
  const auto run = [&](RunMode mode) { return again == Again::kRunsAndSeries ? run_steadily(executor, mode) : executor.run(mode); };
  const auto take = [&] { return take_series(run, repeats, stamps); };
  return again == Again::kNothing ? take() : steadiest(kSteadySpread, take, &RunSeries::spread);
}

}  // namespace tasktwin::gpu
