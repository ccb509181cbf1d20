#include <algorithm>
#include <array>
#include <iterator>
#include <map>

#include <fmt/format.h>

#include "models/machine/memory_paths.hpp"
#include "models/machine/memory_share.hpp"
#include "models/runtimes/runtimes.hpp"
#include "verify/calibration/bodies/simulated_steps.hpp"
#include "verify/calibration/probes/decode_probes.hpp"
#include "verify/calibration/probes/micro_graphs.hpp"
#include "verify/calibration/probes/readings.hpp"
#include "verify/calibration/trials/refinement.hpp"

namespace tasktwin::verify {

using mechanism::Memory;

namespace {

constexpr std::int64_t kLong = std::int64_t{8} << 20;

/// Whole waves, of that many bytes a task.
BodyProbe stream_probe(std::int64_t bytes) {
  const std::int64_t waves = std::clamp<std::int64_t>((std::int64_t{1} << 30) / (bytes * kWaveWidth), 6, 30);
  return {.tasks = std::vector<Task>(static_cast<std::size_t>(waves * kWaveWidth), sized_task(Kernel::kStream, {}, 0, bytes)),
          .problem = {},
          .between = {}};
}

/// A task's time that reads `bytes`, while that many cores read without a break, ns: the mean over cores of those that were not a core's
/// first and ended before any core was through.
double measure_steady(Probes& probes, std::int64_t bytes, int cores) {
  constexpr int kEach = 9;
  const std::vector<Task> tasks(static_cast<std::size_t>(kEach * cores), sized_task(Kernel::kStream, {}, 0, bytes));
  Design lists = named_design("static-queues");
  lists.placement = Placement::kRoundRobin;
  const Timeline timeline = probes.run("reading memory", independent_graph(tasks, {}), lists, 3, cores).timeline;
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
  probes.keep_sample(&Machine::memory, &Memory::contention, fmt::format("tasks that read 8 MiB on {} cores", cores), mean);
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

/// Bodies so long that how they begin does not count, on one core to all.
std::vector<Target> steady_targets(Probes& probes, std::initializer_list<int> some = {0, 1, 2, 4, 6, 8, 12, 16}) {
  std::vector<Target> targets;
  for (const int sixteenths : some) {
    const int cores = std::max(1, sixteenths * probes.machine().core_count() / 16);
    targets.push_back({[cores](const Machine& now) { return predicted_steady(now, kLong, cores); }, measure_steady(probes, kLong, cores)});
  }
  return targets;
}

template <class T>
struct Unknowns {
  T core_bandwidth;
  T bandwidth;
  T contention;
  T overhead;  ///< of kernel stream
  auto all() { return std::array{&core_bandwidth, &bandwidth, &contention, &overhead}; }
};

}  // namespace

Calibrated<Memory> calibrate_steady_bandwidth(Probes& probes, const Machine& known) {
  std::vector<Target> targets = steady_targets(probes, {0, 2, 4, 8, 12, 16});
  std::vector<MakespanTrial> waves;
  const int width = known.core_count();
  for (const std::int64_t kib : {160, 640, 2560}) {
    const std::vector<Task> tasks(static_cast<std::size_t>(5 * width), sized_task(Kernel::kStream, {}, 0, kib << 10));
    waves.push_back({fmt::format("5 waves that read {} KiB a core", kib), wave_graph(tasks, width, {}, {}), named_design("static-queues")});
  }
  std::ranges::move(measure_trials(probes, known, waves), std::back_inserter(targets));
  const std::vector<Estimate> found =
      fit_by_simulation(known,
                        {of_constant(&Machine::memory, &Memory::core_bandwidth), of_constant(&Machine::memory, &Memory::bandwidth),
                         of_constant(&Machine::memory, &Memory::contention, 1)},
                        targets);
  const std::string method =
      "tasks that read 8 MiB without a break on 1 core to all, and makespans of waves of 160 to 2560 KiB, least squares by simulation";
  Calibrated<Memory> memory(&Machine::memory);
  memory.set(&Memory::core_bandwidth, found[0], method);
  memory.set(&Memory::bandwidth, found[1], method);
  memory.set(&Memory::contention, found[2], method);
  return memory;
}

/// By long bodies, and by short ones alone and in waves.
MemoryBandwidth calibrate_memory_bandwidth(Probes& probes, const Machine& known) {
  constexpr double kSomeContention = 0.05;  // where the search begins
  const std::string method =
      "tasks that read 8 MiB without a break on 1 core to all, and the bodies of kernel stream, least squares by simulation";
  const char* const how = "bodies of three sizes, one after the other and in waves of 128, least squares by simulation";
  std::vector<Target> targets = steady_targets(probes);
  const auto drawn = [&](const Target& target) { return static_cast<double>(kLong) / target.measured; };
  const Readings readings = read(probes, known, {stream_probe(64 << 10), stream_probe(256 << 10), stream_probe(1 << 20)}, {1});
  KernelCost stream = readings.phases.in({.overhead = Nanoseconds{readings.steps().overhead}});

  const auto bandwidth = [&](const Estimate& of_core, const Estimate& of_all, const Estimate& contention, const KernelCost& cost) {
    MemoryBandwidth found{Calibrated<Memory>(&Machine::memory), {Kernel::kStream, cost, how}};
    found.memory.set(&Memory::core_bandwidth, of_core, method);
    found.memory.set(&Memory::bandwidth, of_all, method);
    found.memory.set(&Memory::contention, contention, method);
    return found;
  };
  Machine first = known;
  bandwidth(drawn(targets.front()), known.core_count() * drawn(targets.back()), kSomeContention, stream).into(first);

  const std::vector<TaskGraph> graphs = graphs_of(readings.probes);
  add_targets(readings, graphs, targets);
  const auto found = fit_by_simulation(first,
                                       Unknowns<Unknown>{.core_bandwidth = of_constant(&Machine::memory, &Memory::core_bandwidth),
                                                         .bandwidth = of_constant(&Machine::memory, &Memory::bandwidth),
                                                         .contention = of_constant(&Machine::memory, &Memory::contention),
                                                         .overhead = of_kernel(Kernel::kStream, &KernelCost::overhead)},
                                       targets);
  stream.overhead = Nanoseconds{found.overhead};
  return bandwidth(found.core_bandwidth, found.bandwidth, found.contention, stream);
}

}  // namespace tasktwin::verify
