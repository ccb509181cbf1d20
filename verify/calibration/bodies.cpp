#include <algorithm>
#include <array>
#include <chrono>
#include <map>

#include "verify/calibration/body_times.hpp"
#include "verify/calibration/calibration.hpp"
#include "verify/calibration/fit.hpp"
#include "verify/calibration/kernel_phases.hpp"
#include "verify/calibration/micro_graphs.hpp"

namespace tasktwin::verify {

namespace {

using namespace std::chrono_literals;

/// `tasks` over and over, `count` of them.
std::vector<Task> cycled(const std::vector<Task>& tasks, std::size_t count) {
  std::vector<Task> result;
  for (std::size_t i = 0; i < count; ++i) result.push_back(tasks[i % tasks.size()]);
  return result;
}

constexpr std::size_t kWaves = 8;
constexpr std::size_t kWidth = 128;

/// One body at a time, behind a wave of others, as a factorisation has it of its potrf: its code has to be fetched anew.
BodyProbe lonely(BodyProbe probe, std::vector<Task> others) {
  constexpr std::size_t kBodies = 40;
  others.resize(std::min(others.size(), kWidth / 2));
  probe.tasks.resize(std::min(probe.tasks.size(), kBodies));
  probe.between = {std::move(others)};
  probe.width = 1;
  return probe;
}

/// What one thread does by itself: nothing is added to the phases around it. A spinning thread ends on a step of its loop, so what
/// it takes beyond the time asked for differs from time to time.
void calibrate_single_threads(Calibration& calibration) {
  const auto warm = [&calibration](const Task& task) {
    return measure_bodies(calibration, {.tasks = cycled({task}, 4000), .problem = {}, .between = {}, .width = 0}).warm;
  };
  calibration.set_kernel(Kernel::kEmpty, {.overhead = Nanoseconds{warm(sized_task(Kernel::kEmpty, {}, 0, 0))}},
                         "started to ended of empty bodies");
  constexpr std::array kTimes{700ns, 1300ns, 2230ns, 3570ns, 5110ns, 8350ns};
  Nanoseconds beyond{};
  for (const auto time : kTimes) beyond += Nanoseconds{warm(spin_task(time))} - Nanoseconds{time};
  calibration.set_kernel(Kernel::kSpin, {.overhead = beyond / static_cast<double>(kTimes.size())},
                         "started to ended of bodies that spin for 0.7 to 8.4 us, beyond that, mean");
}

void calibrate_arithmetic(Calibration& calibration, const BesideBodies& beside) {
  std::vector<Observation> times;
  KernelPhases phases;
  KernelCost cost;
  for (const std::int64_t flops : {200'000, 1'000'000, 5'000'000}) {
    const BodyProbe probe{.tasks = cycled({sized_task(Kernel::kFma, {}, flops, 0)}, kWaves * kWidth), .problem = {}, .between = {}};
    const BodyTimes seen = measure_bodies(calibration, probe);
    times.push_back({{1.0, static_cast<double>(flops)}, seen.warm});
    phases.add(seen, measure_publishing(calibration, probe));
    phases.add_launched(measure_launched(calibration, probe, seen.warm, "cuda-graph"),
                        measure_launched(calibration, probe, seen.warm, "dynamic-parallelism"));
    BodyProbe uncached = probe;
    uncached.ahead = {sized_task(Kernel::kStream, {}, 0, 16)};
    phases.add_cold(measure_bodies(calibration, uncached));
    if (flops == 1'000'000) beside.measure(calibration, probe, cost);
  }
  const std::vector<Estimate> fitted = fit_constants(times);
  cost.overhead = Nanoseconds{fitted[0]};
  cost.arithmetic = {{1e6, 1e6 * fitted[1]}};
  calibration.set_kernel(Kernel::kFma, phases.in(cost), "bodies of 0.2, 1 and 5 Mflop in waves of 128, least squares");
}

/// Of `kTiles` x `kTiles` tiles of `size` rows, without their dependencies: their numbers mean nothing then, but their times do.
constexpr int kTiles = 32;
constexpr int kTileStep = 16;  // of the sizes that there are, and the smallest
constexpr int kLargestTile = 128;

std::map<Kernel, std::vector<Task>> tile_tasks(int size) {
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
  return tasks;
}

/// Every size that the bodies take: their code differs from one to the next, by how many entries a thread has and how it loads them. What
/// is the same for all sizes is measured on four of them. Tiles of a wave differ. They share the L2 cache, so they are timed in the company
/// of about half of the cores, between few and all.
void calibrate_cholesky(Calibration& calibration, const BesideBodies& beside) {
  std::map<Kernel, KernelCost> costs;
  std::map<Kernel, KernelPhases> phases;
  for (int size = kTileStep; size <= kLargestTile; size += kTileStep) {
    const std::map<Kernel, std::vector<Task>> tasks = tile_tasks(size);
    for (const auto& [kernel, list] : tasks) {
      const std::size_t width = std::min(kWidth / 2, list.size());
      const BodyProbe probe{
          .tasks = cycled(list, kWaves * width), .problem = CholeskyProblem{kTiles, size}, .between = {}, .width = static_cast<int>(width)};
      const BodyTimes seen = measure_bodies(calibration, probe);
      costs[kernel].arithmetic.push_back({static_cast<double>(list.front().cost.flops.count), seen.warm, seen.release});
      if (size % (2 * kTileStep) != 0) continue;
      phases[kernel].add({.warm = seen.warm, .cold = seen.cold, .uncached = seen.uncached, .start = seen.start},
                         measure_publishing(calibration, probe));
      const BodyProbe launched = kernel == Kernel::kPotrf ? lonely(probe, tasks.at(Kernel::kGemm)) : probe;
      phases[kernel].add_launched(measure_launched(calibration, launched, seen.warm, "cuda-graph"),
                                  measure_launched(calibration, launched, seen.warm, "dynamic-parallelism"));
      if (size == kLargestTile / 2) beside.measure(calibration, probe, costs[kernel]);
    }
  }
  for (const auto& [kernel, cost] : costs) {
    calibration.set_kernel(kernel, phases[kernel].in(cost), "bodies on tiles of 16, 32 .. 128 rows in waves of up to 64, mean");
  }
}

}  // namespace

void calibrate_bodies(Calibration& calibration) {
  calibrate_single_threads(calibration);
  const BesideBodies beside(calibration);
  calibrate_arithmetic(calibration, beside);
  calibrate_cholesky(calibration, beside);
  calibrate_streaming_bodies(calibration, beside);
}

}  // namespace tasktwin::verify
