#include <algorithm>
#include <vector>

#include "models/cost/footprint.hpp"
#include "models/rules/stream_ring.hpp"
#include "models/runtimes/runtimes.hpp"
#include "verify/calibration/bodies/simulated_steps.hpp"
#include "verify/calibration/fit/fit.hpp"

namespace tasktwin::verify {

namespace {

using mechanism::LaunchedKernels;

constexpr int kRepeats = 5;
constexpr int kGrids = 6;  // of a chain
constexpr std::int64_t kFlops = 20'000'000;
constexpr std::int64_t kStreamBytes = 4 << 20;
constexpr int kStreamThreads = 64;

/// A grid, every SM divided so that all blocks fit together.
struct Grid {
  Kernel kernel = Kernel::kFma;
  int blocks = 1;
  int threads = kWholeCoreThreads;
  std::int64_t shared_memory = 0;
  std::int64_t flops = 0;
  std::int64_t bytes = 0;
};

void add_grid(TaskGraphBuilder& builder, const Grid& grid, std::int32_t column) {
  Task task{.cost = {.flops = {grid.flops}, .bytes = {grid.bytes}}, .args = {column, 0, 0, 0}, .kernel = grid.kernel};
  task.traits = builder.add_traits({.blocks = grid.blocks, .threads = grid.threads, .shared_memory = grid.shared_memory, .carveout = 100});
  builder.add_task("grid" + std::to_string(builder.size()), task);
}

/// The time of a grid, started to ended: in a chain of them, each together with a grid of `beside` that begins with it and lasts longer.
double grid_ns(const Probes& probes, const char* what, const Grid& grid, const Grid* beside = nullptr) {
  TaskGraphBuilder builder;
  const std::uint32_t columns = beside != nullptr ? 2 : 1;
  for (std::uint32_t step = 0; step < kGrids; ++step) {
    add_grid(builder, grid, 0);
    if (beside != nullptr) add_grid(builder, *beside, 1);
    for (std::uint32_t to = 0; step > 0 && to < columns; ++to) {
      for (std::uint32_t from = 0; from < columns; ++from)
        builder.add_edge(TaskId{columns * (step - 1) + from}, TaskId{columns * step + to});
    }
  }
  const TaskGraph graph = std::move(builder).build();
  const Timeline timeline = probes.run(what, graph, named_design("cuda-graph"), kRepeats).timeline;
  std::vector<double> times;
  for (std::uint32_t step = 1; step < kGrids; ++step) {  // the first one's code is cold
    const TaskTimes& task = timeline.tasks[columns * step];
    times.push_back(ns(task.ended - task.started));
  }
  return trimmed_mean(times);
}

/// Bytes/ns that one block of kStreamThreads with a ring draws where few others do.
double ring_rate(const Probes& probes) {
  const auto took = [&](std::int64_t bytes) {
    return grid_ns(probes, "small readers",
                   {.kernel = Kernel::kStream,
                    .blocks = 8,
                    .threads = kStreamThreads,
                    .shared_memory = rules::stream_ring_bytes(kStreamThreads),
                    .bytes = bytes});
  };
  return static_cast<double>(kStreamBytes) / (took(2 * kStreamBytes) - took(kStreamBytes));
}

}  // namespace

Calibrated<LaunchedKernels> calibrate_shared_cores(Probes& probes, Machine& machine) {
  const int cores = machine.core_count();
  const Grid full{.blocks = cores, .flops = kFlops};
  Grid twice = full;
  twice.blocks *= 2;
  const Grid warps{.blocks = cores, .threads = 32, .flops = kFlops / 4};
  const Grid readers{.kernel = Kernel::kStream, .blocks = cores, .bytes = kStreamBytes};
  const double alone = grid_ns(probes, "a block on each SM", full);

  KernelCost& fma = machine.kernels[static_cast<std::size_t>(Kernel::kFma)];
  fma.issue = std::clamp(grid_ns(probes, "two blocks on each SM", twice) / (2 * alone), 0.0, 1.0);
  fma.warp_issue = std::clamp(fma.issue * alone / (4 * grid_ns(probes, "a warp on each SM", warps)), 0.0, 1.0);
  KernelCost& stream = machine.kernels[static_cast<std::size_t>(Kernel::kStream)];
  stream.issue = std::clamp(grid_ns(probes, "arithmetic beside a reader on each SM", full, &readers) / alone - fma.issue, 0.0, 1.0);
  stream.warp_issue = stream.issue * 32 / kWholeCoreThreads;
  probes.keep_sample("kernels.fma", "issue", fma.issue);
  probes.keep_sample("kernels.fma", "warp_issue", fma.warp_issue);
  probes.keep_sample("kernels.stream", "issue", stream.issue);

  Calibrated<LaunchedKernels> found(&Machine::launched_kernels);
  const auto under_way = static_cast<double>(rules::stream_under_way(kStreamThreads, rules::stream_ring_bytes(kStreamThreads)));
  found.set(&LaunchedKernels::stream_latency, under_way / ring_rate(probes),
            "4 and 8 MiB read by 8 blocks of 64 threads with a ring, by what they have under way");
  return found;
}

}  // namespace tasktwin::verify
