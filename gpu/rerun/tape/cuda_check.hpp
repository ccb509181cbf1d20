#pragma once

#include <stdexcept>
#include <string>

#include "gpu/rerun/tape/driver_functions.hpp"

namespace tasktwin::gpu::rerun {

/// A call of the driver that failed while a range was run again.
class CudaError : public std::runtime_error {
 public:
  CudaError(CUresult result, const std::string& what) : std::runtime_error(what + ": " + text_of(result)), result_(result) {}

  /// Nothing more can be done on this context: a kernel failed.
  bool is_final() const {
    return result_ == CUDA_ERROR_ILLEGAL_ADDRESS || result_ == CUDA_ERROR_LAUNCH_FAILED || result_ == CUDA_ERROR_ASSERT ||
           result_ == CUDA_ERROR_MISALIGNED_ADDRESS || result_ == CUDA_ERROR_ILLEGAL_INSTRUCTION ||
           result_ == CUDA_ERROR_INVALID_ADDRESS_SPACE || result_ == CUDA_ERROR_INVALID_PC || result_ == CUDA_ERROR_HARDWARE_STACK_ERROR ||
           result_ == CUDA_ERROR_LAUNCH_TIMEOUT;
  }

 private:
  static std::string text_of(CUresult result) {
    const char* text = nullptr;
    cuGetErrorString(result, &text);
    return text ? text : "error " + std::to_string(static_cast<int>(result));
  }
  CUresult result_;
};

/// `what` becomes a string only where the call has failed: launches are timed.
template <class Text>
void check(CUresult result, const Text& what) {
  if (result != CUDA_SUCCESS) throw CudaError(result, std::string(what));
}

}  // namespace tasktwin::gpu::rerun
