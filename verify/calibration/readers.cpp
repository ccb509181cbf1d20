#include <algorithm>
#include <array>
#include <map>

#include "verify/calibration/decode_probes.hpp"
#include "verify/calibration/readings.hpp"
#include "verify/calibration/simulated_steps.hpp"

namespace tasktwin::verify {

using mechanism::Memory;

namespace {

using namespace std::chrono_literals;

const char* const kReaders = "bodies of three sizes, and with longer rows, in waves of 16, 48 and 128, least squares by simulation";

/// A warp has two rows of 2048 columns under way at a time, so that fewer take hardly less time.
std::vector<BodyProbe> sizes_of(Kernel kernel) {
  const std::map<Kernel, std::array<int, 3>> rows{{Kernel::kQkv, {16, 24, 64}},
                                                  {Kernel::kProject, {16, 32, 64}},
                                                  {Kernel::kDown, {8, 32, 64}},
                                                  {Kernel::kGateUp, {16, 32, 128}},
                                                  {Kernel::kHead, {64, 256, 501}}};
  std::vector<BodyProbe> sizes;
  for (const int size : rows.at(kernel)) sizes.push_back(matrix_probe(kernel, size));
  sizes.push_back(wide_matrix_probe(kernel, kernel == Kernel::kHead ? 256 : 32));
  return sizes;
}

template <class T>
struct ReaderCost {
  T overhead;
  T traffic;
  T bandwidth;
  T row;
  auto all() { return std::array{&overhead, &traffic, &bandwidth, &row}; }
};

/// A probe whose waves begin together, and the same with waves that begin one after the other.
struct Staggered {
  BodyProbe together;
  BodyProbe apart;
  double measured_together = 0;
  double measured_apart = 0;
  TaskGraph graph_together = graph_of(together);
  TaskGraph graph_apart = graph_of(apart);

  double predicted_apart(const Machine& now) const {
    return simulate_bodies(now, graph_apart, apart).warm * measured_together / simulate_bodies(now, graph_together, together).warm;
  }
};

Staggered measure_staggered(Probes& probes, const Machine& known, Kernel kernel) {
  constexpr std::size_t kWaves = 8;
  BodyProbe together = matrix_probe(kernel, 32);
  together.tasks.resize(std::min(together.tasks.size(), kWaves * kWaveWidth));
  BodyProbe apart = together;
  together.stagger = {known.core_count(), 1ns};
  apart.stagger = {known.core_count(), 4000ns};
  const double warm_together = measure_bodies(probes, known, together).warm;
  return {together, apart, warm_together, measure_bodies(probes, known, apart).warm};
}

}  // namespace

CalibratedKernel calibrate_reader(Probes& probes, const Machine& known, const BesideBodies& beside, Kernel kernel) {
  const std::vector<BodyProbe> sizes = sizes_of(kernel);
  Readings readings = read(probes, known, sizes, {16, 48});
  readings.phases.add_cold(measure_bodies(probes, known, uncached(sizes.front())));
  const ReadSteps<Estimate> steps = readings.steps();
  KernelCost cost = readings.phases.in({.overhead = Nanoseconds{steps.overhead},
                                        .traffic = steps.byte_of_all / kWaveWidth * known.memory->bandwidth,
                                        .bandwidth = 1 / steps.byte_of_few.value,
                                        .row = Nanoseconds{steps.row}});
  beside.measure(probes, known, sizes.front(), cost);
  Machine first = known;
  CalibratedKernel(kernel, cost, kReaders).into(first);
  const std::vector<TaskGraph> graphs = graphs_of(readings.probes);
  std::vector<Target> targets;
  add_targets(readings, graphs, targets);
  const auto found = fit_by_simulation(first,
                                       ReaderCost<Unknown>{.overhead = of_kernel(kernel, &KernelCost::overhead),
                                                           .traffic = of_kernel(kernel, &KernelCost::traffic),
                                                           .bandwidth = of_kernel(kernel, &KernelCost::bandwidth),
                                                           .row = of_kernel(kernel, &KernelCost::row)},
                                       targets);
  cost.overhead = Nanoseconds{found.overhead};
  cost.traffic = found.traffic;
  cost.bandwidth = found.bandwidth;
  cost.row = Nanoseconds{found.row};
  return {kernel, cost, kReaders};
}

Calibrated<Memory> calibrate_reads_in_step(Probes& probes, const Machine& known) {
  constexpr double kInStep = 0.6;   // where the search begins
  constexpr double kUnknown = 2.0;  // how far it may go
  Machine first = known;
  first.memory->in_step = kInStep;
  std::vector<Staggered> readers;
  for (const Kernel kernel : {Kernel::kProject, Kernel::kDown, Kernel::kGateUp})
    readers.push_back(measure_staggered(probes, known, kernel));
  std::vector<Target> targets;
  for (const Staggered& reader : readers)
    targets.push_back({[&reader](const Machine& now) { return reader.predicted_apart(now); }, reader.measured_apart});
  Estimate found = fit_by_simulation(first, of_constant(&Machine::memory, &Memory::in_step, kUnknown), targets);
  found.value = std::min(1.0, found.value);
  Calibrated<Memory> memory(&Machine::memory);
  memory.set(&Memory::in_step, found,
             "bodies of kernels project, down and gate_up in waves of 128 that begin over 4 us, by those that begin together, least "
             "squares by simulation");
  return memory;
}

/// Waves that every core takes two bodies of.
CalibratedKernel calibrate_reader_again(Probes& probes, const Machine& known, Kernel kernel) {
  BodyProbe probe = matrix_probe(kernel, kernel == Kernel::kHead ? 64 : 16);  // the shorter, the less hangs on what is beside it
  probe.width = 2 * kWaveWidth;
  const BodyTimes seen = measure_bodies(probes, known, probe);
  const BodyTimes told = simulate_bodies(known, graph_of(probe), probe);
  KernelCost cost = known.kernel_cost(kernel);
  cost.again = Nanoseconds{std::max(0.0, seen.warm - seen.again - (told.warm - told.again))};
  return {kernel, cost, kReaders + std::string("; again_ns: waves of 256, less as simulated")};
}

}  // namespace tasktwin::verify
