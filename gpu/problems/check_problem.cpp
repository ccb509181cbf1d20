#include "gpu/problems/check_problem.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <variant>

#include "gpu/bodies/block_arguments.hpp"
#include "gpu/bodies/body_context.hpp"
#include "gpu/bodies/tile_layout.hpp"
#include "models/base/error.hpp"

namespace tasktwin::gpu {
namespace {

constexpr int kMaxTileSize = 128;

std::string text(std::int64_t number) { return std::to_string(number); }

void check_field(bool right, const std::string& problem, const std::string& field, int value, const std::string& wanted) {
  if (!right) throw InputError(problem + ": " + field + " is " + text(value) + "; it must be " + wanted + " to run on the GPU");
}

void check_dimensions(std::monostate) {}

void check_dimensions(const OwnKernels&) {}

void check_dimensions(const CholeskyProblem& problem) {
  const std::string what = "Cholesky factorisation";
  check_field(problem.tiles >= 1, what, "tiles", problem.tiles, "1 or more");
  check_field(problem.tile_size >= 16 && problem.tile_size <= kMaxTileSize && problem.tile_size % 16 == 0, what, "tile_size",
              problem.tile_size, "a multiple of 16, 16 to " + text(kMaxTileSize));
}

void check_dimensions(const DecodeProblem& problem) {
  const std::string what = "decode step";
  const auto positive = [&](const char* field, int value) { check_field(value >= 1, what, field, value, "1 or more"); };
  positive("layers", problem.layers);
  positive("hidden", problem.hidden);
  positive("heads", problem.heads);
  positive("kv_heads", problem.kv_heads);
  positive("vocabulary", problem.vocabulary);
  positive("kv_length", problem.kv_length);
  check_field(problem.heads % problem.kv_heads == 0, what, "kv_heads", problem.kv_heads, "a divisor of heads, " + text(problem.heads));
  check_field(problem.hidden % problem.heads == 0, what, "hidden", problem.hidden, "a multiple of heads, " + text(problem.heads));
  check_field(problem.hidden <= kMaxColumns, what, "hidden", problem.hidden, "at most " + text(kMaxColumns));
  check_field(problem.head_dim() % 8 == 0 && problem.head_dim() <= kMaxHeadDim, what, "hidden / heads", problem.head_dim(),
              "a multiple of 8, 8 to " + text(kMaxHeadDim));
  check_field(problem.mlp >= 8 && problem.mlp % 8 == 0 && problem.mlp <= kMaxColumns, what, "mlp", problem.mlp,
              "a multiple of 8, 8 to " + text(kMaxColumns));
  check_field(problem.slices >= 1 && problem.slices <= problem.kv_length, what, "slices", problem.slices,
              "1 to kv_length, " + text(problem.kv_length));
}

/// The arguments of a task, or of one of its blocks, held against what they may be.
class Arguments {
 public:
  Arguments(const TaskGraph& graph, TaskId id) : Arguments(graph, id, graph[id].args) {}
  Arguments(const TaskGraph& graph, TaskId id, const std::array<std::int32_t, 4>& args) : graph_(graph), id_(id), args_(args) {}

  int operator[](int position) const { return args_[static_cast<std::size_t>(position)]; }

  void within(int position, const char* meaning, std::int64_t low, std::int64_t high) const {
    const int value = (*this)[position];
    if (value < low || value > high) fail(position, meaning, low == high ? text(low) : text(low) + " to " + text(high));
  }

  [[noreturn]] void fail(int position, const char* meaning, const std::string& wanted) const {
    throw InputError(title() + ": argument " + text(position + 1) + " (" + meaning + ") is " + text((*this)[position]) + "; it must be " +
                     wanted);
  }

  [[noreturn]] void wrong_problem(const char* needed) const { throw InputError(title() + " needs a graph generated as " + needed); }

 private:
  std::string title() const {
    return "task '" + std::string(graph_.name(id_)) + "' of kernel '" + std::string(to_word(graph_[id_].kernel)) + "'";
  }

