#include "scenarios/generators/llama_decode.hpp"

#include <algorithm>

#include "scenarios/generators/generators.hpp"

namespace tasktwin::scenarios {

namespace {

constexpr std::int64_t kWeightBytes = 2;  // BF16

struct RowRange {
  int first = 0;
  int rows = 0;
};

int tile_count(int rows, int tile_rows) { return (rows + tile_rows - 1) / tile_rows; }

/// The tiles of `tile_rows` rows that hold any row of `ranges`, each once, ascending.
std::vector<int> overlapping_tiles(const std::vector<RowRange>& ranges, int tile_rows) {
  std::vector<int> tiles;
  for (const RowRange& range : ranges) {
    for (int tile = range.first / tile_rows; tile <= (range.first + range.rows - 1) / tile_rows; ++tile) tiles.push_back(tile);
  }
  std::ranges::sort(tiles);
  tiles.erase(std::unique(tiles.begin(), tiles.end()), tiles.end());
  return tiles;
}

/// The rows of [Wq; Wk; Wv] that attention of `kv_head` reads: its group's queries; with the newest position, its key and value.
std::vector<RowRange> attention_rows(const DecodeProblem& model, int kv_head, bool newest) {
  const int dim = model.head_dim();
  const int group_rows = model.heads / model.kv_heads * dim;
  std::vector<RowRange> ranges{{kv_head * group_rows, group_rows}};
  if (newest) {
    ranges.push_back({model.hidden + kv_head * dim, dim});
    ranges.push_back({model.hidden + (model.kv_heads + kv_head) * dim, dim});
  }
  return ranges;
}

/// The positions of `slice`: an even split, the first slices one longer where it does not divide.
RowRange slice_positions(const DecodeProblem& model, int slice) {
  const int base = model.kv_length / model.slices;
  const int longer = model.kv_length % model.slices;
  return {slice * base + std::min(slice, longer), base + (slice < longer ? 1 : 0)};
}

class DecodeProgram {
 public:
  explicit DecodeProgram(const LlamaDecodeParameters& parameters) : parameters_(parameters), model_(parameters.model) {
    builder_.set_problem(model_);
  }

  TaskGraph build() && {
    if (parameters_.grids) return std::move(*this).build_grids();
    std::vector<TaskId> state;
    for (int layer = 0; layer < model_.layers; ++layer) {
      const TaskId attention_norm = add(Kernel::kRmsNorm, layer, {layer, 0}, {layer, 0, 0, 0}, {}, state);
      const auto qkv = add_matrix(Kernel::kQkv, layer, model_.qkv_rows(), parameters_.qkv_rows, model_.hidden, {attention_norm});
      const auto project =
          add_matrix(Kernel::kProject, layer, model_.hidden, parameters_.project_rows, model_.hidden, add_attention(layer, qkv));
      const TaskId mlp_norm = add(Kernel::kRmsNorm, layer, {layer, 1}, {layer, 1, 0, 0}, {}, project);
      const auto gate_up = add_matrix(Kernel::kGateUp, layer, model_.mlp, parameters_.gate_up_rows, 2 * model_.hidden, {mlp_norm});
      const TaskId join = add(Kernel::kEmpty, layer, {layer}, {}, {}, gate_up);
      state = add_matrix(Kernel::kDown, layer, model_.hidden, parameters_.down_rows, model_.mlp, {join});
    }
    const TaskId last_norm = add(Kernel::kRmsNorm, model_.layers, {model_.layers, 0}, {model_.layers, 0, 0, 0}, {}, state);
    add_matrix(Kernel::kHead, model_.layers, model_.vocabulary, parameters_.head_rows, model_.hidden, {last_norm});
    return std::move(builder_).build();
  }

 private:
  TaskGraph build_grids() && {
    for (int layer = 0; layer < model_.layers; ++layer) {
      add_grid(Kernel::kRmsNorm, layer, 1, {layer, 0, 0, 0}, {}, "rms_norm(" + std::to_string(layer) + ",0)");
      add_matrix_grid(Kernel::kQkv, layer, model_.qkv_rows(), parameters_.qkv_rows, model_.hidden);
      const int positions = model_.kv_length / model_.slices;
      add_grid(Kernel::kAttention, layer, model_.kv_heads * model_.slices, {layer, 0, 0, positions}, attention_cost(positions));
      add_grid(Kernel::kAttentionMerge, layer, model_.kv_heads, {layer, 0, model_.slices, 0}, merge_cost());
      add_matrix_grid(Kernel::kProject, layer, model_.hidden, parameters_.project_rows, model_.hidden);
      add_grid(Kernel::kRmsNorm, layer, 1, {layer, 1, 0, 0}, {}, "rms_norm(" + std::to_string(layer) + ",1)");
      add_matrix_grid(Kernel::kGateUp, layer, model_.mlp, parameters_.gate_up_rows, 2 * model_.hidden);
      add_matrix_grid(Kernel::kDown, layer, model_.hidden, parameters_.down_rows, model_.mlp);
    }
    add_grid(Kernel::kRmsNorm, model_.layers, 1, {model_.layers, 0, 0, 0}, {});
    add_matrix_grid(Kernel::kHead, model_.layers, model_.vocabulary, parameters_.head_rows, model_.hidden);
    return std::move(builder_).build();
  }

