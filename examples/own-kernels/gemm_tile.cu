// A tile of 128 x 128 of y = x w in half precision, by tensor cores: the slabs of x and w that come next are on their way to shared memory,
// up to five of them, while one is multiplied.
#include <tasktwin/kernel.hpp>

#include "tensor_cores.cuh"

using half_bits = unsigned short;

namespace {

constexpr int kTile = 128;
constexpr int kSlab = 64;
constexpr int kStages = 6;
constexpr unsigned kXBytes = kTile * kSlab * 2;
constexpr unsigned kStageBytes = 2 * kXBytes;  // 32 KiB; the stages together 192

// A row's pieces of 16 bytes stand in an order of the row's own, so that eight rows of one column lie in different banks.
__device__ unsigned x_piece(int row, int piece) { return row * (kSlab * 2) + ((piece ^ (row & 7)) << 4); }
__device__ unsigned w_piece(int row, int piece) { return row * (kTile * 2) + ((piece ^ (row & 7)) << 4); }

__device__ void fetch(const tasktwin::Block& block, unsigned stage, const half_bits* x, const half_bits* w, int depth, int columns) {
  for (int i = block.thread; i < kTile * kSlab / 8; i += block.threads) {
    copy_async(stage + x_piece(i / 8, i % 8), x + static_cast<long long>(i / 8) * depth + i % 8 * 8);
    copy_async(stage + kXBytes + w_piece(i / 16, i % 16), w + static_cast<long long>(i / 16) * columns + i % 16 * 8);
  }
}

}  // namespace

// x: rows of `depth` halves; w: `depth` rows of `columns`; y: rows of `columns`. The tile is that at (row, column), counted in tiles. Of
// 256 threads, 192 KiB.
__device__ void gemm_tile(const tasktwin::Block& block, const half_bits* x, const half_bits* w, half_bits* y, int row, int column,
                          int depth, int columns) {
  const int lane = block.thread % 32;
  const int warp = block.thread / 32;
  const int warp_row = warp / 4 * 64;
  const int warp_column = warp % 4 * 32;
  x += static_cast<long long>(row) * kTile * depth;
  w += column * kTile;
  const unsigned stages = shared_address(block.shared);
  const int slabs = depth / kSlab;
  const auto fetch_slab = [&](int slab) {
    if (slab < slabs)
      fetch(block, stages + slab % kStages * kStageBytes, x + slab * kSlab, w + static_cast<long long>(slab) * kSlab * columns, depth,
            columns);
    commit_copies();
  };
  float sums[4][4][4] = {};
  for (int slab = 0; slab < kStages - 1; ++slab) fetch_slab(slab);
  for (int slab = 0; slab < slabs; ++slab) {
    wait_copies<kStages - 2>();
    block.sync();  // the slab is there for all, and nobody reads the one before, whose stage is filled next
    fetch_slab(slab + kStages - 1);
    const unsigned stage = stages + slab % kStages * kStageBytes;
#pragma unroll
    for (int step = 0; step < kSlab / 16; ++step) {
      unsigned b[2][4];
#pragma unroll
      for (int n = 0; n < 2; ++n)
        load_matrices_transposed(b[n], stage + kXBytes + w_piece(step * 16 + lane % 16, (warp_column + n * 16) / 8 + lane / 16));
#pragma unroll
      for (int m = 0; m < 4; ++m) {
        unsigned a[4];
        load_matrices(a, stage + x_piece(warp_row + m * 16 + lane % 16, step * 2 + lane / 16));
#pragma unroll
        for (int n = 0; n < 4; ++n) multiply_add(sums[m][n], a, b[n / 2][n % 2 * 2], b[n / 2][n % 2 * 2 + 1]);
      }
    }
  }
  wait_copies<0>();
  for (int m = 0; m < 4; ++m) {
    for (int n = 0; n < 4; ++n) {
      const long long at = (static_cast<long long>(row) * kTile + warp_row + m * 16 + lane / 4) * columns + column * kTile + warp_column +
                           n * 8 + lane % 4 * 2;
      *reinterpret_cast<unsigned*>(y + at) = to_halves(sums[m][n][0], sums[m][n][1]);
      *reinterpret_cast<unsigned*>(y + at + 8 * columns) = to_halves(sums[m][n][2], sums[m][n][3]);
    }
  }
}
