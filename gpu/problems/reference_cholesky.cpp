#include "gpu/problems/reference_cholesky.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include "gpu/bodies/hashed_values.hpp"
#include "gpu/bodies/tile_layout.hpp"

namespace tasktwin::gpu {
namespace {

float entry(int n, int row, int column) {
  const auto [low, high] = std::minmax(row, column);
  const float hash = hashed_unit(HashedTensor::kMatrix,
                                 static_cast<std::uint64_t>(high) * static_cast<std::uint64_t>(n) + static_cast<std::uint64_t>(low));
  return row == column ? hash + 2.0f * std::sqrt(static_cast<float>(n)) : hash;
}

/// Calls visit(position in the tiles, row, column) for every entry of the lower triangle of tiles.
template <class Visit>
void for_each_entry(const CholeskyProblem& problem, Visit visit) {
  const int size = problem.tile_size;
  std::size_t position = 0;
  for (int i = 0; i < problem.tiles; ++i) {
    for (int j = 0; j <= i; ++j) {
      for (int column = 0; column < size; ++column) {
        for (int row = 0; row < size; ++row) visit(position++, i * size + row, j * size + column);
      }
    }
  }
}

}  // namespace

std::vector<float> cholesky_matrix(const CholeskyProblem& problem) {
  const int n = problem.tiles * problem.tile_size;
  std::vector<float> tiles(cholesky_tile_index(problem.tiles, 0) * static_cast<std::size_t>(problem.tile_size * problem.tile_size));
  for_each_entry(problem, [&](std::size_t position, int row, int column) { tiles[position] = entry(n, row, column); });
  return tiles;
}

double CholeskyErrors::largest() const {
  if (std::isnan(residual) || std::isnan(difference)) return std::numeric_limits<double>::infinity();
  return std::max(residual, difference);
}

CholeskyErrors cholesky_errors(const CholeskyProblem& problem, std::span<const float> factor) {
  const int n = problem.tiles * problem.tile_size;
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(n, n);
  Eigen::MatrixXd computed = Eigen::MatrixXd::Zero(n, n);
  for_each_entry(problem, [&](std::size_t position, int row, int column) {
    if (row < column) return;
    matrix(row, column) = static_cast<double>(entry(n, row, column));
    computed(row, column) = static_cast<double>(factor[position]);
  });
  const Eigen::MatrixXd exact = Eigen::LLT<Eigen::MatrixXd, Eigen::Lower>(matrix).matrixL();
  CholeskyErrors errors;
  errors.difference = (computed - exact).norm() / exact.norm();
  const double norm = matrix.norm();
  matrix.selfadjointView<Eigen::Lower>().rankUpdate(computed, -1.0);
  errors.residual = matrix.norm() / norm;
  return errors;
}

}  // namespace tasktwin::gpu
