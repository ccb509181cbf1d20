// A kernel whose warps have roles: one brings slabs of x and w to shared memory, four multiply them by tensor cores, two carry finished
// tiles out. A block does several tiles; while one is carried out the next is multiplied and the one after that fetched.
#include <tasktwin/kernel.hpp>

#include "../own-kernels/tensor_cores.cuh"

using half_bits = unsigned short;

namespace {

constexpr int kTile = 128;
constexpr int kSlab = 64;
constexpr int kStages = 4;
// A row is followed by 16 bytes that nobody uses, so that eight rows of one column lie in different banks.
constexpr unsigned kXRow = kSlab * 2 + 16;
constexpr unsigned kWRow = kTile * 2 + 16;
constexpr unsigned kXBytes = kTile * kXRow;
constexpr unsigned kStageBytes = kXBytes + kSlab * kWRow;
constexpr unsigned kSlabBytes = kTile * kSlab * 2 + kSlab * kTile * 2;  // that are copied
constexpr unsigned kOutBytes = kTile * kWRow;
constexpr unsigned kBarriersAt = kStages * kStageBytes + kOutBytes;
static_assert(kBarriersAt + 8 * (2 * kStages + 2) <= 178304, "the scenario states as much");

constexpr int kComputeWarps = 4;
constexpr int kStoreWarps = 2;

/// An mbarrier in shared memory.
struct Barrier {
  unsigned address;

  __device__ void make(unsigned arrivals) const {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(address), "r"(arrivals) : "memory");
  }
  __device__ void arrive() const { asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(address) : "memory"); }
  __device__ void arrive_and_expect(unsigned bytes) const {
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(address), "r"(bytes) : "memory");
  }
  __device__ void end() const { asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(address) : "memory"); }
  /// Until its phase of that parity is over.
  __device__ void wait(unsigned parity) const {
    asm volatile(
        "{ .reg .pred over;\n"
        "again: mbarrier.try_wait.parity.shared.b64 over, [%0], %1;\n"
        "@!over bra again; }" ::"r"(address),
        "r"(parity)
        : "memory");
  }
};

/// What goes round in a ring of places: the place, and the parity of its phase.
struct Turn {
  int place = 0;
  unsigned parity = 0;
  __device__ void advance(int places) {
    if (++place < places) return;
    place = 0;
    parity ^= 1;
  }
};

struct Shared {
  unsigned base;
  __device__ unsigned stage(int i) const { return base + i * kStageBytes; }
  __device__ unsigned out() const { return base + kStages * kStageBytes; }
  __device__ Barrier full(int i) const { return {base + kBarriersAt + 8 * i}; }
  __device__ Barrier empty(int i) const { return {base + kBarriersAt + 8 * (kStages + i)}; }
  __device__ Barrier computed() const { return {base + kBarriersAt + 8 * (2 * kStages)}; }
  __device__ Barrier stored() const { return {base + kBarriersAt + 8 * (2 * kStages + 1)}; }
};

/// A product of the task: rows of x times columns of w, a tile after the other, the block's own.
struct Work {
  const half_bits* x;
  const half_bits* w;
  half_bits* y;
  int depth;
  int columns;
  int first;  ///< tile, of columns / kTile a row
  int tiles;

  __device__ long long row(int tile) const { return static_cast<long long>(tile / (columns / kTile)) * kTile; }
  __device__ int column(int tile) const { return tile % (columns / kTile) * kTile; }
};

__device__ void copy_row(unsigned to, const half_bits* from, unsigned bytes, Barrier done) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to), "l"(from), "r"(bytes),
               "r"(done.address)
               : "memory");
}

__device__ void load_slabs(const Work& work, const Shared& shared, int lane) {
  Turn turn;
  for (int tile = work.first; tile < work.first + work.tiles; ++tile) {
    const half_bits* x = work.x + work.row(tile) * work.depth;
    const half_bits* w = work.w + work.column(tile);
    for (int at = 0; at < work.depth; at += kSlab, turn.advance(kStages)) {
      shared.empty(turn.place).wait(turn.parity ^ 1);
      if (lane == 0) shared.full(turn.place).arrive_and_expect(kSlabBytes);
      __syncwarp();
      const unsigned stage = shared.stage(turn.place);
      for (int row = lane; row < kTile; row += 32)
        copy_row(stage + row * kXRow, x + static_cast<long long>(row) * work.depth + at, kSlab * 2, shared.full(turn.place));
      for (int row = lane; row < kSlab; row += 32)
        copy_row(stage + kXBytes + row * kWRow, w + static_cast<long long>(at + row) * work.columns, kTile * 2, shared.full(turn.place));
    }
  }
}

