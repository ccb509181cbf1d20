#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/bodies/body_thread.cuh"
#include "gpu/cuda/mbarrier.cuh"

namespace tasktwin::gpu {

/// A worker's ring of pages: a loader fills them in turn, its body's warps read them in the same order.
struct SharedPages {
  std::byte* pages;
  Mbarrier* full;   ///< of each page: its bytes are there
  Mbarrier* empty;  ///< of each page: all warps of the body are through with it
  std::uint32_t page_bytes;
  std::uint32_t count;

  __device__ void init() const {
    if (threadIdx.x < count) {
      full[threadIdx.x].init(32);  // a loader's lanes, each once its own copies have come
      empty[threadIdx.x].init(kBodyWarps);
    }
  }
};

/// A warp's place in the ring.
class PageCursor {
 public:
  __device__ explicit PageCursor(const SharedPages& ring) : ring_(ring) {}

  __device__ std::byte* page() const { return ring_.pages + place_ * ring_.page_bytes; }
  __device__ Mbarrier& full() const { return ring_.full[place_]; }
  __device__ Mbarrier& empty() const { return ring_.empty[place_]; }
  __device__ std::uint32_t page_bytes() const { return ring_.page_bytes; }
  /// Of the page's phases, the one that its use at hand is.
  __device__ std::uint32_t parity() const { return parity_; }

  __device__ void advance() {
    if (++place_ < ring_.count) return;
    place_ = 0;
    parity_ ^= 1u;
  }

  /// Calls read(page) once the next page is full. All warps of a body come to all pages, though they read some of them only: a page
  /// is loaded again when all have left it, so none of them can be a whole turn late.
  template <class Read>
  __device__ __forceinline__ void read_next(const Read& read) {
    full().wait(parity_);
    read(static_cast<const std::byte*>(page()));
    __syncwarp();
    empty().arrive_if(body_thread() % 32 == 0);
    advance();
  }

 private:
  const SharedPages& ring_;
  std::uint32_t place_ = 0;
  std::uint32_t parity_ = 0;
};

}  // namespace tasktwin::gpu
