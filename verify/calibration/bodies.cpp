#include <algorithm>
#include <map>

#include "verify/calibration/calibration.hpp"
#include "verify/calibration/fit.hpp"
#include "verify/calibration/micro_graphs.hpp"

namespace tasktwin::verify {

namespace {

using namespace std::chrono_literals;

/// A body of one size, and how many of them make a micro-benchmark.
struct Probe {
  std::vector<Task> tasks;
  Problem problem;
  std::vector<Task> between;  ///< run between them, so that neither data nor code of the last is left in a cache
};

/// How the bodies of a micro-benchmark meet each other.
enum class Company {
  kAlone,  ///< one after the other, each on another core, with displaced caches
  kWaves,  ///< a core each, all at once, again and again, with displaced caches
  kCrowd,  ///< independent, all cores busy all the time
};

constexpr int kWaveWidth = 128;

/// The trimmed mean of ended − started, in ns.
double body_time(Calibration& calibration, Kernel kernel, const Probe& probe, Company company) {
  TaskGraph graph;
  Design design = named_design("static-queues");
  design.placement = Placement::kRoundRobin;
  std::string_view setting;
  switch (company) {
    case Company::kAlone: {
      std::vector<Task> few = probe.tasks;
      few.resize(std::min<std::size_t>(few.size(), 100));
      graph = wave_graph(few, 1, probe.between, probe.problem);
      setting = "one after the other";
      break;
    }
    case Company::kWaves:
      graph = wave_graph(probe.tasks, kWaveWidth, probe.between, probe.problem);
      setting = "in waves of 128";
      break;
    case Company::kCrowd:
      graph = independent_graph(probe.tasks, probe.problem);
      setting = "all cores busy";
      break;
  }
  const Timeline timeline = calibration.run("the body of " + std::string(to_word(kernel)), graph, design, 1).timeline;
  std::vector<double> times;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (graph[task_id(i)].kernel == kernel && graph[task_id(i)].cost.bytes == probe.tasks.front().cost.bytes)
      times.push_back(static_cast<double>((timeline.tasks[i].ended - timeline.tasks[i].started).count()));
  }
  const double mean = trimmed_mean(times);
  const Cost& cost = probe.tasks.front().cost;
  calibration.keep_sample(
      "kernels." + std::string(to_word(kernel)),
      std::to_string(cost.flops.count) + " flops; " + std::to_string(cost.bytes.count) + " bytes; " + std::string(setting), mean);
  return mean;
}

Task sized_task(Kernel kernel, std::array<std::int32_t, 4> args, std::int64_t flops, std::int64_t bytes) {
  Task task;
  task.kernel = kernel;
  task.args = args;
  task.cost.flops = {flops};
  task.cost.bytes = {bytes};
  return task;
}

Probe repeated(const Task& task, int count) { return {std::vector<Task>(static_cast<std::size_t>(count), task), {}, {}}; }

void calibrate_synthetic(Calibration& calibration) {
  const auto fixed = [&](Kernel kernel) {
    Task task;
    task.kernel = kernel;
    return body_time(calibration, kernel, repeated(task, 4000), Company::kCrowd);
  };
  calibration.set_kernel(Kernel::kEmpty, {Nanoseconds{fixed(Kernel::kEmpty)}, {}}, "started to ended of empty bodies");
  calibration.set_kernel(Kernel::kSpin, {Nanoseconds{fixed(Kernel::kSpin)}, {}}, "started to ended of bodies that spin for 0 ns");

  std::vector<Observation> times;
  for (const std::int64_t flops : {200'000, 1'000'000, 5'000'000}) {
    times.push_back({{1.0, static_cast<double>(flops)},
                     body_time(calibration, Kernel::kFma, repeated(sized_task(Kernel::kFma, {}, flops, 0), 600), Company::kCrowd)});
  }
  const std::vector<double> fma = fit_constants(times);
  calibration.set_kernel(Kernel::kFma, {Nanoseconds{fma[0]}, {{1e6, 1e6 * fma[1]}}},
                         "bodies of 0.2, 1 and 5 Mflop on all cores, least squares");
}

/// The tiles of a factorisation as independent tasks: their numbers mean nothing then, but their times do.
void calibrate_cholesky(Calibration& calibration) {
  constexpr int kTiles = 16;
  std::map<Kernel, std::vector<KernelCost::Point>> points;
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
      const double time = body_time(calibration, kernel, {list, CholeskyProblem{kTiles, size}, {}}, Company::kCrowd);
      points[kernel].push_back({static_cast<double>(list.front().cost.flops.count), time});
    }
  }
  for (const auto& [kernel, curve] : points) {
    calibration.set_kernel(kernel, {Nanoseconds{0}, curve}, "bodies on independent tiles of 32, 64, 96 and 128 rows on all cores, mean");
  }
}

