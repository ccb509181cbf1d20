#pragma once

#include <cstdint>
#include <vector>

#include "verify/capture/spool/capture_index.hpp"

namespace tasktwin::verify {

/// The allocation that an address lies in, in a run in which each tensor has one of its own.
struct TensorPlace {
  std::uint32_t life = 0;    ///< its number, from 1; 0 where it is not known
  std::uint64_t offset = 0;  ///< of the address within it
  std::uint64_t bytes = 0;   ///< its size
};

/// By call of `run`: of each pointer that a kernel was given, as ResolvedCall::pointers has them, or of a copy's source and target, or of a
/// memset's target, the place of the same in `tensors`, another run of the program without an allocator that gives memory out again
/// (PYTORCH_NO_CUDA_MEMORY_CACHING). Empty for calls that have none, or that the other run does not have.
std::vector<std::vector<TensorPlace>> tensor_places(const CaptureIndex& run, const CaptureIndex& tensors);

}  // namespace tasktwin::verify
