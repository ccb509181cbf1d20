#pragma once

#include <cstdint>

#include "gpu/bodies/hashed_values.hpp"
#include "models/graph/own_kernels.hpp"

namespace tasktwin::gpu {

/// How the elements of one buffer are made, by the device and by references on the host alike.
struct BufferValues {
  BufferFill fill;
  std::uint32_t number;  ///< of the buffer, among its scenario's
  std::uint32_t range;
  float scale;

  static BufferValues of(const OwnBuffer& buffer, std::size_t number) {
    return {buffer.fill, static_cast<std::uint32_t>(number), static_cast<std::uint32_t>(buffer.range), buffer.scale};
  }

  /// Of a buffer of floating-point numbers, before it is rounded to their type.
  TASKTWIN_HOST_DEVICE float real(std::uint64_t i) const {
    return fill == BufferFill::kUniform ? scale * hashed_unit(tensor(), i) : fill == BufferFill::kIndex ? static_cast<float>(i) : 0.0f;
  }
  /// Of a buffer of whole ones.
  TASKTWIN_HOST_DEVICE std::uint32_t whole(std::uint64_t i) const {
    if (fill == BufferFill::kIndex) return static_cast<std::uint32_t>(i);
    if (fill == BufferFill::kZero) return 0;
    const auto hash = static_cast<std::uint32_t>(static_cast<std::int32_t>(hashed_unit(tensor(), i) * 0x1p23f) + (1 << 23));  // 24 bits
    return static_cast<std::uint32_t>((std::uint64_t{hash} * range) >> 24);
  }

 private:
  /// After those of the project's own problems.
  TASKTWIN_HOST_DEVICE HashedTensor tensor() const { return static_cast<HashedTensor>(1000 + number); }
};

}  // namespace tasktwin::gpu
