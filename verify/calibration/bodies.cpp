#include <algorithm>
#include <map>

#include "verify/calibration/body_times.hpp"
#include "verify/calibration/calibration.hpp"
#include "verify/calibration/fit.hpp"
#include "verify/calibration/kernel_phases.hpp"
#include "verify/calibration/micro_graphs.hpp"

namespace tasktwin::verify {

namespace {

/// `tasks` over and over, `count` of them.
std::vector<Task> cycled(const std::vector<Task>& tasks, std::size_t count) {
  std::vector<Task> result;
  for (std::size_t i = 0; i < count; ++i) result.push_back(tasks[i % tasks.size()]);
  return result;
}

constexpr std::size_t kWaves = 8;
constexpr std::size_t kWidth = 128;

/// What one thread does by itself: nothing is added to the phases around it.
void calibrate_single_threads(Calibration& calibration) {
  for (const auto& [kernel, method] :
       {std::pair{Kernel::kEmpty, "started to ended of empty bodies"}, {Kernel::kSpin, "started to ended of bodies that spin for 0 ns"}}) {
    const BodyProbe probe{.tasks = cycled({sized_task(kernel, {}, 0, 0)}, 4000), .problem = {}, .between = {}, .width = 0};
    calibration.set_kernel(kernel, {.overhead = Nanoseconds{measure_bodies(calibration, probe).warm}}, method);
  }
}

void calibrate_arithmetic(Calibration& calibration) {
  std::vector<Observation> times;
  KernelPhases phases;
  for (const std::int64_t flops : {200'000, 1'000'000, 5'000'000}) {
    const BodyProbe probe{.tasks = cycled({sized_task(Kernel::kFma, {}, flops, 0)}, kWaves * kWidth), .problem = {}, .between = {}};
    const BodyTimes seen = measure_bodies(calibration, probe);
    times.push_back({{1.0, static_cast<double>(flops)}, seen.warm});
    phases.add(seen, measure_publishing(calibration, probe));
  }
  const std::vector<Estimate> fitted = fit_constants(times);
  calibration.set_kernel(Kernel::kFma, phases.in({.overhead = Nanoseconds{fitted[0]}, .arithmetic = {{1e6, 1e6 * fitted[1]}}}),
                         "bodies of 0.2, 1 and 5 Mflop in waves of 128, least squares");
}

/// The tiles of a factorisation, without its dependencies: their numbers mean nothing then, but their times do. Tiles of a wave differ.
void calibrate_cholesky(Calibration& calibration) {
  constexpr int kTiles = 32;
  std::map<Kernel, std::vector<KernelCost::Point>> points;
  std::map<Kernel, KernelPhases> phases;
  for (const int size : {32, 64, 96, 128}) {
    std::map<Kernel, std::vector<Task>> tasks;
    const std::int64_t b = size;
    for (int k = 0; k < kTiles; ++k) {
      tasks[Kernel::kPotrf].push_back(sized_task(Kernel::kPotrf, {k, k, k, size}, b * b * b / 3, 0));
      for (int i = k + 1; i < kTiles; ++i) {
        tasks[Kernel::kTrsm].push_back(sized_task(Kernel::kTrsm, {i, k, k, size}, b * b * b, 0));
        tasks[Kernel::kSyrk].push_back(sized_task(Kernel::kSyrk, {i, i, k, size}, b * b * b + b * b, 0));
        for (int j = k + 1; j < i; ++j) tasks[Kernel::kGemm].push_back(sized_task(Kernel::kGemm, {i, j, k, size}, 2 * b * b * b, 0));
      }
    }
    for (const auto& [kernel, list] : tasks) {
      const std::size_t width = std::min(kWidth, list.size());
      const BodyProbe probe{
          .tasks = cycled(list, kWaves * width), .problem = CholeskyProblem{kTiles, size}, .between = {}, .width = static_cast<int>(width)};
      const BodyTimes seen = measure_bodies(calibration, probe);
      points[kernel].push_back({static_cast<double>(list.front().cost.flops.count), seen.warm});
      phases[kernel].add(seen, measure_publishing(calibration, probe));
    }
  }
  for (const auto& [kernel, curve] : points) {
    calibration.set_kernel(kernel, phases[kernel].in({.arithmetic = curve}), "bodies on tiles of 32, 64, 96 and 128 rows in waves, mean");
  }
}

}  // namespace

void calibrate_bodies(Calibration& calibration) {
  calibrate_single_threads(calibration);
  calibrate_arithmetic(calibration);
  calibrate_cholesky(calibration);
  calibrate_streaming_bodies(calibration);
}

}  // namespace tasktwin::verify