  /// After the grid before it.
  void add_grid(Kernel kernel, int layer, int blocks, const std::array<std::int32_t, 4>& args, const Cost& cost, std::string name = {}) {
    if (name.empty()) name = std::string(to_word(kernel)) + (kernel == Kernel::kHead ? "" : "(" + std::to_string(layer) + ")");
    Task task{.cost = cost, .args = args, .layer = layer, .kernel = kernel};
    task.traits = builder_.add_traits({.blocks = blocks});
    const TaskId id = builder_.add_task(name, task);
    if (index(id) > 0) builder_.add_edge(task_id(index(id) - 1), id);
  }

  void add_matrix_grid(Kernel kernel, int layer, int rows, int tile_rows, std::int64_t weights_a_row) {
    add_grid(kernel, layer, rows / tile_rows, {kernel == Kernel::kHead ? 0 : layer, 0, tile_rows, 0},
             matrix_cost(tile_rows * weights_a_row));
  }

  static Cost matrix_cost(std::int64_t weights) { return {.flops = {2 * weights}, .bytes = {kWeightBytes * weights}}; }
  Cost attention_cost(int positions) const {
    const std::int64_t elements = std::int64_t{positions} * model_.head_dim();
    return {.flops = {4 * elements * (model_.heads / model_.kv_heads)}, .bytes = {2 * kWeightBytes * elements}};
  }
  Cost merge_cost() const { return {.flops = {std::int64_t{4} * model_.slices * model_.head_dim() * (model_.heads / model_.kv_heads)}}; }

  TaskId add(Kernel kernel, int layer, const std::vector<int>& named, const std::array<std::int32_t, 4>& args, const Cost& cost,
             const std::vector<TaskId>& after) {
    std::string name(kernel == Kernel::kEmpty ? "join" : to_word(kernel));
    for (std::size_t i = 0; i < named.size(); ++i) name += (i == 0 ? "(" : ",") + std::to_string(named[i]);
    Task task;
    task.kernel = kernel;
    task.layer = layer;
    task.args = args;
    task.cost = cost;
    const TaskId id = builder_.add_task(name + ")", task);
    for (const TaskId before : after) builder_.add_edge(before, id);
    return id;
  }

  /// One task a tile of a matrix with `weights_a_row` weights in a row; the head's names carry no layer, being only one.
  std::vector<TaskId> add_matrix(Kernel kernel, int layer, int rows, int tile_rows, std::int64_t weights_a_row,
                                 const std::vector<TaskId>& after) {
    std::vector<TaskId> tiles;
    const bool is_head = kernel == Kernel::kHead;
    for (int first = 0; first < rows; first += tile_rows) {
      const int count = std::min(tile_rows, rows - first);
      const std::int64_t weights = count * weights_a_row;
      const int tile = first / tile_rows;
      const auto named = is_head ? std::vector<int>{tile} : std::vector<int>{layer, tile};
      tiles.push_back(add(kernel, layer, named, {is_head ? 0 : layer, first, count, 0}, matrix_cost(weights), after));
    }
    return tiles;
  }

  /// Attention and its merges, which it returns.
  std::vector<TaskId> add_attention(int layer, const std::vector<TaskId>& qkv) {
    std::vector<std::vector<TaskId>> slices_of(static_cast<std::size_t>(model_.kv_heads));
    for (int kv_head = 0; kv_head < model_.kv_heads; ++kv_head) {
      for (int slice = 0; slice < model_.slices; ++slice) {
        std::vector<TaskId> after;
        for (const int tile : overlapping_tiles(attention_rows(model_, kv_head, slice == model_.slices - 1), parameters_.qkv_rows)) {
          after.push_back(qkv[static_cast<std::size_t>(tile)]);
        }
        const RowRange positions = slice_positions(model_, slice);
        slices_of[static_cast<std::size_t>(kv_head)].push_back(add(Kernel::kAttention, layer, {layer, kv_head, slice},
                                                                   {layer, kv_head, positions.first, positions.rows},
                                                                   attention_cost(positions.rows), after));
      }
    }
    std::vector<TaskId> merges;
    for (int kv_head = 0; kv_head < model_.kv_heads; ++kv_head) {
      merges.push_back(add(Kernel::kAttentionMerge, layer, {layer, kv_head}, {layer, kv_head, model_.slices, 0}, merge_cost(),
                           slices_of[static_cast<std::size_t>(kv_head)]));
    }
    return merges;
  }

