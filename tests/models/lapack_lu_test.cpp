// The stand-ins for LAPACK's LU factorisation, against what they are to solve.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "models/base/random.hpp"

extern "C" {
void dgetrf_(const int* rows, const int* columns, double* a, const int* leading, int* pivots, int* info);
void dgetrs_(const char* transposed, const int* order, const int* columns, const double* a, const int* leading, const int* pivots,
             double* b, const int* leading_b, int* info);
}

namespace tasktwin {
namespace {

TEST(LapackLu, SolvesWithTheMatrixAndWithItsTranspose) {
  Random random(5);
  for (int n = 1; n <= 12; ++n) {
    const int leading = n + static_cast<int>(random.between(0, 2));
    const int columns = 2;
    std::vector<double> a(static_cast<std::size_t>(leading * n));
    for (double& entry : a) entry = 2 * random.uniform() - 1;
    if (n > 1) a[0] = 0;  // needs an exchange of rows
    std::vector<double> factors = a;
    std::vector<int> pivots(static_cast<std::size_t>(n));
    int info = 7;
    dgetrf_(&n, &n, factors.data(), &leading, pivots.data(), &info);
    ASSERT_EQ(info, 0) << n;
    for (const char transposed : {'N', 'T'}) {
      std::vector<double> b(static_cast<std::size_t>(n * columns));
      for (double& entry : b) entry = 2 * random.uniform() - 1;
      std::vector<double> x = b;
      dgetrs_(&transposed, &n, &columns, factors.data(), &leading, pivots.data(), x.data(), &n, &info);
      ASSERT_EQ(info, 0);
      for (int column = 0; column < columns; ++column) {
        for (int row = 0; row < n; ++row) {
          double sum = 0;
          for (int k = 0; k < n; ++k) {
            const int entry = transposed == 'N' ? row + k * leading : k + row * leading;
            sum += a[static_cast<std::size_t>(entry)] * x[static_cast<std::size_t>(k + column * n)];
          }
          EXPECT_NEAR(sum, b[static_cast<std::size_t>(row + column * n)], 1e-9) << n << transposed;
        }
      }
    }
  }
}

TEST(LapackLu, SaysWhichPivotIsZero) {
  std::vector<double> a{1, 2, 2, 4};
  std::vector<int> pivots(2);
  const int n = 2;
  int info = 0;
  dgetrf_(&n, &n, a.data(), &n, pivots.data(), &info);
  EXPECT_EQ(info, 2);
}

}  // namespace
}  // namespace tasktwin