/// A quarter of each tile: 64 x 64.
__device__ void multiply_slabs(const Work& work, const Shared& shared, unsigned char* memory, int warp, int lane) {
  const int warp_row = warp / 2 * 64;
  const int warp_column = warp % 2 * 64;
  Turn turn;
  unsigned stored = 1;
  for (int tile = 0; tile < work.tiles; ++tile, stored ^= 1) {
    float sums[4][8][4] = {};
    for (int at = 0; at < work.depth; at += kSlab, turn.advance(kStages)) {
      shared.full(turn.place).wait(turn.parity);
      const unsigned stage = shared.stage(turn.place);
#pragma unroll
      for (int step = 0; step < kSlab / 16; ++step) {
        unsigned b[4][4];
#pragma unroll
        for (int n = 0; n < 4; ++n)
          load_matrices_transposed(b[n], stage + kXBytes + (step * 16 + lane % 16) * kWRow + (warp_column + n * 16 + lane / 16 * 8) * 2);
#pragma unroll
        for (int m = 0; m < 4; ++m) {
          unsigned a[4];
          load_matrices(a, stage + (warp_row + m * 16 + lane % 16) * kXRow + (step * 16 + lane / 16 * 8) * 2);
#pragma unroll
          for (int n = 0; n < 8; ++n) multiply_add(sums[m][n], a, b[n / 2][n % 2 * 2], b[n / 2][n % 2 * 2 + 1]);
        }
      }
      __syncwarp();
      if (lane == 0) shared.empty(turn.place).arrive();
    }
    shared.stored().wait(stored);  // the tile before has been carried out
    unsigned char* out = memory + kStages * kStageBytes;
    for (int m = 0; m < 4; ++m) {
      for (int n = 0; n < 8; ++n) {
        unsigned char* at = out + (warp_row + m * 16 + lane / 4) * kWRow + (warp_column + n * 8 + lane % 4 * 2) * 2;
        *reinterpret_cast<unsigned*>(at) = to_halves(sums[m][n][0], sums[m][n][1]);
        *reinterpret_cast<unsigned*>(at + 8 * kWRow) = to_halves(sums[m][n][2], sums[m][n][3]);
      }
    }
    __syncwarp();
    if (lane == 0) shared.computed().arrive();
  }
}

__device__ void store_tiles(const Work& work, const Shared& shared, const unsigned char* memory, int warp, int lane) {
  const unsigned char* out = memory + kStages * kStageBytes;
  for (int tile = 0; tile < work.tiles; ++tile) {
    shared.computed().wait(tile & 1);
    half_bits* y = work.y + work.row(work.first + tile) * work.columns + work.column(work.first + tile);
    for (int row = 2 * warp + lane / 16; row < kTile; row += 2 * kStoreWarps) {
      const auto piece = *reinterpret_cast<const uint4*>(out + row * kWRow + lane % 16 * 16);
      *reinterpret_cast<uint4*>(y + static_cast<long long>(row) * work.columns + lane % 16 * 8) = piece;
    }
    __syncwarp();
    if (lane == 0) shared.stored().arrive();
  }
}

}  // namespace

// y = x w in tiles of 128 x 128, as many for each of the task's blocks: x has rows of `depth` halves, w and y of `columns`. Of 224 threads.
__device__ void product(const tasktwin::Block& block, const half_bits* x, const half_bits* w, half_bits* y, int depth, int columns,
                        int tiles_a_block) {
  const Shared shared{shared_address(block.shared)};
  const int warp = block.thread / 32;
  const int lane = block.thread % 32;
  if (block.thread == 0) {
    for (int i = 0; i < kStages; ++i) {
      shared.full(i).make(1);
      shared.empty(i).make(kComputeWarps);
    }
    shared.computed().make(kComputeWarps);
    shared.stored().make(kStoreWarps);
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  asm volatile("fence.proxy.async;" ::: "memory");  // what other tasks wrote, for the copies
  block.sync();
  const Work work{x, w, y, depth, columns, static_cast<int>(block.index) * tiles_a_block, tiles_a_block};
  if (warp == 0) {
    load_slabs(work, shared, lane);
  } else if (warp <= kComputeWarps) {
    multiply_slabs(work, shared, block.shared, warp - 1, lane);
  } else {
    store_tiles(work, shared, block.shared, warp - 1 - kComputeWarps, lane);
  }
  block.sync();
  if (block.thread == 0) {
    for (int i = 0; i < 2 * kStages + 2; ++i) shared.full(i).end();  // the next body finds plain memory
  }
}
