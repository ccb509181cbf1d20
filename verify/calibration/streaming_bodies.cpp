#include <algorithm>
#include <map>

#include "verify/calibration/body_times.hpp"
#include "verify/calibration/calibration.hpp"
#include "verify/calibration/fit.hpp"
#include "verify/calibration/kernel_phases.hpp"
#include "verify/calibration/micro_graphs.hpp"
#include "verify/calibration/refinement.hpp"

namespace tasktwin::verify {

namespace {

constexpr int kWaveWidth = 128;
constexpr const char* kReaders = "bodies of three sizes, one after the other and in waves of 128, least squares by simulation";

/// Llama-3.2-1B: its matrices are far larger than the cache.
const DecodeProblem kModel{16, 2048, 32, 8, 8192, 128256, 4096, 16};

/// Equal tiles of the rows of layer 0: a wave of one kernel.
std::vector<Task> wave_of(Kernel kernel, int rows) {
  std::vector<Task> wave;
  for (int i = 0; i < kWaveWidth; ++i) wave.push_back(sized_task(kernel, {0, i * rows, rows, 0}, 0, 0));
  return wave;
}

/// Reads more than the cache holds, as between two steps of a model that streams its weights.
std::vector<Task> displacing_wave(Kernel kernel) {
  std::vector<Task> wave = wave_of(kernel == Kernel::kHead ? Kernel::kGateUp : Kernel::kHead, kWaveWidth);
  // Two layers' worth of the smaller matrix.
  for (int i = 0; kernel == Kernel::kHead && i < kWaveWidth; ++i)
    wave[static_cast<std::size_t>(i)].args = {i / 64, i % 64 * kWaveWidth, kWaveWidth, 0};
  return wave;
}

/// Writes what the kernel reads, as the step before it does in a model: freshly written data come from other cores' writes.
std::vector<Task> producing_wave(Kernel kernel) {
  switch (kernel) {
    case Kernel::kQkv:
      return {sized_task(Kernel::kRmsNorm, {0, 0, 0, 0}, 0, 0)};
    case Kernel::kGateUp:
      return {sized_task(Kernel::kRmsNorm, {0, 1, 0, 0}, 0, 0)};
    case Kernel::kHead:
      return {sized_task(Kernel::kRmsNorm, {kModel.layers, 0, 0, 0}, 0, 0)};
    case Kernel::kAttention:
      return wave_of(Kernel::kQkv, kModel.qkv_rows() / kWaveWidth);
    case Kernel::kAttentionMerge: {
      std::vector<Task> wave;
      const int positions = kModel.kv_length / kModel.slices;
      for (int i = 0; i < kModel.kv_heads * kModel.slices; ++i)
        wave.push_back(sized_task(Kernel::kAttention, {0, i / kModel.slices, i % kModel.slices * positions, positions}, 0, 0));
      return wave;
    }
    case Kernel::kProject: {
      std::vector<Task> wave;
      for (int head = 0; head < kModel.kv_heads; ++head)
        wave.push_back(sized_task(Kernel::kAttentionMerge, {0, head, kModel.slices, 0}, 0, 0));
      return wave;
    }
    case Kernel::kDown:
      return wave_of(Kernel::kGateUp, kModel.mlp / kWaveWidth);
    case Kernel::kRmsNorm:
      return wave_of(Kernel::kDown, kModel.hidden / kWaveWidth);
    default:
      return {};
  }
}

std::vector<std::vector<Task>> waves_before(Kernel kernel) { return {displacing_wave(kernel), producing_wave(kernel)}; }

/// The model's matrices, cut into tiles of `rows`; whole waves of them.
BodyProbe matrix_probe(Kernel kernel, int rows) {
  const int columns = kernel == Kernel::kDown ? kModel.mlp : kModel.hidden;
  const int height = kernel == Kernel::kQkv      ? kModel.qkv_rows()
                     : kernel == Kernel::kGateUp ? kModel.mlp
                     : kernel == Kernel::kHead   ? kModel.vocabulary
                                                 : kModel.hidden;
  const std::int64_t weights = std::int64_t{rows} * columns * (kernel == Kernel::kGateUp ? 2 : 1);
  BodyProbe probe{.tasks = {}, .problem = kModel, .between = waves_before(kernel)};
  for (int layer = 0; layer < (kernel == Kernel::kHead ? 1 : kModel.layers); ++layer) {
    for (int first = 0; first + rows <= height; first += rows)
      probe.tasks.push_back(sized_task(kernel, {layer, first, rows, 0}, 2 * weights, 2 * weights));
  }
  probe.tasks.resize(probe.tasks.size() / kWaveWidth * kWaveWidth);  // a smaller wave would not be as short of bandwidth
  return probe;
}

BodyProbe attention_probe(int slices) {
  DecodeProblem problem = kModel;
  problem.slices = slices;
  const int positions = problem.kv_length / slices;
  BodyProbe probe{.tasks = {}, .problem = problem, .between = waves_before(Kernel::kAttention)};
  for (int layer = 0; layer < problem.layers; ++layer) {
    for (int head = 0; head < problem.kv_heads; ++head) {
      for (int slice = 0; slice < slices; ++slice) {
        probe.tasks.push_back(sized_task(Kernel::kAttention, {layer, head, slice * positions, positions},
                                         std::int64_t{4} * positions * problem.head_dim() * 4,
                                         std::int64_t{4} * positions * problem.head_dim()));
      }
    }
  }
  return probe;
}

BodyProbe stream_probe(std::int64_t bytes) {
  const auto count = static_cast<std::size_t>(std::clamp<std::int64_t>((std::int64_t{1} << 30) / bytes, 300, 4000));
  return {.tasks = std::vector<Task>(count, sized_task(Kernel::kStream, {}, 0, bytes)), .problem = {}, .between = {}};
}

/// The first hundred, one after the other.
BodyProbe alone(BodyProbe probe) {
  probe.tasks.resize(std::min<std::size_t>(probe.tasks.size(), 100));
  probe.width = 1;
  return probe;
}

/// A kernel that streams weights: time = overhead + size · slope, alone on one core and with all cores at it.
struct StreamingFit {
  std::vector<BodyProbe> probes;  ///< of each size: one after the other, and in waves
  std::vector<double> warm;       ///< their bodies
  double overhead_ns = 0;
  double alone_ns_per_byte = 0;
  double together_ns_per_byte = 0;
  double flops_per_byte = 0;
  KernelPhases phases;
};

StreamingFit fit_streaming(Calibration& calibration, const std::vector<BodyProbe>& probes) {
  std::vector<Observation> observations;
  StreamingFit fit;
  for (const BodyProbe& probe : probes) {
    const Cost& cost = probe.tasks.front().cost;
    const auto bytes = static_cast<double>(cost.bytes.count);
    fit.flops_per_byte = static_cast<double>(cost.flops.count) / bytes;
    const BodyTimes together = measure_bodies(calibration, probe);
    const double lonely = measure_bodies(calibration, alone(probe)).warm;
    observations.push_back({{1.0, bytes, 0.0}, lonely});
    observations.push_back({{1.0, 0.0, bytes}, together.warm});
    fit.probes.insert(fit.probes.end(), {alone(probe), probe});
    fit.warm.insert(fit.warm.end(), {lonely, together.warm});
    fit.phases.add(together, measure_publishing(calibration, probe));
  }
  const std::vector<Estimate> constants = fit_constants(observations);
  fit.overhead_ns = constants[0];
  fit.alone_ns_per_byte = constants[1];
  fit.together_ns_per_byte = constants[2];
  return fit;
}

/// The waves' bodies do not start at one moment, so that they share the bandwidth for less than their whole time: fits what the kernel
/// needs to what the simulator makes of it.
KernelCost refined(const Machine& machine, Kernel kernel, const StreamingFit& fit) {
  const auto cost_of = [kernel](Machine& changed) -> KernelCost& { return changed.kernels[static_cast<std::size_t>(kernel)]; };
  const std::vector<Unknown> unknowns{{[kernel](const Machine& now) { return now.kernel_cost(kernel).overhead.count(); },
                                       [cost_of](Machine& changed, double value) { cost_of(changed).overhead = Nanoseconds{value}; }},
                                      {[kernel](const Machine& now) { return now.kernel_cost(kernel).traffic; },
                                       [cost_of](Machine& changed, double value) { cost_of(changed).traffic = std::max(1.0, value); }},
                                      {[kernel](const Machine& now) {
                                         return now.kernel_cost(kernel).arithmetic.empty() ? 0
                                                                                           : now.kernel_cost(kernel).arithmetic.front().ns;
                                       },
                                       [cost_of](Machine& changed, double value) { cost_of(changed).arithmetic.front().ns = value; }}};
  std::vector<TaskGraph> graphs;
  for (const BodyProbe& probe : fit.probes) graphs.push_back(graph_of(probe));
  std::vector<Target> targets;
  for (std::size_t i = 0; i < graphs.size(); ++i) {
    targets.push_back(
        {[&graph = graphs[i], &probe = fit.probes[i]](const Machine& now) { return simulate_bodies(now, graph, probe); }, fit.warm[i]});
  }
  const std::vector<Estimate> found = fit_by_simulation(machine, unknowns, targets);
  Machine changed = machine;
  for (std::size_t i = 0; i < unknowns.size(); ++i) {
    if (found[i].value > 0) unknowns[i].set(changed, found[i]);
  }
  return changed.kernel_cost(kernel);
}

void calibrate_readers(Calibration& calibration) {
  std::map<Kernel, StreamingFit> fits;
  fits[Kernel::kStream] = fit_streaming(calibration, {stream_probe(64 << 10), stream_probe(256 << 10), stream_probe(1 << 20)});
  const std::map<Kernel, std::array<int, 3>> rows{{Kernel::kQkv, {8, 32, 64}},
                                                  {Kernel::kProject, {8, 32, 64}},
                                                  {Kernel::kDown, {8, 32, 64}},
                                                  {Kernel::kGateUp, {16, 32, 128}},
                                                  {Kernel::kHead, {64, 256, 501}}};
  for (const auto& [kernel, sizes] : rows) {
    std::vector<BodyProbe> probes;
    for (const int size : sizes) probes.push_back(matrix_probe(kernel, size));
    fits[kernel] = fit_streaming(calibration, probes);
  }

  double alone = fits[Kernel::kStream].alone_ns_per_byte;
  double together = fits[Kernel::kStream].together_ns_per_byte;
  for (const auto& [kernel, fit] : fits) {
    alone = std::min(alone, fit.alone_ns_per_byte);
    together = std::min(together, fit.together_ns_per_byte);
  }
  calibration.set("core_bandwidth_gb_per_s", 1 / alone, "the fastest body of those that read memory, alone on one core");
  calibration.set("memory_bandwidth_gb_per_s", kWaveWidth / together, "the fastest bodies of those that read memory, in waves of 128");
  for (const auto& [kernel, fit] : fits) {
    KernelCost cost{.overhead = Nanoseconds{fit.overhead_ns}, .traffic = fit.together_ns_per_byte / together};
    // What a core needs by itself beyond the fastest reader is its own arithmetic, as far as the model knows.
    if (fit.flops_per_byte > 0) cost.arithmetic = {{1e6, 1e6 / fit.flops_per_byte * fit.alone_ns_per_byte}};
    calibration.set_kernel(kernel, fit.phases.in(cost), kReaders);
  }
  for (const auto& [kernel, fit] : fits) calibration.set_kernel(kernel, refined(calibration.machine(), kernel, fit), kReaders);
}

/// A time of its own, whatever is beside it.
void calibrate_small(Calibration& calibration, const BodyProbe& probe, const std::string& method) {
  KernelPhases phases;
  const BodyTimes seen = measure_bodies(calibration, probe);
  phases.add(seen, measure_publishing(calibration, probe));
  calibration.set_kernel(probe.tasks.front().kernel, phases.in({.overhead = Nanoseconds{seen.warm}}), method);
}

/// Attention is bound by its arithmetic and latencies, in no straight line of its size.
void calibrate_attention(Calibration& calibration) {
  KernelCost cost;
  KernelPhases phases;
  for (const int slices : {64, 32, 8, 4}) {
    const BodyProbe probe = attention_probe(slices);
    const BodyTimes seen = measure_bodies(calibration, probe);
    cost.arithmetic.push_back({static_cast<double>(probe.tasks.front().cost.flops.count), seen.warm});
    phases.add(seen, measure_publishing(calibration, probe));
  }
  calibration.set_kernel(Kernel::kAttention, phases.in(cost), "bodies over 64 to 1024 positions in waves of 128, mean");
}

}  // namespace

void calibrate_streaming_bodies(Calibration& calibration) {
  calibrate_readers(calibration);
  std::vector<Task> norms;
  std::vector<Task> merges;
  for (int i = 0; i < 96; ++i) {
    norms.push_back(sized_task(Kernel::kRmsNorm, {i / 2 % kModel.layers, i % 2, 0, 0}, 0, 0));
    merges.push_back(sized_task(Kernel::kAttentionMerge, {i / 8 % kModel.layers, i % 8, kModel.slices, 0}, 0, 0));
  }
  calibrate_small(calibration, {.tasks = norms, .problem = kModel, .between = waves_before(Kernel::kRmsNorm), .width = 1},
                  "started to ended of bodies one after the other, mean");
  calibrate_small(calibration,
                  {.tasks = merges, .problem = kModel, .between = waves_before(Kernel::kAttentionMerge), .width = kModel.kv_heads},
                  "started to ended of bodies in waves of 8, mean");
  calibrate_attention(calibration);
}

}  // namespace tasktwin::verify