/// A kernel that streams weights: time = overhead + size · slope, alone on one core and with all cores at it.
struct StreamingFit {
  double overhead_ns = 0;
  double alone_ns_per_byte = 0;
  double together_ns_per_byte = 0;
  double flops_per_byte = 0;
};

StreamingFit fit_streaming(Calibration& calibration, Kernel kernel, const std::vector<Probe>& probes) {
  std::vector<Observation> observations;
  StreamingFit fit;
  for (const Probe& probe : probes) {
    const Cost& cost = probe.tasks.front().cost;
    const auto bytes = static_cast<double>(cost.bytes.count);
    fit.flops_per_byte = static_cast<double>(cost.flops.count) / bytes;
    observations.push_back({{1.0, bytes, 0.0}, body_time(calibration, kernel, probe, Company::kAlone)});
    observations.push_back({{1.0, 0.0, bytes}, body_time(calibration, kernel, probe, Company::kWaves)});
  }
  const std::vector<double> constants = fit_constants(observations);
  fit.overhead_ns = constants[0];
  fit.alone_ns_per_byte = constants[1];
  fit.together_ns_per_byte = constants[2];
  return fit;
}

/// Tasks that together read more than the cache holds, as between the steps of a model that streams its weights.
std::vector<Task> displacing_tasks(Kernel kernel) {
  constexpr int kRows = 128;
  std::vector<Task> tasks;
  for (int i = 0; i < kWaveWidth; ++i) {
    tasks.push_back(kernel == Kernel::kHead ? sized_task(Kernel::kGateUp, {i / 64, i % 64 * kRows, kRows, 0}, 0, 0)
                                            : sized_task(Kernel::kHead, {0, i * kRows, kRows, 0}, 0, 0));
  }
  return tasks;
}

/// Llama-3.2-1B's matrices, far larger than the cache, cut into tiles of `rows`.
Probe matrix_probe(Kernel kernel, int rows) {
  const DecodeProblem problem{16, 2048, 32, 8, 8192, 128256, 4096, 16};
  const int columns = kernel == Kernel::kDown ? problem.mlp : problem.hidden;
  const int height = kernel == Kernel::kQkv      ? problem.qkv_rows()
                     : kernel == Kernel::kGateUp ? problem.mlp
                     : kernel == Kernel::kHead   ? 8 * problem.mlp
                                                 : problem.hidden;
  const std::int64_t weights = std::int64_t{rows} * columns * (kernel == Kernel::kGateUp ? 2 : 1);
  Probe probe{{}, problem, displacing_tasks(kernel)};
  for (int layer = 0; layer < (kernel == Kernel::kHead ? 1 : problem.layers); ++layer) {
    for (int first = 0; first + rows <= height; first += rows)
      probe.tasks.push_back(sized_task(kernel, {layer, first, rows, 0}, 2 * weights, 2 * weights));
  }
  return probe;
}

