// Work on whole rows, a warp each: fetching them by number from a table, and the softmax over them.
#include <tasktwin/kernel.hpp>

#include "tensor_cores.cuh"

using half_bits = unsigned short;

namespace {

constexpr int kMostPieces = 4;  // of 8 halves a lane: rows of up to 1024

template <class Join>
__device__ float over_warp(float value, Join join) {
  for (int offset = 16; offset > 0; offset /= 2) value = join(value, __shfl_xor_sync(0xffffffffu, value, offset));
  return value;
}

}  // namespace

// x[first + i] = table[numbers[first + i]], rows of `columns` halves, a multiple of 8.
__device__ void gather_rows(const tasktwin::Block& block, const half_bits* table, const int* numbers, half_bits* x, int first, int rows,
                            int columns) {
  const int lane = block.thread % 32;
  for (int row = first + block.thread / 32; row < first + rows; row += block.threads / 32) {
    const auto* from = reinterpret_cast<const uint4*>(table + static_cast<long long>(numbers[row]) * columns);
    auto* to = reinterpret_cast<uint4*>(x + static_cast<long long>(row) * columns);
    for (int piece = lane; piece < columns / 8; piece += 32) to[piece] = from[piece];
  }
}

// p[i] = softmax(y[i]) of rows first to first + rows - 1; `columns` is a multiple of 256, at most 1024.
__device__ void softmax_rows(const tasktwin::Block& block, const half_bits* y, float* p, int first, int rows, int columns) {
  const int lane = block.thread % 32;
  const int pieces = columns / 256;
  for (int row = first + block.thread / 32; row < first + rows; row += block.threads / 32) {
    const auto* from = reinterpret_cast<const uint4*>(y + static_cast<long long>(row) * columns);
    float values[kMostPieces][8];
    float largest = -3.4e38f;
    for (int piece = 0; piece < kMostPieces; ++piece) {
      if (piece >= pieces) break;
      const uint4 packed = from[piece * 32 + lane];
      const unsigned words[4] = {packed.x, packed.y, packed.z, packed.w};
      for (int i = 0; i < 4; ++i) {
        from_halves(words[i], values[piece][2 * i], values[piece][2 * i + 1]);
        largest = fmaxf(largest, fmaxf(values[piece][2 * i], values[piece][2 * i + 1]));
      }
    }
    largest = over_warp(largest, [](float a, float b) { return fmaxf(a, b); });
    float sum = 0;
    for (int piece = 0; piece < kMostPieces; ++piece) {
      if (piece >= pieces) break;
      for (float& value : values[piece]) sum += value = __expf(value - largest);
    }
    sum = over_warp(sum, [](float a, float b) { return a + b; });
    auto* to = reinterpret_cast<float4*>(p + static_cast<long long>(row) * columns);
    for (int piece = 0; piece < kMostPieces; ++piece) {
      if (piece >= pieces) break;
      const float* v = values[piece];
      to[(piece * 32 + lane) * 2] = {v[0] / sum, v[1] / sum, v[2] / sum, v[3] / sum};
      to[(piece * 32 + lane) * 2 + 1] = {v[4] / sum, v[5] / sum, v[6] / sum, v[7] / sum};
    }
  }
}
