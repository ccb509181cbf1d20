#pragma once

#include <cstdint>

namespace tasktwin::gpu {

/// One of a block's 16 hardware barriers: the quickest way from one warp to another, but with no way to ask. Whole warps call;
/// `threads` is how many take part, of whom those that sync wait for all. Memory written before is visible after.
class NamedBarrier {
 public:
  __device__ explicit NamedBarrier(std::uint32_t id) : id_(id) {}
  __device__ void sync(std::uint32_t threads) const { asm volatile("bar.sync %0, %1;" ::"r"(id_), "r"(threads) : "memory"); }
  __device__ void arrive(std::uint32_t threads) const { asm volatile("bar.arrive %0, %1;" ::"r"(id_), "r"(threads) : "memory"); }

 private:
  std::uint32_t id_;
};

}  // namespace tasktwin::gpu
