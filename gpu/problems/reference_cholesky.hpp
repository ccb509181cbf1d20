#pragma once

#include <span>
#include <vector>

#include "models/graph/problem.hpp"

namespace tasktwin::gpu {

/// The lower triangle of tiles (bodies/tile_layout.hpp) of a symmetric positive definite matrix of n = tiles · tile_size
/// rows: hashes in [-1, 1) plus 2√n on the diagonal. The hashes' eigenvalues end at about 1.16 √n (Wigner), so the condition
/// number is about 4 and every off-diagonal entry still weighs in the residual.
std::vector<float> cholesky_matrix(const CholeskyProblem& problem);

/// Relative errors in the Frobenius norm, computed in double.
struct CholeskyErrors {
  double residual = 0;    ///< ‖A − L Lᵀ‖ / ‖A‖ (of the lower triangles, the diagonal included)
  double difference = 0;  ///< ‖L − L'‖ / ‖L'‖ with L' from Eigen's LLT in double
  /// Infinite if either is not a number.
  double largest() const;
};

/// FP32 rounding gives about 1e-7; a task left out or done twice more than 1e-4.
inline constexpr double kCholeskyErrorLimit = 1e-5;

/// `factor` is laid out like cholesky_matrix; the part above its diagonal is not read.
CholeskyErrors cholesky_errors(const CholeskyProblem& problem, std::span<const float> factor);

}  // namespace tasktwin::gpu
