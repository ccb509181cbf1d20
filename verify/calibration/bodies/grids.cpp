// What bodies take longer in kernels of several blocks than one by one on resident cores.
#include <algorithm>
#include <span>
#include <string>
#include <utility>

#include "models/runtimes/runtimes.hpp"
#include "sim/simulator.hpp"
#include "verify/calibration/bodies/simulated_steps.hpp"
#include "verify/calibration/probes/decode_probes.hpp"

namespace tasktwin::verify {

namespace {

constexpr std::size_t kKernelsEach = 8;

/// All attention of the model that the probe is of: keys and values of a whole run, which displace what the run before has left.
std::vector<std::vector<Task>> all_attention(const DecodeProblem& model) {
  const int positions = model.kv_length / model.slices;
  const std::int64_t elements = std::int64_t{positions} * model.head_dim();
  std::vector<std::vector<Task>> kernels;
  for (int layer = 0; layer < model.layers; ++layer)
    kernels.emplace_back(static_cast<std::size_t>(model.kv_heads) * static_cast<std::size_t>(model.slices),
                         sized_task(Kernel::kAttention, {layer, 0, 0, positions}, 16 * elements, 4 * elements));
  return kernels;
}

/// The waves of a probe, each a kernel whose blocks are its tasks, one after the other, after the kernels `ahead`.
struct GridChain {
  TaskGraph graph;
  std::vector<TaskId> own;  ///< the probe's, without the first, whose code is cold
};

GridChain grid_chain(const BodyProbe& probe, const std::vector<std::vector<Task>>& ahead = {}) {
  TaskGraphBuilder builder;
  builder.set_problem(probe.problem);
  std::vector<TaskId> own;
  const auto add = [&builder](std::span<const Task> wave) {
    Task grid = wave.front();
    grid.traits = builder.add_traits({.blocks = static_cast<int>(wave.size())});
    const TaskId id = builder.add_task("grid" + std::to_string(builder.size()), grid);
    if (index(id) > 0) builder.add_edge(task_id(index(id) - 1), id);
    return id;
  };
  for (const std::vector<Task>& kernel : ahead) add(kernel);
  const auto width = static_cast<std::size_t>(probe.width);
  for (std::size_t first = 0; first + width <= probe.tasks.size(); first += width) {
    for (const std::vector<Task>& wave : probe.between) add(wave);
    const TaskId id = add(std::span(probe.tasks).subspan(first, width));
    if (first > 0) own.push_back(id);
  }
  add(probe.between.back());
  return {std::move(builder).build(), std::move(own)};
}

/// Means over the probe's own kernels, in ns.
struct GridTimes {
  double body = 0;  ///< of a block
  double gap = 0;   ///< ended to the next kernel's start
};

GridTimes times_of(const Timeline& timeline, const std::vector<TaskId>& own) {
  std::vector<double> bodies;
  std::vector<double> gaps;
  for (const BlockTimes& block : timeline.blocks) {
    if (std::ranges::binary_search(own, block.task)) bodies.push_back(ns(block.ended - block.started));
  }
  for (const TaskId task : own) gaps.push_back(ns(timeline.tasks[index(task) + 1].started - timeline.tasks[index(task)].ended));
  return {mean_or_zero(bodies), mean_or_zero(gaps)};
}

/// As many tasks as make a few kernels of `width` blocks each.
BodyProbe few_waves(BodyProbe probe, int width) {
  probe.width = width;
  probe.tasks.resize(std::min(probe.tasks.size(), kKernelsEach * static_cast<std::size_t>(width)));
  return probe;
}

/// Short bodies, so that what they take longer does not vanish.
BodyProbe short_bodies(Kernel kernel) {
  constexpr int kSlices = 8;
  constexpr int kRows = 8;
  const DecodeProblem any = std::get<DecodeProblem>(attention_probe(kSlices).problem);
  if (kernel == Kernel::kAttention) return few_waves(attention_probe(kSlices), any.kv_heads * kSlices);
  if (kernel == Kernel::kAttentionMerge) return few_waves(merge_probe(kSlices), any.kv_heads);
  BodyProbe probe = few_waves(wide_matrix_probe(kernel, kRows), kWaveWidth);
  if (kernel == Kernel::kHead) probe.between.front().resize(kWaveWidth / 2);  // rows of one matrix, as blocks of a kernel have them
  return probe;
}

CalibratedKernel calibrate_grid(Probes& probes, const Machine& known, Kernel kernel) {
  const BodyProbe probe = short_bodies(kernel);
  const Design graphs = named_design("cuda-graph");
  const std::string what = "grids of " + std::string(to_word(kernel));
  const GridChain chain = grid_chain(probe);
  const GridTimes seen = times_of(probes.run(what, chain.graph, graphs, kBodyRepeats).timeline, chain.own);
  const GridTimes told = times_of(sim::simulate(chain.graph, known, graphs).timeline, chain.own);
  const GridChain uncached = grid_chain(probe, all_attention(std::get<DecodeProblem>(probe.problem)));
  const double seen_gap = times_of(probes.run(what, uncached.graph, graphs, kBodyRepeats).timeline, uncached.own).gap;
  const double told_gap = times_of(sim::simulate(uncached.graph, known, graphs).timeline, uncached.own).gap;
  const double seen_apart = measure_bodies(probes, known, probe).warm;
  const double told_apart = simulate_bodies(known, graph_of(probe), probe).warm;
  keep_body_sample(probes, probe, "; in a grid", seen.body);
  keep_body_sample(probes, probe, "; uncached; behind a grid", seen_gap);
  KernelCost cost = known.kernel_cost(kernel);
  cost.grid = Nanoseconds{std::max(0.0, seen.body - seen_apart - (told.body - told_apart))};
  cost.grid_end = Nanoseconds{std::max(0.0, seen_gap - told_gap)};
  return {
      kernel, cost,
      method_of(known, kernel) +
          "; grid_ns: kernels of up to 128 blocks one after the other in a graph, less the same bodies on resident cores and as simulated; "
          "grid_end_ns: ended to the next one's start, behind all keys and values of a model, less as simulated"};
}

}  // namespace

std::vector<CalibratedKernel> calibrate_grids(Probes& probes, const Machine& known) {
  std::vector<CalibratedKernel> found;
  for (const Kernel kernel :
       {Kernel::kQkv, Kernel::kAttention, Kernel::kAttentionMerge, Kernel::kProject, Kernel::kGateUp, Kernel::kDown, Kernel::kHead})
    found.push_back(calibrate_grid(probes, known, kernel));
  return found;
}

}  // namespace tasktwin::verify
