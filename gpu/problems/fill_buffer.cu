#include "gpu/problems/fill_buffer.hpp"

#include <algorithm>

#include <cuda_fp16.h>

#include "gpu/cuda/cuda_error.hpp"

namespace tasktwin::gpu {

namespace {

template <class T>
__device__ T value_of(const BufferValues& values, std::uint64_t i) {
  if constexpr (std::is_same_v<T, float>) {
    return values.real(i);
  } else if constexpr (std::is_same_v<T, __half>) {
    return __float2half_rn(values.real(i));
  } else {
    return static_cast<T>(values.whole(i));
  }
}

/// A type of its own: Bf16 is a whole number to the compiler.
struct Bfloat16 {
  Bf16 bits;
};
template <>
__device__ Bfloat16 value_of<Bfloat16>(const BufferValues& values, std::uint64_t i) {
  return {to_bf16(values.real(i))};
}

template <class T>
__global__ void fill(T* elements, std::uint64_t count, BufferValues values) {
  const std::uint64_t threads = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += threads)
    elements[i] = value_of<T>(values, i);
}

template <class T>
void fill_with(std::byte* data, const OwnBuffer& buffer, std::size_t number, cudaStream_t stream) {
  constexpr unsigned kThreads = 256;
  constexpr std::uint64_t kMostBlocks = 4096;
  const auto count = static_cast<std::uint64_t>(buffer.count);
  const auto blocks = static_cast<unsigned>(std::min((count + kThreads - 1) / kThreads, kMostBlocks));
  fill<<<blocks, kThreads, 0, stream>>>(reinterpret_cast<T*>(data), count, BufferValues::of(buffer, number));
  check(cudaGetLastError(), "filling buffer '" + buffer.name + "'");
}

}  // namespace

void fill_buffer(std::byte* data, const OwnBuffer& buffer, std::size_t number, cudaStream_t stream) {
  if (buffer.fill == BufferFill::kZero)
    return check(cudaMemsetAsync(data, 0, static_cast<std::size_t>(buffer.bytes()), stream), "filling buffer '" + buffer.name + "'");
  switch (buffer.type) {
    case ElementType::kHalf:
      return fill_with<__half>(data, buffer, number, stream);
    case ElementType::kBfloat16:
      return fill_with<Bfloat16>(data, buffer, number, stream);
    case ElementType::kFloat:
      return fill_with<float>(data, buffer, number, stream);
    case ElementType::kInteger:
      return fill_with<std::uint32_t>(data, buffer, number, stream);
    case ElementType::kByte:
      return fill_with<std::uint8_t>(data, buffer, number, stream);
  }
}

}  // namespace tasktwin::gpu
