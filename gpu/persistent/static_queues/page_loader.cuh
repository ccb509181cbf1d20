#pragma once

#include "gpu/bodies/pages.cuh"
#include "gpu/cuda/warp.cuh"
#include "gpu/persistent/static_queues/static_queues_kernel.hpp"

namespace tasktwin::gpu {

/// In place of a task's number: the worker has come to its end.
inline constexpr std::uint32_t kListOver = ~0u;

/// A loader copies in rounds of that many bytes, of which that many are in flight at most. These keep the memory busy. What is further
/// in flight waits in the multiprocessor's queue to memory, and what the worker asks for or publishes waits after it:
/// docs/model/page_loads.md.
inline constexpr std::uint32_t kRoundBytes = 4096;
inline constexpr int kRoundsUnderWay = 8;

namespace page_loader_detail {

/// 16 bytes to shared memory.
__device__ __forceinline__ void copy_vector(std::uint32_t shared, const std::byte* global) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared), "l"(global) : "memory");
}

/// Round after round, whose copies' addresses differ by constants: one warp issues them all.
template <int kUnderWay>
__device__ __forceinline__ void copy_piece(std::uint32_t page, const void* piece, std::uint32_t bytes) {
  constexpr std::uint32_t kRow = 32 * sizeof(uint4);
  const std::uint32_t lane = lane_id() * static_cast<std::uint32_t>(sizeof(uint4));
  std::uint32_t to = page + lane;
  const std::byte* from = static_cast<const std::byte*>(piece) + lane;
  std::uint32_t left = bytes;
#pragma unroll 1
  for (; left >= kRoundBytes; left -= kRoundBytes, to += kRoundBytes, from += kRoundBytes) {
    wait_copies<kUnderWay - 1>();
#pragma unroll
    for (std::uint32_t at = 0; at < kRoundBytes; at += kRow) copy_vector(to + at, from + at);
    commit_copies();
  }
  if (left == 0) return;
  wait_copies<kUnderWay - 1>();
#pragma unroll 1
  for (std::uint32_t at = lane; at < left; at += kRow, to += kRow, from += kRow) copy_vector(to, from);
  commit_copies();
}

/// The barrier completes once the lane's copies until here have come.
__device__ __forceinline__ void arrive_behind_copies(Mbarrier& barrier) {
  asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(static_cast<std::uint32_t>(__cvta_generic_to_shared(&barrier)))
               : "memory");
}

/// The copies of a list one after the other. Each lane keeps one, and one for later: a read that is not asked for long before waits after
/// all that is in flight.
class CopyList {
 public:
  __device__ CopyList(const PageCopy* copies, std::uint32_t first, std::uint32_t end)
      : copies_(copies), next_(first), end_(end), held_(read(first)), later_(read(first + 32)) {}

  __device__ bool over() const { return next_ == end_; }

  /// Contract: not over.
  __device__ PageCopy take() {
    if (place_ == 32) {
      held_ = later_;
      later_ = read(next_ + 32);
      place_ = 0;
    }
    PageCopy copy;
#pragma unroll
    for (int i = 0; i < kWords; ++i)
      reinterpret_cast<std::uint32_t*>(&copy)[i] = __shfl_sync(kAllLanes, reinterpret_cast<const std::uint32_t*>(&held_)[i], place_);
    ++place_;
    ++next_;
    return copy;
  }

 private:
  static constexpr int kWords = sizeof(PageCopy) / sizeof(std::uint32_t);

  __device__ PageCopy read(std::uint32_t from) const { return from + lane_id() < end_ ? copies_[from + lane_id()] : PageCopy{}; }

  const PageCopy* copies_;
  std::uint32_t next_;
  std::uint32_t end_;
  int place_ = 0;
  PageCopy held_;
  PageCopy later_;
};

}  // namespace page_loader_detail

/// Loads the worker's constant inputs, page after page, until all have been loaded or `at`, the number of the task that it is at, becomes
/// kListOver. A whole warp calls.
template <int kUnderWay = kRoundsUnderWay>
__device__ __forceinline__ void load_pages(const PagePlan& plan, std::uint32_t worker, const SharedPages& ring,
                                           const volatile std::uint32_t& at) {
  PageCursor to(ring);
  page_loader_detail::CopyList list(plan.copies, plan.first[worker], plan.first[worker + 1]);
  for (; !list.over(); to.advance()) {
    const PageCopy copy = list.take();
    for (;;) {
      const std::uint32_t task = at;
      const bool over = task == kListOver;
      const bool may = !over && copy.number <= task + plan.ahead && to.empty().is_over(to.parity() ^ 1u);
      if (__all_sync(kAllLanes, may)) break;
      if (!__any_sync(kAllLanes, over)) continue;
      wait_copies<0>();
      return;
    }
    const auto page = static_cast<std::uint32_t>(__cvta_generic_to_shared(to.page()));
    page_loader_detail::copy_piece<kUnderWay>(page, copy.first, copy.first_bytes);
    if (copy.second) page_loader_detail::copy_piece<kUnderWay>(page + copy.first_bytes, copy.second, copy.second_bytes);
    page_loader_detail::arrive_behind_copies(to.full());
  }
  wait_copies<0>();
}

}  // namespace tasktwin::gpu
