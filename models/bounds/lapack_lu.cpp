// The two routines of LAPACK that CoinUtils calls, on Eigen: linking LAPACK itself would add ten megabytes to a bundle.
// Conventions of LAPACK: column-major, pivots counted from 1, everything by pointer.
#include <Eigen/LU>

namespace {

using Matrix = Eigen::Map<Eigen::MatrixXd, 0, Eigen::OuterStride<>>;

}  // namespace

extern "C" {

/// A = P · L · U in place, for square A. info: 0, or the first i whose U(i, i) is zero.
void dgetrf_(const int* rows, const int* columns, double* a, const int* leading, int* pivots, int* info) {
  *info = *rows == *columns ? 0 : -2;
  if (*info != 0 || *rows == 0) return;
  Eigen::Ref<Eigen::MatrixXd, 0, Eigen::OuterStride<>> matrix = Matrix(a, *rows, *columns, Eigen::OuterStride<>(*leading));
  const Eigen::PartialPivLU<Eigen::Ref<Eigen::MatrixXd, 0, Eigen::OuterStride<>>> lu(matrix);
  // The permutation as LAPACK has it, a row exchange for each step: undone from the permuted order.
  Eigen::VectorXi order = Eigen::VectorXi::LinSpaced(*rows, 0, *rows - 1);
  const Eigen::VectorXi target = lu.permutationP().indices();  // row i goes to target(i)
  Eigen::VectorXi source(*rows);
  for (int i = 0; i < *rows; ++i) source(target(i)) = i;
  for (int i = 0; i < *rows; ++i) {
    int at = i;
    while (order(at) != source(i)) ++at;
    std::swap(order(i), order(at));
    pivots[i] = at + 1;
    if (*info == 0 && a[i + static_cast<long>(i) * *leading] == 0) *info = i + 1;
  }
}

/// Solves A · X = B, or Aᵀ · X = B where `transposed` is 'T' or 'C', from dgetrf's factors, in place of B.
void dgetrs_(const char* transposed, const int* order, const int* columns, const double* a, const int* leading, const int* pivots,
             double* b, const int* leading_b, int* info) {
  *info = 0;
  const int n = *order;
  if (n == 0 || *columns == 0) return;
  const Eigen::Map<const Eigen::MatrixXd, 0, Eigen::OuterStride<>> lu(a, n, n, Eigen::OuterStride<>(*leading));
  Matrix x(b, n, *columns, Eigen::OuterStride<>(*leading_b));
  if (*transposed == 'N' || *transposed == 'n') {
    for (int i = 0; i < n; ++i) x.row(i).swap(x.row(pivots[i] - 1));
    lu.triangularView<Eigen::UnitLower>().solveInPlace(x);
    lu.triangularView<Eigen::Upper>().solveInPlace(x);
  } else {
    lu.transpose().triangularView<Eigen::Lower>().solveInPlace(x);
    lu.transpose().triangularView<Eigen::UnitUpper>().solveInPlace(x);
    for (int i = n - 1; i >= 0; --i) x.row(i).swap(x.row(pivots[i] - 1));
  }
}

}  // extern "C"