Probe attention_probe(int slices) {
  const DecodeProblem problem{16, 2048, 32, 8, 8192, 128256, 4096, slices};
  const int positions = problem.kv_length / slices;
  Probe probe{{}, problem, displacing_tasks(Kernel::kAttention)};
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

Probe stream_probe(std::int64_t bytes) {
  return repeated(sized_task(Kernel::kStream, {}, 0, bytes),
                  static_cast<int>(std::clamp<std::int64_t>((std::int64_t{1} << 30) / bytes, 300, 4000)));
}

void calibrate_decode(Calibration& calibration) {
  std::map<Kernel, StreamingFit> fits;
  fits[Kernel::kStream] =
      fit_streaming(calibration, Kernel::kStream, {stream_probe(64 << 10), stream_probe(256 << 10), stream_probe(1 << 20)});
  for (const Kernel kernel : {Kernel::kQkv, Kernel::kProject, Kernel::kDown}) {
    fits[kernel] = fit_streaming(calibration, kernel, {matrix_probe(kernel, 8), matrix_probe(kernel, 32), matrix_probe(kernel, 64)});
  }
  fits[Kernel::kGateUp] =
      fit_streaming(calibration, Kernel::kGateUp,
                    {matrix_probe(Kernel::kGateUp, 16), matrix_probe(Kernel::kGateUp, 32), matrix_probe(Kernel::kGateUp, 128)});
  fits[Kernel::kHead] = fit_streaming(
      calibration, Kernel::kHead, {matrix_probe(Kernel::kHead, 64), matrix_probe(Kernel::kHead, 256), matrix_probe(Kernel::kHead, 512)});

  const StreamingFit& stream = fits[Kernel::kStream];
  double fastest = stream.alone_ns_per_byte;
  for (const auto& [kernel, fit] : fits) fastest = std::min(fastest, fit.alone_ns_per_byte);
  calibration.set("core_bandwidth_gb_per_s", 1 / fastest, "the fastest body of those that read memory, alone on one core");
  calibration.set("memory_bandwidth_gb_per_s", kWaveWidth / stream.together_ns_per_byte,
                  "stream bodies in waves of 128, least squares over sizes");
  for (const auto& [kernel, fit] : fits) {
    KernelCost cost{Nanoseconds{fit.overhead_ns}, {}};
    // What a core needs by itself beyond the fastest reader is its own arithmetic, as far as the model knows.
    if (fit.flops_per_byte > 0) cost.arithmetic = {{1e6, 1e6 / fit.flops_per_byte * fit.alone_ns_per_byte}};
    calibration.set_kernel(kernel, cost, "bodies of three sizes, one after the other and in waves of 128, least squares");
  }

  const DecodeProblem problem{16, 2048, 32, 8, 8192, 128256, 4096, 16};
  const auto small = [&](Kernel kernel, const std::vector<Task>& tasks) {
    const Probe probe{tasks, problem, displacing_tasks(kernel)};
    calibration.set_kernel(kernel, {Nanoseconds{body_time(calibration, kernel, probe, Company::kAlone)}, {}},
                           "started to ended of bodies one after the other, mean");
  };
  std::vector<Task> norms;
  std::vector<Task> merges;
  for (int i = 0; i < 96; ++i) {
    norms.push_back(sized_task(Kernel::kRmsNorm, {i / 2 % problem.layers, i % 2, 0, 0}, 0, 0));
    merges.push_back(sized_task(Kernel::kAttentionMerge, {i / 8 % problem.layers, i % 8, problem.slices, 0}, 0, 0));
  }
  small(Kernel::kRmsNorm, norms);
  small(Kernel::kAttentionMerge, merges);

  // Attention is bound by its arithmetic and latencies, in no straight line of its size.
  KernelCost attention;
  for (const int slices : {64, 32, 8, 4}) {
    const Probe probe = attention_probe(slices);
    attention.arithmetic.push_back(
        {static_cast<double>(probe.tasks.front().cost.flops.count), body_time(calibration, Kernel::kAttention, probe, Company::kWaves)});
  }
  calibration.set_kernel(Kernel::kAttention, attention, "bodies over 64 to 1024 positions in waves of 128, mean");
}

}  // namespace

void calibrate_bodies(Calibration& calibration) {
  calibrate_synthetic(calibration);
  calibrate_cholesky(calibration);
  calibrate_decode(calibration);
}

}  // namespace tasktwin::verify
