#include "scenarios/generators/cholesky.hpp"

#include "scenarios/generators/generators.hpp"

namespace tasktwin::scenarios {

namespace {

/// Adds tasks in the order of the textbook's loop and remembers who last wrote each tile.
class TileProgram {
 public:
  explicit TileProgram(const CholeskyProblem& problem)
      : problem_(problem), writer_(static_cast<std::size_t>(problem.tiles) * problem.tiles, kNobody) {
    builder_.set_problem(problem);
  }

  struct Tile {
    int row = 0;
    int column = 0;
  };

  /// A task that updates `target` from finished `sources`, in step k.
  void add(Kernel kernel, const std::vector<int>& named, Tile target, int k, std::int64_t flops, const std::vector<Tile>& sources) {
    Task task;
    task.kernel = kernel;
    task.cost.flops = {flops};
    task.args = {target.row, target.column, k, problem_.tile_size};
    task.layer = k;
    const TaskId id = builder_.add_task(name(kernel, named), task);
    for (const Tile& source : sources) builder_.add_edge(writer(source), id);
    if (writer(target) != kNobody) builder_.add_edge(writer(target), id);
    writer(target) = id;
  }

  TaskGraph build() && { return std::move(builder_).build(); }

 private:
  static constexpr TaskId kNobody{0xffffffffu};

  static std::string name(Kernel kernel, const std::vector<int>& named) {
    std::string text(to_word(kernel));
    for (std::size_t i = 0; i < named.size(); ++i) text += (i == 0 ? "(" : ",") + std::to_string(named[i]);
    return text + ")";
  }

  TaskId& writer(Tile tile) { return writer_[static_cast<std::size_t>(tile.row) * problem_.tiles + tile.column]; }

  CholeskyProblem problem_;
  TaskGraphBuilder builder_;
  std::vector<TaskId> writer_;
};

}  // namespace

TaskGraph make_cholesky(const CholeskyProblem& problem) {
  const int n = problem.tiles;
  const std::int64_t b = problem.tile_size;
  TileProgram program(problem);
  for (int k = 0; k < n; ++k) {
    program.add(Kernel::kPotrf, {k}, {k, k}, k, b * b * b / 3, {});
    for (int i = k + 1; i < n; ++i) program.add(Kernel::kTrsm, {i, k}, {i, k}, k, b * b * b, {{k, k}});
    for (int i = k + 1; i < n; ++i) {
      program.add(Kernel::kSyrk, {i, k}, {i, i}, k, b * b * b + b * b, {{i, k}});
      for (int j = k + 1; j < i; ++j) program.add(Kernel::kGemm, {i, j, k}, {i, j}, k, 2 * b * b * b, {{i, k}, {j, k}});
    }
  }
  return std::move(program).build();
}

namespace {

void parameters(ParameterTable& table, CholeskyProblem& problem) {
  table.number("tiles", "tiles along a side of the matrix", problem.tiles, 1, 100'000);
  table.number("tile_size", "rows of a tile", problem.tile_size, 16, 128, 16);
}

GraphSize size_of(const CholeskyProblem& problem) {
  const std::int64_t n = problem.tiles;
  return {n * (n + 1) * (n + 2) / 6, (n - 1) + 2 * (n - 1) * (n - 1) + n * (n - 1) * (n - 2) / 3 + (n - 1) * (n - 2) * (n - 3) / 6,
          "n(n + 1)(n + 2)/6 tasks with n = tiles = " + std::to_string(n)};
}

}  // namespace

Generator cholesky_generator() {
  return generator_of("cholesky", "tiled Cholesky factorisation, FP32", parameters, size_of, make_cholesky,
                      CholeskyProblem{.tiles = 8, .tile_size = 64});
}

}  // namespace tasktwin::scenarios
