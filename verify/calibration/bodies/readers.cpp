#include <algorithm>
#include <array>
#include <map>

#include "verify/calibration/bodies/simulated_steps.hpp"
#include "verify/calibration/probes/decode_probes.hpp"
#include "verify/calibration/probes/readings.hpp"

namespace tasktwin::verify {

namespace {

const char* const kSource =
    "bodies of three sizes, and with rows of other lengths, in waves of 16, 48 and 128, least squares by simulation; spread_ns and varies: "
    "bodies of a wave of 128, by what they take";

/// A warp has two rows of 2048 columns in flight at a time, so that fewer take hardly less time.
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

/// Less than a step of a warp, some and several.
std::vector<BodyProbe> lengths_of(Kernel kernel) {
  const std::array<int, 3> columns = kernel == Kernel::kDown ? std::array{1280, 3072, 5120} : std::array{512, 1280, 3072};
  std::vector<BodyProbe> lengths;
  for (const int length : columns) lengths.push_back(row_length_probe(kernel, kernel == Kernel::kHead ? 256 : 32, length));
  return lengths;
}

template <class T>
struct ReaderCost {
  T overhead;
  T bandwidth;
  T row;
  T step;
  T traffic;
  auto all() { return std::array{&overhead, &bandwidth, &row, &step, &traffic}; }
};

/// From where the search begins: least squares of bodies of few cores need not tell bytes from steps, and constants of 0 stay so.
KernelCost some_reader(const ReadSteps<Estimate>& steps) {
  constexpr double kMostBandwidth = 200;
  constexpr double kLeastRow = 2;
  constexpr double kLeastStep = 100;
  return {.overhead = Nanoseconds{steps.overhead},
          .bandwidth = std::min(kMostBandwidth, 1 / std::max(1e-6, steps.byte_of_few.value)),
          .row = Nanoseconds{std::max(kLeastRow, steps.row.value)},
          .step = Nanoseconds{std::max(kLeastStep, steps.step.value)}};
}

}  // namespace

CalibratedKernel calibrate_reader(Probes& probes, const Machine& known, Kernel kernel) {
  const std::vector<BodyProbe> sizes = sizes_of(kernel);
  Readings readings = read(probes, known, sizes, {16, 48});
  read_lengths(probes, known, lengths_of(kernel), readings);
  readings.phases.add_cold(measure_bodies(probes, known, uncached(sizes.front())));
  KernelCost cost = readings.phases.in(some_reader(readings.steps()));
  const Line<Estimate> spread = readings.spreads.solve();
  cost.spread = Nanoseconds{spread.intercept};
  cost.varies = spread.slope;
  Machine first = known;
  CalibratedKernel(kernel, cost, kSource).into(first);
  const std::vector<TaskGraph> graphs = graphs_of(readings.probes);
  std::vector<Target> targets;
  add_targets(readings, graphs, targets);
  const auto found = fit_by_simulation(first,
                                       ReaderCost<Unknown>{.overhead = of_kernel(kernel, &KernelCost::overhead),
                                                           .bandwidth = of_kernel(kernel, &KernelCost::bandwidth),
                                                           .row = of_kernel(kernel, &KernelCost::row),
                                                           .step = of_kernel(kernel, &KernelCost::step),
                                                           .traffic = of_kernel(kernel, &KernelCost::traffic)},
                                       targets);
  cost.overhead = Nanoseconds{found.overhead};
  cost.bandwidth = found.bandwidth;
  cost.row = Nanoseconds{found.row};
  cost.step = Nanoseconds{found.step};
  cost.traffic = found.traffic;
  return {kernel, cost, kSource};
}

/// Waves that every core takes two bodies of.
CalibratedKernel calibrate_reader_again(Probes& probes, const Machine& known, Kernel kernel) {
  BodyProbe probe = matrix_probe(kernel, kernel == Kernel::kHead ? 64 : 16);  // a shorter one depends less on its neighbours
  probe.width = 2 * kWaveWidth;
  const BodyTimes seen = measure_bodies(probes, known, probe);
  const BodyTimes told = simulate_bodies(known, graph_of(probe), probe);
  KernelCost cost = known.kernel_cost(kernel);
  cost.again = Nanoseconds{std::max(0.0, seen.warm - seen.again - (told.warm - told.again))};
  return {kernel, cost, kSource + std::string("; again_ns: waves of 256, less as simulated")};
}

}  // namespace tasktwin::verify
