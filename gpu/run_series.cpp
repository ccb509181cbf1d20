#include "gpu/run_series.hpp"

#include <algorithm>

#include "gpu/steadiest.hpp"

namespace tasktwin::gpu {

namespace {

constexpr double kSteadySpread = 0.03;

RunResult run_steadily(Executor& executor, RunMode mode) {
  return steadiest(
      kSteadyPace, [&] { return executor.run(mode); }, [](const RunResult& result) { return result.host_drift; });
}

RunSeries take_series(Executor& executor, int repeats, bool stamps) {
  RunSeries series;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    const RunResult plain = run_steadily(executor, RunMode::kPlain);
    series.makespans.push_back(plain.makespan);
    series.host_calls.push_back(plain.host_call_ns);
    if (!stamps) continue;
    series.stamped.push_back(run_steadily(executor, RunMode::kStamped));
    series.stamped_makespans.push_back(series.stamped.back().makespan);
    series.host_calls.push_back(series.stamped.back().host_call_ns);
  }
  return series;
}

}  // namespace

double RunSeries::spread() const {
  std::vector<Duration> sorted = makespans;
  std::ranges::sort(sorted);
  const std::size_t n = sorted.size();
  const Duration middle_half = sorted[n - 1 - n / 4] - sorted[n / 4];
  return static_cast<double>(middle_half.count()) / std::max(1.0, static_cast<double>(sorted[n / 2].count()));
}

RunSeries run_series(Executor& executor, int repeats, bool stamps) {
  return steadiest(
      kSteadySpread, [&] { return take_series(executor, repeats, stamps); }, [](const RunSeries& series) { return series.spread(); });
}

}  // namespace tasktwin::gpu
