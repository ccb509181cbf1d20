#include "gpu/bodies/hashed_values.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "gpu/bodies/tile_layout.hpp"

namespace tasktwin::gpu {
namespace {

TEST(Bf16, RoundsToTheNearestOfItsNeighbours) {
  for (int i = 0; i < 20'000; ++i) {
    const float value = hashed_unit(HashedTensor::kState, static_cast<std::uint64_t>(i)) * std::ldexp(1.0f, i % 40 - 20);
    const Bf16 rounded = to_bf16(value);
    const float distance = std::abs(from_bf16(rounded) - value);
    EXPECT_LE(distance, std::abs(from_bf16(static_cast<Bf16>(rounded + 1)) - value)) << value;
    EXPECT_LE(distance, std::abs(from_bf16(static_cast<Bf16>(rounded - 1)) - value)) << value;
  }
}

TEST(Bf16, RoundsTiesToTheEvenNeighbour) {
  const float step = 1.0f / 128;  // between the bfloat16 from 1 on
  EXPECT_EQ(from_bf16(to_bf16(1 + step / 2)), 1.0f);
  EXPECT_EQ(from_bf16(to_bf16(1 + 3 * step / 2)), 1 + 2 * step);
  EXPECT_EQ(from_bf16(to_bf16(-1 - step / 2)), -1.0f);
}

TEST(HashedValues, AreUniformAndDifferBetweenTensors) {
  constexpr int kCount = 100'000;
  for (std::uint32_t tensor = 0; tensor <= static_cast<std::uint32_t>(HashedTensor::kMatrix); ++tensor) {
    double sum = 0;
    double squares = 0;
    double product_with_next = 0;
    double product_with_other = 0;
    for (std::uint64_t i = 0; i < kCount; ++i) {
      const double x = static_cast<double>(hashed_unit(HashedTensor{tensor}, i));
      ASSERT_GE(x, -1);
      ASSERT_LT(x, 1);
      sum += x;
      squares += x * x;
      product_with_next += x * static_cast<double>(hashed_unit(HashedTensor{tensor}, i + 1));
      product_with_other += x * static_cast<double>(hashed_unit(HashedTensor{tensor + 1}, i));
    }
    const double five_sigma = 5 / std::sqrt(static_cast<double>(kCount));
    EXPECT_NEAR(sum / kCount, 0, five_sigma / std::sqrt(3.0));
    EXPECT_NEAR(squares / kCount, 1 / 3.0, five_sigma * std::sqrt(4 / 45.0));
    EXPECT_NEAR(product_with_next / kCount, 0, five_sigma / 3);
    EXPECT_NEAR(product_with_other / kCount, 0, five_sigma / 3);
  }
}

TEST(HashedValues, GoOnBeyondFourGigaEntries) {
  const std::uint64_t far = std::uint64_t{1} << 32;
  int equal = 0;
  for (std::uint64_t i = 0; i < 1000; ++i) equal += hashed_unit(HashedTensor::kQkv, i) == hashed_unit(HashedTensor::kQkv, i + far);
  EXPECT_LT(equal, 5);
}

TEST(TileLayout, PacksTheLowerTriangleWithoutGaps) {
  std::size_t expected = 0;
  for (int row = 0; row < 20; ++row) {
    for (int column = 0; column <= row; ++column) EXPECT_EQ(cholesky_tile_index(row, column), expected++);
  }
}

TEST(TileLayout, SlicesCoverAllPositionsInOrder) {
  for (int length = 1; length <= 40; ++length) {
    for (int slices = 1; slices <= length; ++slices) {
      EXPECT_EQ(slice_start(0, length, slices), 0);
      EXPECT_EQ(slice_start(slices, length, slices), length);
      for (int slice = 0; slice < slices; ++slice) {
        const int size = slice_start(slice + 1, length, slices) - slice_start(slice, length, slices);
        EXPECT_TRUE(size == length / slices || size == length / slices + 1);
        EXPECT_EQ(slice_at(slice_start(slice, length, slices), length, slices), slice);
      }
    }
  }
}

}  // namespace
}  // namespace tasktwin::gpu
