#include "scenarios/generators/decode_kernels.hpp"

#include <optional>

#include "scenarios/generators/generators.hpp"
#include "scenarios/generators/parts/synthetic_body.hpp"

namespace tasktwin::scenarios {

namespace {

constexpr std::int64_t kWordBytes = 2;  // BF16
constexpr std::int64_t kOperators = 5;  // of a layer that stream

/// Adds one operator after the other.
class Program {
 public:
  explicit Program(const DecodeKernelsParameters& parameters) : parameters_(parameters) {}

  /// `words` BF16 numbers, shared evenly by the blocks; `join` is the empty task after the tiles, where tiles have one.
  void add(const std::string& name, std::int64_t words, const std::string& join) {
    const std::int64_t bytes = (words * kWordBytes + parameters_.blocks - 1) / parameters_.blocks;
    Task task = Body{.kernel = Kernel::kStream, .cost = {.time = {}, .bytes = {bytes}}}.task(layer_++);
    if (parameters_.form == OperatorForm::kKernels) {
      task.traits = builder_.add_traits({.blocks = parameters_.blocks});
      follow(builder_.add_task(name, task));
      return;
    }
    std::vector<TaskId> tiles;
    for (int block = 0; block < parameters_.blocks; ++block) {
      tiles.push_back(builder_.add_task(name + "[" + std::to_string(block) + "]", task));
      if (last_) builder_.add_edge(*last_, tiles.back());
    }
    if (join.empty()) return;
    last_ = add_empty(join);
    for (const TaskId tile : tiles) builder_.add_edge(tile, *last_);
  }

  void add_merge(const std::string& name) { follow(add_empty(name)); }

  TaskGraph build() && { return std::move(builder_).build(); }

 private:
  TaskId add_empty(const std::string& name) { return builder_.add_task(name, Body{.kernel = Kernel::kEmpty, .cost = {}}.task(layer_++)); }

  void follow(TaskId task) {
    if (last_) builder_.add_edge(*last_, task);
    last_ = task;
  }

  const DecodeKernelsParameters& parameters_;
  TaskGraphBuilder builder_;
  std::optional<TaskId> last_;
  std::int32_t layer_ = 0;
};

GraphSize decode_kernels_size(const DecodeKernelsParameters& parameters) {
  const std::int64_t layers = parameters.model.layers;
  const std::int64_t blocks = parameters.blocks;
  const std::string numbers = "layers " + std::to_string(layers) + ", blocks " + std::to_string(blocks);
  if (parameters.form == OperatorForm::kKernels)
    return {(kOperators + 1) * layers + 1, (kOperators + 1) * layers, numbers + ": 6 x layers + 1 tasks"};
  return {layers * kOperators * (blocks + 1) + blocks, 2 * kOperators * layers * blocks,
          numbers + ": layers x 5 x (blocks + 1) + blocks tasks"};
}

}  // namespace

TaskGraph make_decode_kernels(const DecodeKernelsParameters& parameters) {
  const DecodeProblem& model = parameters.model;
  const auto matrix = [&model](std::int64_t rows) { return rows * model.hidden; };
  const bool tiles = parameters.form == OperatorForm::kTiles;
  Program program(parameters);
  for (int layer = 0; layer < model.layers; ++layer) {
    const auto named = [layer](const std::string& name) { return name + "(" + std::to_string(layer) + ")"; };
    program.add(named("qkv"), matrix(model.qkv_rows()), named("after_qkv"));
    const std::int64_t cache = std::int64_t{2} * model.kv_heads * model.head_dim() * model.kv_length;
    program.add(named("attention"), cache, named("merge"));
    if (!tiles) program.add_merge(named("merge"));
    program.add(named("project"), matrix(model.hidden), named("after_project"));
    program.add(named("gate_up"), matrix(std::int64_t{2} * model.mlp), named("after_gate_up"));
    program.add(named("down"), matrix(model.mlp), named("after_down"));
  }
  program.add("head", matrix(model.vocabulary), "");
  return std::move(program).build();
}

namespace {

void parameters(ParameterTable& table, DecodeKernelsParameters& values) {
  constexpr int kMaxSize = 1 << 20;
  DecodeProblem& model = values.model;
  table.number("layers", "decoder layers", model.layers, 1, 1000);
  table.number("hidden", "width of the residual state", model.hidden, 1, kMaxSize);
  table.number("heads", "query heads; must divide hidden", model.heads, 1, 1024);
  table.number("kv_heads", "key/value heads; must divide heads", model.kv_heads, 1, 1024);
  table.number("mlp", "rows of the gate and of the up matrix", model.mlp, 1, kMaxSize);
  table.number("vocabulary", "rows of the head", model.vocabulary, 1, kMaxSize);
  table.number("kv_length", "positions attended to", model.kv_length, 1, kMaxSize);
  table.number("blocks", "blocks, or tiles, of an operator", values.blocks, 1, 65'536);
  table.word("form", "how an operator becomes tasks", values.form);
  if (model.hidden % model.heads != 0) throw ParameterError("heads", "is " + std::to_string(model.heads) + "; must divide hidden");
  if (model.heads % model.kv_heads != 0) throw ParameterError("kv_heads", "is " + std::to_string(model.kv_heads) + "; must divide heads");
}

}  // namespace

Generator decode_kernels_generator() {
  return generator_of("decode_kernels",
                      "the memory traffic of a decode step of a Llama-style model, a kernel or a set of tiles an operator", parameters,
                      decode_kernels_size, make_decode_kernels);
}

}  // namespace tasktwin::scenarios