  LlamaDecodeParameters parameters_;
  DecodeProblem model_;
  TaskGraphBuilder builder_;
};

/// Blocks of a grid are alike.
void check_even(const LlamaDecodeParameters& values) {
  const DecodeProblem& model = values.model;
  const auto check = [](const char* name, int part, const char* of, int whole) {
    if (whole % part == 0) return;
    throw ParameterError(name, "is " + std::to_string(part) + "; must divide " + of + ", " + std::to_string(whole) +
                                   ", where tasks are grids, whose blocks are alike");
  };
  check("slices", model.slices, "kv_length", model.kv_length);
  check("qkv_rows", values.qkv_rows, "the rows of q, k and v", model.qkv_rows());
  check("project_rows", values.project_rows, "hidden", model.hidden);
  check("gate_up_rows", values.gate_up_rows, "mlp", model.mlp);
  check("down_rows", values.down_rows, "hidden", model.hidden);
  check("head_rows", values.head_rows, "vocabulary", model.vocabulary);
}

void parameters(ParameterTable& table, LlamaDecodeParameters& values) {
  constexpr std::int64_t kMaxTileRows = 1'000'000;
  DecodeProblem& model = values.model;
  table.number("layers", "decoder layers", model.layers, 1, 1000);
  table.number("hidden", "width of the residual state", model.hidden, 2, 65'536);
  table.number("heads", "query heads", model.heads, 1, 1024);
  table.number("kv_heads", "key/value heads", model.kv_heads, 1, 1024);
  table.number("mlp", "rows of the gate and of the up matrix", model.mlp, 1, 1'000'000);
  table.number("vocabulary", "rows of the head", model.vocabulary, 1, 10'000'000);
  table.number("kv_length", "positions attended to, the new one included", model.kv_length, 1, 10'000'000);
  table.number("slices", "parts of the KV length", model.slices, 1, 4096);
  table.number("qkv_rows", "rows of a qkv tile", values.qkv_rows, 1, kMaxTileRows);
  table.number("project_rows", "rows of a project tile", values.project_rows, 1, kMaxTileRows);
  table.number("gate_up_rows", "rows of a gate_up tile", values.gate_up_rows, 1, kMaxTileRows);
  table.number("down_rows", "rows of a down tile", values.down_rows, 1, kMaxTileRows);
  table.number("head_rows", "rows of a head tile", values.head_rows, 1, kMaxTileRows);
  values.grids = table.choice("form", "whether a task is a tile, or a grid whose blocks are tiles", "tiles", {"tiles", "grids"}) == "grids";
  const auto text = [](int number) { return std::to_string(number); };
  if (model.hidden % (2 * model.heads) != 0) {
    throw ParameterError(
        "heads", "is " + text(model.heads) + "; hidden, " + text(model.hidden) + ", must be an even multiple of it (rope turns pairs)");
  }
  if (model.heads % model.kv_heads != 0)
    throw ParameterError("kv_heads", "is " + text(model.kv_heads) + "; must divide heads, " + text(model.heads));
  if (model.slices > model.kv_length)
    throw ParameterError("slices", "is " + text(model.slices) + "; must be at most kv_length, " + text(model.kv_length));
  if (values.grids) check_even(values);
}

}  // namespace

TaskGraph make_llama_decode(const LlamaDecodeParameters& parameters) { return DecodeProgram(parameters).build(); }

GraphSize llama_decode_size(const LlamaDecodeParameters& parameters) {
  const DecodeProblem& model = parameters.model;
  if (parameters.grids) {
    const std::int64_t grids = std::int64_t{8} * model.layers + 2;
    return {grids, grids - 1, "layers " + std::to_string(model.layers) + " x 8 grids + 2"};
  }
  const std::int64_t qkv = tile_count(model.qkv_rows(), parameters.qkv_rows);
  const std::int64_t project = tile_count(model.hidden, parameters.project_rows);
  const std::int64_t gate_up = tile_count(model.mlp, parameters.gate_up_rows);
  const std::int64_t down = tile_count(model.hidden, parameters.down_rows);
  const std::int64_t head = tile_count(model.vocabulary, parameters.head_rows);
  const std::int64_t attention = std::int64_t{model.kv_heads} * model.slices;
  std::int64_t attention_edges = 0;
  for (int kv_head = 0; kv_head < model.kv_heads; ++kv_head) {
    const auto edges = [&](bool newest) {
      return static_cast<std::int64_t>(overlapping_tiles(attention_rows(model, kv_head, newest), parameters.qkv_rows).size());
    };
    attention_edges += (model.slices - 1) * edges(false) + edges(true);
  }
  const std::int64_t layer_tasks = 3 + qkv + attention + model.kv_heads + project + gate_up + down;
  const std::int64_t layer_edges = qkv + attention_edges + attention + project * model.kv_heads + project + 2 * gate_up + 2 * down;
  return {model.layers * layer_tasks + 1 + head, model.layers * layer_edges + head,
          "layers " + std::to_string(model.layers) + " x " + std::to_string(layer_tasks) + " tasks and " + std::to_string(layer_edges) +
              " edges, + 1 + head tiles " + std::to_string(head)};
}

Generator llama_decode_generator() {
  return generator_of("llama_decode", "one decode step of a Llama-style model, BF16; defaults: Llama-3.2-1B", parameters, llama_decode_size,
                      make_llama_decode);
}

}  // namespace tasktwin::scenarios
