#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>

#include "models/body_cost.hpp"
#include "models/memory_paths.hpp"
#include "models/memory_share.hpp"
#include "verify/calibration/body_times.hpp"
#include "verify/calibration/calibration.hpp"
#include "verify/calibration/decode_probes.hpp"
#include "verify/calibration/fit.hpp"
#include "verify/calibration/kernel_phases.hpp"
#include "verify/calibration/micro_graphs.hpp"
#include "verify/calibration/refinement.hpp"

namespace tasktwin::verify {

namespace {

using namespace std::chrono_literals;

constexpr const char* kReaders = "bodies of three sizes, and with longer rows, in waves of 16, 48 and 128, least squares by simulation";

/// Whole waves, of so many bytes a task.
BodyProbe stream_probe(std::int64_t bytes) {
  const std::int64_t waves = std::clamp<std::int64_t>((std::int64_t{1} << 30) / (bytes * kWaveWidth), 6, 30);
  return {.tasks = std::vector<Task>(static_cast<std::size_t>(waves * kWaveWidth), sized_task(Kernel::kStream, {}, 0, bytes)),
          .problem = {},
          .between = {}};
}

/// The first of them in waves of `width`.
BodyProbe narrower(BodyProbe probe, int width) {
  constexpr std::size_t kBodies = 144;
  probe.tasks.resize(std::min(probe.tasks.size(), kBodies));
  probe.width = width;
  return probe;
}

/// Probes of a kernel that reads memory, and their bodies.
struct Readings {
  std::vector<BodyProbe> probes;
  std::vector<double> warm;
  KernelPhases phases;
};

/// Probes of each size, in waves of these widths and of their own.
Readings read(Calibration& calibration, const std::vector<BodyProbe>& sizes, const std::vector<int>& widths) {
  Readings readings;
  const auto keep = [&readings](const BodyProbe& probe, const BodyTimes& seen) {
    readings.probes.push_back(probe);
    readings.warm.push_back(seen.warm);
  };
  for (const BodyProbe& probe : sizes) {
    for (const int width : widths) {
      const BodyProbe few = narrower(probe, width);
      const BodyTimes seen = measure_bodies(calibration, few);
      keep(few, seen);
      readings.phases.add_cold(seen);
    }
    const BodyTimes together = measure_bodies(calibration, probe);
    keep(probe, together);
    readings.phases.add(together, measure_publishing(calibration, probe));
  }
  return readings;
}

/// Time = overhead + size · slope + rows · row: overhead, ns a byte with few cores and with all at it, and ns a row.
std::vector<Estimate> fit_slopes(const Readings& readings) {
  std::vector<Observation> observations;
  for (std::size_t i = 0; i < readings.probes.size(); ++i) {
    const auto bytes = static_cast<double>(readings.probes[i].tasks.front().cost.bytes.count);
    const bool few = readings.probes[i].width < kWaveWidth / 2;
    const auto rows = static_cast<double>(matrix_rows(readings.probes[i].tasks.front()));
    observations.push_back({{1.0, few ? bytes : 0.0, few ? 0.0 : bytes, rows}, readings.warm[i]});
  }
  return fit_constants(observations);
}

/// What the simulator makes of the probes: the waves' bodies do not start at one moment, so that they share the bandwidth for less than
/// their whole time. Contract: `graphs` stays where it is as long as `targets` are asked.
void add_targets(const Readings& readings, std::vector<TaskGraph>& graphs, std::vector<Target>& targets) {
  for (const BodyProbe& probe : readings.probes) graphs.push_back(graph_of(probe));
  for (std::size_t i = 0; i < graphs.size(); ++i) {
    targets.push_back(
        {[&graph = graphs[i], &probe = readings.probes[i]](const Machine& now) { return simulate_bodies(now, graph, probe).warm; },
         readings.warm[i]});
  }
}

Unknown of_kernel(Kernel kernel, double KernelCost::*member) {
  return {[kernel, member](const Machine& now) { return now.kernel_cost(kernel).*member; },
          [kernel, member](Machine& changed, double value) { changed.kernels[static_cast<std::size_t>(kernel)].*member = value; }};
}

Unknown time_of(Kernel kernel, Nanoseconds KernelCost::*member) {
  return {
      [kernel, member](const Machine& now) { return (now.kernel_cost(kernel).*member).count(); },
      [kernel, member](Machine& changed, double value) { changed.kernels[static_cast<std::size_t>(kernel)].*member = Nanoseconds{value}; }};
}

/// A task's time that reads `bytes`, while so many cores read without a break, ns: the mean over cores of those that were not a core's
/// first and ended before any core was through.
double measure_steady(Calibration& calibration, std::int64_t bytes, int cores) {
  constexpr int kEach = 9;
  const std::vector<Task> tasks(static_cast<std::size_t>(kEach * cores), sized_task(Kernel::kStream, {}, 0, bytes));
  Design lists = named_design("static-queues");
  lists.placement = Placement::kRoundRobin;
  const Timeline timeline = calibration.run("reading memory", independent_graph(tasks, {}), lists, 3, cores).timeline;
  std::map<CoreId, std::vector<TaskTimes>> by_core;
  for (const TaskTimes& times : timeline.tasks) by_core[times.core].push_back(times);
  TimePoint first_through = TimePoint::max();
  for (auto& [core, own] : by_core) {
    std::ranges::sort(own, {}, &TaskTimes::started);
    first_through = std::min(first_through, own.back().ended);
  }
  std::vector<double> by_its_tasks;
  for (const auto& [core, own] : by_core) {
    std::vector<double> bodies;
    for (std::size_t i = 1; i < own.size() && own[i].ended <= first_through; ++i) {
      bodies.push_back(ns(own[i].ended - own[i].started));
    }
    if (!bodies.empty()) by_its_tasks.push_back(mean_or_zero(bodies));
  }
  const double mean = mean_or_zero(by_its_tasks);
  calibration.keep_sample("memory.contention_ratio", fmt::format("tasks that read 8 MiB on {} cores", cores), mean);
  return mean;
}

/// What the first `cores` cores take for that on average, by memory_shares().
double predicted_steady(const Machine& machine, std::int64_t bytes, int cores) {
  const std::vector<CoreType> types(static_cast<std::size_t>(cores), machine.compute_cores.front().type);
  const MemoryPaths paths = MemoryPaths::of_workers(machine, types);
  std::vector<double> behind(paths.count, 0.0);
  for (const std::uint32_t path : paths.of) ++behind[path];
  std::vector<double> demands;
  for (const double count : behind) demands.push_back(count * machine.memory->core_bandwidth);
  std::vector<double> shares(demands.size());
  memory_shares(paths.law, demands, shares);
  double sum = 0;
  for (std::size_t i = 0; i < behind.size(); ++i) {
    if (behind[i] > 0) sum += behind[i] * static_cast<double>(bytes) / (machine.memory->core_bandwidth * shares[i]);
  }
  return machine.kernel_cost(Kernel::kStream).overhead.count() + sum / cores;
}

/// The memory itself, told by the kernel that does nothing but read it: by bodies so long that how they begin does not count, on one core
/// to all, and by short ones alone and in waves.
void calibrate_memory(Calibration& calibration, const BesideBodies& beside) {
  constexpr std::int64_t kLong = std::int64_t{8} << 20;
  constexpr double kSomeContention = 0.05;  // where the search begins
  const std::string method =
      "tasks that read 8 MiB without a break on 1 core to all, and the bodies of kernel stream, least squares by simulation";
  const int most = calibration.machine().core_count();
  std::vector<Target> targets;
  for (const int sixteenths : {0, 1, 2, 4, 6, 8, 12, 16}) {
    const int cores = std::max(1, sixteenths * most / 16);
    targets.push_back(
        {[cores](const Machine& now) { return predicted_steady(now, kLong, cores); }, measure_steady(calibration, kLong, cores)});
  }
  calibration.set("memory.core_bandwidth_gb_per_s", static_cast<double>(kLong) / targets.front().measured, method);
  calibration.set("memory.bandwidth_gb_per_s", most * static_cast<double>(kLong) / targets.back().measured, method);
  calibration.set("memory.contention_ratio", kSomeContention, method);
  calibration.set("memory.in_step_ratio", 0, method);  // until it is measured

  const Readings readings = read(calibration, {stream_probe(64 << 10), stream_probe(256 << 10), stream_probe(1 << 20)}, {1});
  const char* const how = "bodies of three sizes, one after the other and in waves of 128, least squares by simulation";
  KernelCost stream = readings.phases.in({.overhead = Nanoseconds{fit_slopes(readings)[0]}});
  beside.measure(calibration, readings.probes.front(), stream);
  calibration.set_kernel(Kernel::kStream, stream, how);
  std::vector<TaskGraph> graphs;
  add_targets(readings, graphs, targets);
  const std::vector<Estimate> found =
      fit_by_simulation(calibration.machine(),
                        {of_constant("memory.core_bandwidth_gb_per_s"), of_constant("memory.bandwidth_gb_per_s"),
                         of_constant("memory.contention_ratio"), time_of(Kernel::kStream, &KernelCost::overhead)},
                        targets);
  calibration.set("memory.core_bandwidth_gb_per_s", found[0], method);
  calibration.set("memory.bandwidth_gb_per_s", found[1], method);
  calibration.set("memory.contention_ratio", found[2], method);
  stream.overhead = Nanoseconds{found[3]};
  calibration.set_kernel(Kernel::kStream, stream, how);
}

void calibrate_reader(Calibration& calibration, const BesideBodies& beside, Kernel kernel, const std::array<int, 3>& rows) {
  std::vector<BodyProbe> sizes;
  for (const int size : rows) sizes.push_back(matrix_probe(kernel, size));
  sizes.push_back(wide_matrix_probe(kernel, kernel == Kernel::kHead ? 256 : 32));
  Readings readings = read(calibration, sizes, {16, 48});
  readings.phases.add_cold(measure_bodies(calibration, uncached(sizes.front())));
  const std::vector<Estimate> slopes = fit_slopes(readings);
  const double traffic = slopes[2] / kWaveWidth * calibration.get("memory.bandwidth_gb_per_s");
  KernelCost cost = readings.phases.in({.overhead = Nanoseconds{slopes[0]},
                                        .traffic = traffic,
                                        .bandwidth = 1 / static_cast<double>(slopes[1]),
                                        .row = Nanoseconds{slopes[3]}});
  beside.measure(calibration, sizes.front(), cost);
  calibration.set_kernel(kernel, cost, kReaders);
  std::vector<TaskGraph> graphs;
  std::vector<Target> targets;
  add_targets(readings, graphs, targets);
  const std::vector<Estimate> found = fit_by_simulation(calibration.machine(),
                                                        {time_of(kernel, &KernelCost::overhead), of_kernel(kernel, &KernelCost::traffic),
                                                         of_kernel(kernel, &KernelCost::bandwidth), time_of(kernel, &KernelCost::row)},
                                                        targets);
  cost.overhead = Nanoseconds{found[0]};
  cost.traffic = found[1];
  cost.bandwidth = found[2];
  cost.row = Nanoseconds{found[3]};
  calibration.set_kernel(kernel, cost, kReaders);
}

void calibrate_readers(Calibration& calibration, const BesideBodies& beside) {
  calibrate_memory(calibration, beside);
  // A warp has two rows of 2048 columns under way at a time, so that fewer take hardly less time.
  const std::map<Kernel, std::array<int, 3>> rows{{Kernel::kQkv, {16, 24, 64}},
                                                  {Kernel::kProject, {16, 32, 64}},
                                                  {Kernel::kDown, {8, 32, 64}},
                                                  {Kernel::kGateUp, {16, 32, 128}},
                                                  {Kernel::kHead, {64, 256, 501}}};
  for (const auto& [kernel, sizes] : rows) calibrate_reader(calibration, beside, kernel, sizes);
}

/// How much quicker readers get on that begin one after the other than those that begin together. Contract: their costs have been set.
void calibrate_company(Calibration& calibration) {
  constexpr double kInStep = 0.6;  // where the search begins
  constexpr std::size_t kWaves = 8;
  calibration.set("memory.in_step_ratio", kInStep, "");
  std::vector<BodyProbe> probes;
  std::vector<double> warm;
  for (const Kernel kernel : {Kernel::kProject, Kernel::kDown, Kernel::kGateUp}) {
    for (const Duration spread : {1ns, 4000ns}) {
      BodyProbe& probe = probes.emplace_back(matrix_probe(kernel, 32));
      probe.tasks.resize(std::min(probe.tasks.size(), kWaves * kWaveWidth));
      probe.stagger = {calibration.machine().core_count(), spread};
      warm.push_back(measure_bodies(calibration, probe).warm);
    }
  }
  std::vector<TaskGraph> graphs;
  for (const BodyProbe& probe : probes) graphs.push_back(graph_of(probe));
  std::vector<Target> targets;
  for (std::size_t i = 0; i < probes.size(); i += 2) {
    const auto apart = [&, i](const Machine& now) {
      return simulate_bodies(now, graphs[i + 1], probes[i + 1]).warm * warm[i] / simulate_bodies(now, graphs[i], probes[i]).warm;
    };
    targets.push_back({apart, warm[i + 1]});
  }
  Unknown in_step = of_constant("memory.in_step_ratio");
  in_step.known_to = 2.0;
  Estimate found = fit_by_simulation(calibration.machine(), {in_step}, targets)[0];
  found.value = std::min(1.0, found.value);
  calibration.set("memory.in_step_ratio", found,
                  "bodies of kernels project, down and gate_up in waves of 128 that begin over 4 us, by those that begin together, least "
                  "squares by simulation");
}

/// By how much less readers take right behind another of theirs than behind another kernel: waves that every core takes two bodies of.
/// Contract: what they take in company has been set.
void calibrate_readers_again(Calibration& calibration) {
  for (const Kernel kernel : {Kernel::kQkv, Kernel::kProject, Kernel::kDown, Kernel::kGateUp, Kernel::kHead}) {
    BodyProbe probe = matrix_probe(kernel, kernel == Kernel::kHead ? 64 : 16);  // the shorter, the less hangs on what is beside it
    probe.width = 2 * kWaveWidth;
    const BodyTimes seen = measure_bodies(calibration, probe);
    const BodyTimes told = simulate_bodies(calibration.machine(), graph_of(probe), probe);
    KernelCost cost = calibration.machine().kernel_cost(kernel);
    cost.again = Nanoseconds{std::max(0.0, seen.warm - seen.again - (told.warm - told.again))};
    calibration.set_kernel(kernel, cost, kReaders + std::string("; again_ns: waves of 256, less as simulated"));
  }
}

/// A time of its own, whatever is beside it; longer where its weights come from memory, as those of each layer do but once a run.
void calibrate_norms(Calibration& calibration, const BesideBodies& beside) {
  constexpr int kFewLayers = 4;
  KernelPhases phases;
  const BodyProbe probe = norm_probe(kFewLayers, 96);
  const BodyTimes seen = measure_bodies(calibration, probe);
  const BodyProbe from_memory = behind_keys_and_values(norm_probe(kDecodeLayers, 2 * kDecodeLayers));
  const BodyTimes uncached_ones = measure_bodies(calibration, from_memory);
  phases.add(seen, measure_publishing(calibration, probe));
  phases.add_cold(uncached_ones);
  phases.add_launched(measure_launched(calibration, probe, seen.warm, "cuda-graph"),
                      measure_launched(calibration, probe, seen.warm, "dynamic-parallelism"));
  KernelCost cost{.overhead = Nanoseconds{seen.warm}};
  cost.uncached = Nanoseconds{uncached_ones.warm - seen.warm};
  beside.measure(calibration, probe, cost);
  calibration.set_kernel(Kernel::kRmsNorm, phases.in(cost), "started to ended of bodies one after the other, mean");
}

/// By their size: they are bound by arithmetic and latencies, in no straight line.
void calibrate_merges(Calibration& calibration, const BesideBodies& beside) {
  KernelCost cost;
  KernelPhases phases;
  for (const int slices : {4, 16, 64}) {
    const BodyProbe probe = merge_probe(slices);
    const BodyTimes seen = measure_bodies(calibration, probe);
    cost.arithmetic.push_back({static_cast<double>(probe.tasks.front().cost.flops.count), seen.warm});
    phases.add(seen, measure_publishing(calibration, probe));
    phases.add_launched(measure_launched(calibration, probe, seen.warm, "cuda-graph"),
                        measure_launched(calibration, probe, seen.warm, "dynamic-parallelism"));
    phases.add_cold(measure_bodies(calibration, uncached(probe)));
    if (slices == 16) beside.measure(calibration, probe, cost);
  }
  calibration.set_kernel(Kernel::kAttentionMerge, phases.in(cost), "bodies over 4 to 64 slices in waves of 8, mean");
}

/// Likewise; longer where keys and values come from memory. Of what first bodies took longer the least is their code's: those of some sizes
/// wait for something else as well (on six H200s up to 6 or 8 us with 64, 8 or 4 slices, 2.9 to 3.7 with 32; in decode steps, where what
/// they read is as new to the bodies of every layer, code takes 1.9 to 2.3).
void calibrate_attention(Calibration& calibration, const BesideBodies& beside) {
  KernelCost cost;
  KernelPhases phases;
  std::vector<double> colds;
  for (const int slices : {64, 32, 8, 4}) {
    const BodyProbe probe = cached_attention_probe(slices);
    const BodyTimes seen = measure_bodies(calibration, probe);
    const BodyProbe from_memory = attention_probe(slices);
    const BodyTimes uncached_ones = measure_bodies(calibration, from_memory);
    cost.arithmetic.push_back({.flops = static_cast<double>(probe.tasks.front().cost.flops.count),
                               .ns = seen.warm,
                               .uncached_ns = std::max(0.0, uncached_ones.warm - seen.warm)});
    colds.push_back(seen.cold);
    phases.add(seen, measure_publishing(calibration, probe));
    phases.add_cold(uncached_ones);
    phases.add_launched(measure_launched(calibration, from_memory, uncached_ones.warm, "cuda-graph"),
                        measure_launched(calibration, from_memory, uncached_ones.warm, "dynamic-parallelism"));
    if (slices == 32) beside.measure(calibration, probe, cost);
  }
  cost = phases.in(cost);
  cost.cold = Nanoseconds{std::ranges::min(colds)};
  calibration.set_kernel(
      Kernel::kAttention, cost,
      "bodies over 64 to 1024 positions in waves of 128, their keys and values cached and not, mean; of first ones the least");
}

}  // namespace

void calibrate_streaming_bodies(Calibration& calibration, const BesideBodies& beside) {
  calibrate_readers(calibration, beside);
  calibrate_company(calibration);
  calibrate_held_up_bodies(calibration);
  calibrate_readers_again(calibration);
  calibrate_norms(calibration, beside);
  calibrate_merges(calibration, beside);
  calibrate_attention(calibration, beside);
}

}  // namespace tasktwin::verify
