#include <algorithm>
#include <cstddef>
#include <vector>

#include "models/runtimes/runtimes.hpp"
#include "verify/calibration/mechanisms/calibrated_mechanisms.hpp"
#include "verify/calibration/probes/decode_probes.hpp"
#include "verify/calibration/probes/micro_graphs.hpp"

namespace tasktwin::verify {

using mechanism::PageLoads;

namespace {

using namespace std::chrono_literals;

Design loading() {
  Design design = named_design("static-queues");
  design.placement = Placement::kRoundRobin;
  design.prefetch = 1;
  return design;
}

/// The same, and tasks' inputs are loaded from when the core comes to the task before the spinning one ahead of them.
Design loading_beside() {
  Design design = loading();
  design.prefetch = 2;
  return design;
}

/// On one core: a task that spins until all pages of the next one have come, and that one, by turns.
TaskGraph behind_spins(const BodyProbe& probe, std::size_t count) {
  constexpr Duration kLongEnough = 20us;
  std::vector<Task> tasks;
  for (std::size_t i = 0; i < count; ++i) {
    tasks.push_back({.cost = {.time = kLongEnough}});
    tasks.push_back(probe.tasks[i]);
  }
  return independent_graph(tasks, probe.problem);
}

/// Started to ended of every other task, median of those after the first few, whose code is cold.
double paged_body_ns(const Timeline& timeline) {
  constexpr std::size_t kCold = 4;
  std::vector<Duration> bodies;
  for (std::size_t i = 2 * kCold + 1; i < timeline.tasks.size(); i += 2)
    bodies.push_back(timeline.tasks[i].ended - timeline.tasks[i].started);
  return median_ns(bodies);
}

/// On all cores alike: while one of the probe's tasks reads its pages, those of the next one are loaded.
TaskGraph behind_spins_on(const BodyProbe& probe, std::size_t cores) {
  constexpr std::size_t kRounds = 10;
  constexpr Duration kLongEnough = 20us;
  const std::size_t rounds = std::min(kRounds, probe.tasks.size() / cores);
  std::vector<Task> tasks;
  for (std::size_t round = 0; round < rounds; ++round) {
    tasks.insert(tasks.end(), cores, {.cost = {.time = kLongEnough}});
    const auto first = probe.tasks.begin() + static_cast<std::ptrdiff_t>(round * cores);
    tasks.insert(tasks.end(), first, first + static_cast<std::ptrdiff_t>(cores));
  }
  return independent_graph(tasks, probe.problem);
}

/// Started to ended of those tasks, mean without those of the first round, whose code is cold.
double paged_body_ns(const Timeline& timeline, std::size_t cores) {
  std::vector<double> bodies;
  for (std::size_t i = 2 * cores; i < timeline.tasks.size(); ++i) {
    if (i / cores % 2 == 1) bodies.push_back(ns(timeline.tasks[i].ended - timeline.tasks[i].started));
  }
  return trimmed_mean(bodies);
}

}  // namespace

Calibrated<PageLoads> calibrate_page_loads(Probes& probes, const Machine& known) {
  constexpr std::int64_t kShort = 1 << 20;
  constexpr std::int64_t kLong = 8 << 20;
  Calibrated<PageLoads> loads(&Machine::page_loads);

  const auto stream_ns = [&](std::int64_t bytes) {
    const TaskGraph one = independent_graph(1, {.cost = {.bytes = {bytes}}, .kernel = Kernel::kStream});
    return median_ns(probes.run_on(known, "loaders", one, loading(), 5, 1).makespans);
  };
  const double load_ns = stream_ns(kLong) - stream_ns(kShort);
  probes.keep_sample(&Machine::page_loads, &PageLoads::load_bandwidth, "7 MiB more of one task on one core", load_ns);
  loads.set(&PageLoads::load_bandwidth, {static_cast<double>(kLong - kShort) / load_ns},
            "makespans of a task of kernel stream of 1 and 8 MiB on one core, not stamped, whose bytes its loader brings");

  // All pages of these sizes have room at once.
  Fit<Line> bodies;
  for (const int rows : {8, 16, 24, 32}) {
    const BodyProbe probe = matrix_probe(Kernel::kQkv, rows);
    const double body = paged_body_ns(probes.run_on(known, "bodies that read pages", behind_spins(probe, 40), loading(), 5, 1).timeline);
    probes.keep_sample(&Machine::page_loads, &PageLoads::read_bandwidth, std::to_string(rows) + " rows in pages", body);
    bodies.observe({.intercept = 1, .slope = static_cast<double>(probe.tasks.front().cost.bytes.count)}, body);
  }
  const Line<Estimate> body = bodies.solve();
  loads.set(&PageLoads::read_bandwidth, {1 / body.slope.value},
            "started to ended of 8 to 32 rows of kernel qkv whose pages are full, slope");
  return loads;
}

/// By how fast each reads rows whose pages are full, while all cores load those of their next ones, which takes part of what a reader
/// otherwise draws: rows of 4 KiB, and of kernel down longer ones, for which what they are multiplied with does not stay in registers.
std::vector<CalibratedKernel> calibrate_paged_rows(Probes& probes, const Machine& known) {
  constexpr int kColumns = 4096;
  std::vector<CalibratedKernel> found;
  for (const Kernel kernel : {Kernel::kQkv, Kernel::kProject, Kernel::kGateUp, Kernel::kDown, Kernel::kHead}) {
    Fit<Line> bodies;
    for (const int rows : {8, 16}) {
      const BodyProbe probe = kernel == Kernel::kDown ? row_length_probe(kernel, rows, kColumns) : matrix_probe(kernel, rows);
      const auto cores = static_cast<std::size_t>(known.core_count());
      const double body =
          paged_body_ns(probes.run_on(known, "rows in pages", behind_spins_on(probe, cores), loading_beside(), 5, 0).timeline, cores);
      keep_body_sample(probes, probe, "; pages full", body);
      bodies.observe({.intercept = 1, .slope = static_cast<double>(probe.tasks.front().cost.bytes.count)}, body);
    }
    const double slope = bodies.solve().slope.value;
    KernelCost cost = known.kernel_cost(kernel);
    cost.paged = slope > 0 ? 1 / slope : 0;
    found.emplace_back(
        kernel, cost,
        method_of(known, kernel) +
            "; paged_gb_per_s: bodies of 8 and 16 rows whose pages are full, on all cores, beside loads of the next ones, slope");
  }
  return found;
}

}  // namespace tasktwin::verify
