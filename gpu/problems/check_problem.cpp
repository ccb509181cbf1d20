#include "gpu/problems/check_problem.hpp"

#include <string>
#include <type_traits>

#include "gpu/bodies/body_context.hpp"
#include "gpu/bodies/tile_layout.hpp"
#include "models/error.hpp"

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

/// One task's arguments, held against what they may be.
class Arguments {
 public:
  Arguments(const TaskGraph& graph, TaskId id) : graph_(graph), id_(id) {}

  int operator[](int position) const { return graph_[id_].args[static_cast<std::size_t>(position)]; }

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
};

void check_cholesky_task(const CholeskyProblem& problem, Kernel kernel, const Arguments& args) {
  const int last = problem.tiles - 1;
  args.within(2, "step", 0, last);
  const int k = args[2];
  args.within(0, "tile row", kernel == Kernel::kPotrf ? k : k + 1, kernel == Kernel::kPotrf ? k : last);
  switch (kernel) {
    case Kernel::kSyrk:
      args.within(1, "tile column", args[0], args[0]);
      break;
    case Kernel::kGemm:
      args.within(1, "tile column", k + 1, args[0] - 1);
      break;
    default:
      args.within(1, "tile column", k, k);
      break;
  }
  args.within(3, "tile size", problem.tile_size, problem.tile_size);
}

void check_rows(const Arguments& args, int rows) {
  args.within(1, "first row", 0, rows - 1);
  args.within(2, "rows", 1, rows - args[1]);
}

void check_attention(const DecodeProblem& problem, const Arguments& args) {
  args.within(1, "KV head", 0, problem.kv_heads - 1);
  args.within(2, "first position", 0, problem.kv_length - 1);
  const int slice = slice_at(args[2], problem.kv_length, problem.slices);
  const int start = slice_start(slice, problem.kv_length, problem.slices);
  const int end = slice_start(slice + 1, problem.kv_length, problem.slices);
  args.within(2, "first position", start, start);
  args.within(3, "positions", end - start, end - start);
}

void check_decode_task(const DecodeProblem& problem, Kernel kernel, const Arguments& args) {
  const bool last_norm = kernel == Kernel::kRmsNorm && args[0] == problem.layers;
  if (kernel != Kernel::kHead && !last_norm) args.within(0, "layer", 0, kernel == Kernel::kRmsNorm ? problem.layers : problem.layers - 1);
  switch (kernel) {
    case Kernel::kRmsNorm:
      return args.within(1, "which norm", 0, last_norm ? 0 : 1);
    case Kernel::kQkv:
      return check_rows(args, problem.qkv_rows());
    case Kernel::kAttention:
      return check_attention(problem, args);
    case Kernel::kAttentionMerge:
      args.within(1, "KV head", 0, problem.kv_heads - 1);
      return args.within(2, "slices", problem.slices, problem.slices);
    case Kernel::kProject:
      return check_rows(args, problem.hidden);
    case Kernel::kGateUp:
      return check_rows(args, problem.mlp);
    case Kernel::kDown:
      return check_rows(args, problem.hidden);
    default:
      return check_rows(args, problem.vocabulary);
  }
}

void check_task(const TaskGraph& graph, TaskId id) {
  const Arguments args(graph, id);
  const Kernel kernel = graph[id].kernel;
  if (is_own(kernel)) return;
  switch (kernel) {
    case Kernel::kEmpty:
    case Kernel::kSpin:
    case Kernel::kFma:
    case Kernel::kStream:
      return;
    case Kernel::kPotrf:
    case Kernel::kTrsm:
    case Kernel::kSyrk:
    case Kernel::kGemm:
      if (const auto* problem = std::get_if<CholeskyProblem>(&graph.problem())) return check_cholesky_task(*problem, kernel, args);
      args.wrong_problem("a Cholesky factorisation");
    default:
      if (const auto* problem = std::get_if<DecodeProblem>(&graph.problem())) return check_decode_task(*problem, kernel, args);
      args.wrong_problem("a decode step");
  }
}

}  // namespace

void check_problem(const TaskGraph& graph) {
  std::visit([](const auto& problem) { check_dimensions(problem); }, graph.problem());
  for (std::size_t i = 0; i < graph.size(); ++i) check_task(graph, task_id(i));
}

}  // namespace tasktwin::gpu
