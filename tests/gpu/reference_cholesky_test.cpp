#include "gpu/problems/reference_cholesky.hpp"

#include <cmath>
#include <limits>
#include <optional>

#include <gtest/gtest.h>
#include <Eigen/Cholesky>
#include <Eigen/Core>

#include "gpu/bodies/tile_layout.hpp"
#include "tests/gpu/problem_graphs.hpp"

namespace tasktwin::gpu {
namespace {

using Tile = Eigen::Map<Eigen::MatrixXf>;

/// Runs the tasks of the graph one by one in Eigen's FP32, without `left_out`.
std::vector<float> factorise(const TaskGraph& graph, std::optional<TaskId> left_out = {}) {
  const auto problem = std::get<CholeskyProblem>(graph.problem());
  std::vector<float> tiles = cholesky_matrix(problem);
  const auto tile = [&](int row, int column) {
    const int size = problem.tile_size;
    return Tile(tiles.data() + cholesky_tile_index(row, column) * static_cast<std::size_t>(size * size), size, size);
  };
  for (const TaskId id : graph.topological_order()) {
    if (id == left_out) continue;
    const auto [i, j, k, size] = graph[id].args;
    switch (graph[id].kernel) {
      case Kernel::kPotrf:
        tile(k, k) = Eigen::MatrixXf(Eigen::LLT<Eigen::MatrixXf>(tile(k, k)).matrixL());
        break;
      case Kernel::kTrsm: {
        const Eigen::MatrixXf solved = tile(k, k).triangularView<Eigen::Lower>().solve(tile(i, k).transpose());
        tile(i, k) = solved.transpose();
        break;
      }
      default:
        tile(i, j) -= tile(i, k) * tile(j, k).transpose();
    }
  }
  return tiles;
}

TEST(ReferenceCholesky, AcceptsARightFactor) {
  for (const CholeskyProblem problem : {CholeskyProblem{1, 16}, CholeskyProblem{3, 48}, CholeskyProblem{6, 32}, CholeskyProblem{2, 128}}) {
    const CholeskyErrors errors = cholesky_errors(problem, factorise(scenarios::make_cholesky(problem)));
    EXPECT_LT(errors.residual, 1e-6);
    EXPECT_LT(errors.difference, 1e-6);
  }
}

TEST(ReferenceCholesky, NoticesAnyTaskLeftOut) {
  const CholeskyProblem problem{6, 16};
  const TaskGraph graph = scenarios::make_cholesky(problem);
  for (std::size_t i = 0; i < graph.size(); ++i) {
    EXPECT_GT(cholesky_errors(problem, factorise(graph, task_id(i))).largest(), 10 * kCholeskyErrorLimit) << graph.name(task_id(i));
  }
}

TEST(ReferenceCholesky, NoticesOneUpdateLeftOutOfALargeMatrix) {
  const CholeskyProblem problem{40, 16};
  const TaskGraph graph = scenarios::make_cholesky(problem);
  const auto is_last_gemm = [&](TaskId id) { return graph.name(id) == "gemm(39,38,37)"; };
  const auto last = std::ranges::find_if(graph.topological_order(), is_last_gemm);
  ASSERT_NE(last, graph.topological_order().end());
  EXPECT_GT(cholesky_errors(problem, factorise(graph, *last)).largest(), 10 * kCholeskyErrorLimit);
}

TEST(ReferenceCholesky, CallsNotANumberInfinitelyWrong) {
  const CholeskyProblem problem{2, 16};
  std::vector<float> factor = factorise(scenarios::make_cholesky(problem));
  factor.back() = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(std::isinf(cholesky_errors(problem, factor).largest()));
}

}  // namespace
}  // namespace tasktwin::gpu