  const TaskGraph& graph_;
  TaskId id_;
  std::array<std::int32_t, 4> args_;
};

/// Where a tile, or what else is counted, may lie.
struct Within {
  std::int64_t low;
  std::int64_t high;
};

int step_of(const CholeskyProblem& problem, const Arguments& args) {
  args.within(2, "step", 0, problem.tiles - 1);
  return args[2];
}

void check_tile(const CholeskyProblem& problem, const Arguments& args, Within row, Within column) {
  args.within(0, "tile row", row.low, row.high);
  args.within(1, "tile column", column.low, column.high);
  args.within(3, "tile size", problem.tile_size, problem.tile_size);
}

void check_potrf(const CholeskyProblem& problem, const Arguments& args) {
  const int k = step_of(problem, args);
  check_tile(problem, args, {k, k}, {k, k});
}

void check_trsm(const CholeskyProblem& problem, const Arguments& args) {
  const int k = step_of(problem, args);
  check_tile(problem, args, {k + 1, problem.tiles - 1}, {k, k});
}

void check_syrk(const CholeskyProblem& problem, const Arguments& args) {
  const int k = step_of(problem, args);
  check_tile(problem, args, {k + 1, problem.tiles - 1}, {args[0], args[0]});
}

void check_gemm(const CholeskyProblem& problem, const Arguments& args) {
  const int k = step_of(problem, args);
  check_tile(problem, args, {k + 1, problem.tiles - 1}, {k + 1, args[0] - 1});
}

void check_layer(const DecodeProblem& problem, const Arguments& args) { args.within(0, "layer", 0, problem.layers - 1); }

void check_rows(const Arguments& args, int rows) {
  args.within(1, "first row", 0, rows - 1);
  args.within(2, "rows", 1, rows - args[1]);
}

/// One norm follows all layers.
void check_norm(const DecodeProblem& problem, const Arguments& args) {
  args.within(0, "layer", 0, problem.layers);
  args.within(1, "which norm", 0, args[0] == problem.layers ? 0 : 1);
}

void check_qkv(const DecodeProblem& problem, const Arguments& args) {
  check_layer(problem, args);
  check_rows(args, problem.qkv_rows());
}

void check_attention(const DecodeProblem& problem, const Arguments& args) {
  check_layer(problem, args);
  args.within(1, "KV head", 0, problem.kv_heads - 1);
  args.within(2, "first position", 0, problem.kv_length - 1);
  const int slice = slice_at(args[2], problem.kv_length, problem.slices);
  const int start = slice_start(slice, problem.kv_length, problem.slices);
  const int end = slice_start(slice + 1, problem.kv_length, problem.slices);
  args.within(2, "first position", start, start);
  args.within(3, "positions", end - start, end - start);
}

void check_merge(const DecodeProblem& problem, const Arguments& args) {
  check_layer(problem, args);
  args.within(1, "KV head", 0, problem.kv_heads - 1);
  args.within(2, "slices", problem.slices, problem.slices);
}

/// Rows of a matrix that has as many as the model's `rows` says.
template <int DecodeProblem::*rows>
void check_matrix(const DecodeProblem& problem, const Arguments& args) {
  check_layer(problem, args);
  check_rows(args, problem.*rows);
}

void check_head(const DecodeProblem& problem, const Arguments& args) { check_rows(args, problem.vocabulary); }

template <class Needed>
constexpr const char* kGeneratedAs = nullptr;
template <>
constexpr const char* kGeneratedAs<CholeskyProblem> = "a Cholesky factorisation";
template <>
constexpr const char* kGeneratedAs<DecodeProblem> = "a decode step";

template <class Needed, void (*check)(const Needed&, const Arguments&)>
void of(const Problem& problem, const Arguments& args) {
  const auto* const needed = std::get_if<Needed>(&problem);
  if (needed == nullptr) args.wrong_problem(kGeneratedAs<Needed>);
  check(*needed, args);
}

/// What tasks of a kernel must say; those of others may say anything in any graph.
struct Rule {
  Kernel kernel;
  void (*check)(const Problem&, const Arguments&);
};

constexpr Rule kRules[] = {
    {Kernel::kPotrf, of<CholeskyProblem, check_potrf>},
    {Kernel::kTrsm, of<CholeskyProblem, check_trsm>},
    {Kernel::kSyrk, of<CholeskyProblem, check_syrk>},
    {Kernel::kGemm, of<CholeskyProblem, check_gemm>},
    {Kernel::kRmsNorm, of<DecodeProblem, check_norm>},
    {Kernel::kQkv, of<DecodeProblem, check_qkv>},
    {Kernel::kAttention, of<DecodeProblem, check_attention>},
    {Kernel::kAttentionMerge, of<DecodeProblem, check_merge>},
    {Kernel::kProject, of<DecodeProblem, check_matrix<&DecodeProblem::hidden>>},
    {Kernel::kGateUp, of<DecodeProblem, check_matrix<&DecodeProblem::mlp>>},
    {Kernel::kDown, of<DecodeProblem, check_matrix<&DecodeProblem::hidden>>},
    {Kernel::kHead, of<DecodeProblem, check_head>},
};

void check_task(const TaskGraph& graph, TaskId id) {
  const auto rule = std::ranges::find(kRules, graph[id].kernel, &Rule::kernel);
  if (rule == std::end(kRules)) return;
  rule->check(graph.problem(), Arguments(graph, id));
  if (!has_block_arguments(graph[id].kernel)) return;
  const auto& problem = std::get<DecodeProblem>(graph.problem());
  for (int block = 1; block < graph.traits(id).blocks; ++block)
    rule->check(problem, Arguments(graph, id, block_arguments(problem, graph[id], block)));
}

}  // namespace

void check_problem(const TaskGraph& graph) {
  std::visit([](const auto& problem) { check_dimensions(problem); }, graph.problem());
  for (std::size_t i = 0; i < graph.size(); ++i) check_task(graph, task_id(i));
}

}  // namespace tasktwin::gpu
