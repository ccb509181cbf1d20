#include "models/base/random.hpp"

#include <array>
#include <cmath>

#include <gtest/gtest.h>

namespace tasktwin {
namespace {

TEST(Random, MixesAsSplitMix64Does) {
  // The first outputs of Vigna's splitmix64.c from state 0.
  constexpr std::uint64_t kGamma = 0x9e3779b97f4a7c15ULL;
  EXPECT_EQ(mix(0), 0xe220a8397b1dcdafULL);
  EXPECT_EQ(mix(kGamma), 0x6e789e6aa1b965f4ULL);
  EXPECT_EQ(mix(2 * kGamma), 0x06c45d188009454fULL);
}

TEST(Random, SameSeedSameNumbers) {
  Random a(5);
  Random b(5);
  Random c(6);
  bool differs = false;
  for (int i = 0; i < 10; ++i) {
    const std::uint64_t drawn = a.next();
    EXPECT_EQ(drawn, b.next());
    differs |= drawn != c.next();
  }
  EXPECT_TRUE(differs);
}

TEST(Random, BetweenReachesBothEndsEvenly) {
  Random random(1);
  std::array<int, 5> counts{};
  for (int i = 0; i < 50'000; ++i) {
    const std::int64_t drawn = random.between(-2, 2);
    ASSERT_GE(drawn, -2);
    ASSERT_LE(drawn, 2);
    ++counts[static_cast<std::size_t>(drawn + 2)];
  }
  for (const int count : counts) EXPECT_NEAR(count, 10'000, 500);  // 5.6 standard deviations
  EXPECT_EQ(random.between(3, 3), 3);
}

TEST(Random, NormalHasMeanZeroAndDeviationOne) {
  Random random(2);
  constexpr int kDraws = 100'000;
  double sum = 0;
  double squares = 0;
  int within_one = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double drawn = random.normal();
    ASSERT_TRUE(std::isfinite(drawn));
    sum += drawn;
    squares += drawn * drawn;
    within_one += std::abs(drawn) < 1 ? 1 : 0;
  }
  EXPECT_NEAR(sum / kDraws, 0, 0.02);
  EXPECT_NEAR(squares / kDraws, 1, 0.03);
  EXPECT_NEAR(static_cast<double>(within_one) / kDraws, 0.6827, 0.01);
}

}  // namespace
}  // namespace tasktwin
