#include "verify/calibration/probes/decode_probes.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "verify/calibration/probes/micro_graphs.hpp"

namespace tasktwin::verify {

namespace {

/// Llama-3.2-1B: its matrices are far larger than the cache.
const DecodeProblem kModel{kDecodeLayers, 2048, 32, 8, 8192, 128256, 4096, 16};
/// A few layers of Llama-3.1-8B: longer rows.
const DecodeProblem kWideModel{4, 4096, 32, 8, 14336, 128256, 4096, 16};

/// Components of a head in models of other widths.
constexpr int kHeadDim = 64;

/// Equal tiles of the rows of layer 0: a wave of one kernel.
std::vector<Task> wave_of(Kernel kernel, int rows) {
  std::vector<Task> wave;
  for (int i = 0; i < kWaveWidth; ++i) wave.push_back(sized_task(kernel, {0, i * rows, rows, 0}, 0, 0));
  return wave;
}

/// Reads more than the cache holds, as between two steps of a model that streams its weights.
std::vector<Task> displacing_wave(Kernel kernel, const DecodeProblem& model = kModel) {
  const int rows = kWaveWidth * std::max(1, kModel.hidden / model.hidden);  // of the head
  std::vector<Task> wave = wave_of(kernel == Kernel::kHead ? Kernel::kGateUp : Kernel::kHead, kernel == Kernel::kHead ? kWaveWidth : rows);
  // Two layers' worth of the smaller matrix.
  for (int i = 0; kernel == Kernel::kHead && i < kWaveWidth; ++i)
    wave[static_cast<std::size_t>(i)].args = {i / 64, i % 64 * kWaveWidth, kWaveWidth, 0};
  return wave;
}

/// Writes what the kernel reads, as the step before it does in a model: freshly written data come from other cores' writes.
std::vector<Task> producing_wave(Kernel kernel, const DecodeProblem& model = kModel) {
  switch (kernel) {
    case Kernel::kQkv:
      return {sized_task(Kernel::kRmsNorm, {0, 0, 0, 0}, 0, 0)};
    case Kernel::kGateUp:
      return {sized_task(Kernel::kRmsNorm, {0, 1, 0, 0}, 0, 0)};
    case Kernel::kHead:
      return {sized_task(Kernel::kRmsNorm, {model.layers, 0, 0, 0}, 0, 0)};
    case Kernel::kAttention:
      return wave_of(Kernel::kQkv, model.qkv_rows() / kWaveWidth);
    case Kernel::kProject: {
      std::vector<Task> wave;
      for (int head = 0; head < model.kv_heads; ++head)
        wave.push_back(sized_task(Kernel::kAttentionMerge, {0, head, model.slices, 0}, 0, 0));
      return wave;
    }
    case Kernel::kDown:
      return wave_of(Kernel::kGateUp, model.mlp / kWaveWidth);
    case Kernel::kRmsNorm:
      return wave_of(Kernel::kDown, model.hidden / kWaveWidth);
    default:
      return {};
  }
}

std::vector<std::vector<Task>> waves_before(Kernel kernel, const DecodeProblem& model = kModel) {
  return {displacing_wave(kernel, model), producing_wave(kernel, model)};
}

BodyProbe matrix_probe_of(const DecodeProblem& model, Kernel kernel, int rows) {
  const int columns = kernel == Kernel::kDown ? model.mlp : model.hidden;
  const int height = kernel == Kernel::kQkv      ? model.qkv_rows()
                     : kernel == Kernel::kGateUp ? model.mlp
                     : kernel == Kernel::kHead   ? model.vocabulary
                                                 : model.hidden;
  const std::int64_t weights = std::int64_t{rows} * columns * (kernel == Kernel::kGateUp ? 2 : 1);
  BodyProbe probe{.tasks = {}, .problem = model, .between = waves_before(kernel, model)};
  for (int layer = 0; layer < (kernel == Kernel::kHead ? 1 : model.layers); ++layer) {
    for (int first = 0; first + rows <= height; first += rows)
      probe.tasks.push_back(sized_task(kernel, {layer, first, rows, 0}, 2 * weights, 2 * weights));
  }
  probe.tasks.resize(probe.tasks.size() / kWaveWidth * kWaveWidth);  // a smaller wave would not be as short of bandwidth
  return probe;
}

}  // namespace

BodyProbe matrix_probe(Kernel kernel, int rows) { return matrix_probe_of(kModel, kernel, rows); }

BodyProbe wide_matrix_probe(Kernel kernel, int rows) { return matrix_probe_of(kWideModel, kernel, rows); }

BodyProbe row_length_probe(Kernel kernel, int rows, int columns) {
  DecodeProblem model{kDecodeLayers, columns, columns / kHeadDim, 4, 8192, 128256, 1024, 4};
  if (kernel == Kernel::kDown) model = {8, kModel.hidden, kModel.heads, kModel.kv_heads, columns, kModel.vocabulary, 1024, 4};
  BodyProbe probe = matrix_probe_of(model, kernel, rows);
  constexpr std::size_t kWaves = 4;
  probe.tasks.resize(std::min(probe.tasks.size(), kWaves * kWaveWidth));
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

BodyProbe cached_attention_probe(int slices) {
  constexpr std::size_t kLayers = 2;
  BodyProbe probe = attention_probe(slices);
  const std::size_t few = kLayers * probe.tasks.size() / static_cast<std::size_t>(kModel.layers);
  for (std::size_t i = few; i < probe.tasks.size(); ++i) probe.tasks[i] = probe.tasks[i % few];
  probe.between = {producing_wave(Kernel::kAttention)};
  return probe;
}

BodyProbe behind_keys_and_values(BodyProbe probe) {
  probe.ahead = attention_probe(std::get<DecodeProblem>(probe.problem).slices).tasks;
  return probe;
}

BodyProbe uncached(BodyProbe probe) {
  constexpr std::size_t kWaves = 4;
  probe.between.erase(probe.between.begin());  // what displaces the matrices
  probe.tasks.resize(std::min(probe.tasks.size(), kWaves * static_cast<std::size_t>(probe.width)));
  return behind_keys_and_values(std::move(probe));
}

BodyProbe merge_probe(int slices) {
  DecodeProblem problem = kModel;
  problem.slices = slices;
  const int positions = problem.kv_length / slices;
  std::vector<Task> attention;
  for (int i = 0; i < problem.kv_heads * slices; ++i)
    attention.push_back(sized_task(Kernel::kAttention, {0, i / slices, i % slices * positions, positions}, 0, 0));
  BodyProbe probe{
      .tasks = {}, .problem = problem, .between = {displacing_wave(Kernel::kAttentionMerge), attention}, .width = problem.kv_heads};
  const std::int64_t flops = std::int64_t{4} * slices * problem.head_dim() * (problem.heads / problem.kv_heads);
  for (int i = 0; i < 12 * problem.kv_heads; ++i)
    probe.tasks.push_back(
        sized_task(Kernel::kAttentionMerge, {i / problem.kv_heads % problem.layers, i % problem.kv_heads, slices, 0}, flops, 0));
  return probe;
}

BodyProbe norm_width_probe(int hidden) {
  constexpr int kCount = 48;
  DecodeProblem model = kModel;
  model.layers = 4;
  model.hidden = hidden;
  model.heads = hidden / kHeadDim;
  BodyProbe probe{.tasks = {}, .problem = model, .between = {producing_wave(Kernel::kRmsNorm, model)}, .width = 1};
  for (int i = 0; i < kCount; ++i) probe.tasks.push_back(sized_task(Kernel::kRmsNorm, {i / 2 % model.layers, i % 2, 0, 0}, 0, 0));
  return probe;
}

BodyProbe norm_probe(int layers, int count) {
  BodyProbe probe{.tasks = {}, .problem = kModel, .between = {producing_wave(Kernel::kRmsNorm)}, .width = 1};
  for (int i = 0; i < count; ++i) probe.tasks.push_back(sized_task(Kernel::kRmsNorm, {i / 2 % layers, i % 2, 0, 0}, 0, 0));
  return probe;
}

}  // namespace tasktwin::verify
