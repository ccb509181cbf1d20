#include <algorithm>
#include <array>
#include <chrono>
#include <map>

#include "verify/calibration/bodies/simulated_steps.hpp"
#include "verify/calibration/probes/kernel_phases.hpp"
#include "verify/calibration/probes/micro_graphs.hpp"

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

/// One body at a time, after a wave of others, as a factorisation has it of its potrf: its code has to be fetched again.
BodyProbe lonely(BodyProbe probe, std::vector<Task> others) {
  constexpr std::size_t kBodies = 40;
  others.resize(std::min(others.size(), kWidth / 2));
  probe.tasks.resize(std::min(probe.tasks.size(), kBodies));
  probe.between = {std::move(others)};
  probe.width = 1;
  return probe;
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

/// What is seen of the tiles' kernels, by size.
struct TileBodies {
  Probes& probes;
  const Machine& known;
  std::map<Kernel, KernelCost> costs = {};
  std::map<Kernel, KernelPhases> phases = {};

  /// Tiles of a wave differ. They share the L2 cache, so they are timed in the company of about half of the cores, between few and all.
  void measure(int size) {
    const std::map<Kernel, std::vector<Task>> tasks = tile_tasks(size);
    for (const auto& [kernel, list] : tasks) {
      const std::size_t width = std::min(kWidth / 2, list.size());
      const BodyProbe probe{
          .tasks = cycled(list, kWaves * width), .problem = CholeskyProblem{kTiles, size}, .between = {}, .width = static_cast<int>(width)};
      const BodyTimes seen = measure_bodies(probes, known, probe);
      costs[kernel].arithmetic.push_back({static_cast<double>(list.front().cost.flops.count), seen.warm});
      if (size % (2 * kTileStep) != 0) continue;
      phases[kernel].add(seen, measure_publishing(probes, known, probe));
      phases[kernel].add_launched(probes, known, kernel == Kernel::kPotrf ? lonely(probe, tasks.at(Kernel::kGemm)) : probe, seen.warm);
    }
  }
};

}  // namespace

/// Nothing is added to the phases around what one thread does by itself. A spinning thread ends on a step of its loop, so what it takes
/// beyond the time asked for differs from time to time.
std::vector<CalibratedKernel> calibrate_single_threads(Probes& probes, const Machine& known) {
  const auto warm = [&](const Task& task) {
    return measure_bodies(probes, known, {.tasks = cycled({task}, 4000), .problem = {}, .between = {}, .width = 0}).warm;
  };
  const Nanoseconds empty{warm(sized_task(Kernel::kEmpty, {}, 0, 0))};
  constexpr std::array kTimes{700ns, 1300ns, 2230ns, 3570ns, 5110ns, 8350ns};
  Nanoseconds beyond{};
  for (const auto time : kTimes) beyond += Nanoseconds{warm(spin_task(time))} - Nanoseconds{time};
  return {{Kernel::kEmpty, {.overhead = empty}, "started to ended of empty bodies"},
          {Kernel::kSpin,
           {.overhead = beyond / static_cast<double>(kTimes.size())},
           "started to ended of bodies that spin for 0.7 to 8.4 us, beyond that, mean"}};
}

CalibratedKernel calibrate_arithmetic(Probes& probes, const Machine& known) {
  Fit<Line> times;
  KernelPhases phases;
  KernelCost cost;
  for (const std::int64_t flops : {200'000, 1'000'000, 5'000'000}) {
    const BodyProbe probe{.tasks = cycled({sized_task(Kernel::kFma, {}, flops, 0)}, kWaves * kWidth), .problem = {}, .between = {}};
    const BodyTimes seen = measure_bodies(probes, known, probe);
    times.observe({.intercept = 1, .slope = static_cast<double>(flops)}, seen.warm);
    phases.add(seen, measure_publishing(probes, known, probe));
    phases.add_launched(probes, known, probe, seen.warm);
    BodyProbe uncached = probe;
    uncached.ahead = {sized_task(Kernel::kStream, {}, 0, 16)};
    phases.add_cold(measure_bodies(probes, known, uncached));
  }
  const Line<Estimate> fitted = times.solve();
  cost.overhead = Nanoseconds{fitted.intercept};
  cost.arithmetic = {{1e6, 1e6 * fitted.slope}};
  return {Kernel::kFma, phases.in(cost), "bodies of 0.2, 1 and 5 Mflop in waves of 128, least squares"};
}

/// Every size that the bodies take: their code differs from one to the next, by how many entries a thread has and how it loads them. What
/// is the same for all sizes is measured on four of them.
std::vector<CalibratedKernel> calibrate_tiles(Probes& probes, const Machine& known) {
  TileBodies tiles{probes, known};
  for (int size = kTileStep; size <= kLargestTile; size += kTileStep) tiles.measure(size);
  std::vector<CalibratedKernel> found;
  for (const auto& [kernel, cost] : tiles.costs)
    found.emplace_back(kernel, tiles.phases[kernel].in(cost), "bodies on tiles of 16, 32 .. 128 rows in waves of up to 64, mean");
  return found;
}

}  // namespace tasktwin::verify
