#pragma once

#include <cstdint>

#include "gpu/bodies/body_context.hpp"
#include "models/base/host_device.hpp"

namespace tasktwin::gpu {

/// The tensors whose entries are hashes of their index: the device and the reference on the host generate the same numbers.
enum class HashedTensor : std::uint32_t { kQkv, kProject, kGateUp, kDown, kHead, kKeys, kValues, kNorm, kState, kMatrix };

/// Avalanching 32-bit hash (Wellons 2018, "lowbias32").
TASKTWIN_HOST_DEVICE constexpr std::uint32_t scramble(std::uint32_t x) {
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  return x ^ (x >> 16);
}

/// Uniform in [-1, 1), a multiple of 2^-23: exact in FP32.
TASKTWIN_HOST_DEVICE constexpr float hashed_unit(HashedTensor tensor, std::uint64_t index) {
  const std::uint32_t key = scramble(static_cast<std::uint32_t>(index >> 32) * 0x85ebca6bu + static_cast<std::uint32_t>(tensor) + 1u);
  const std::uint32_t hash = scramble(static_cast<std::uint32_t>(index) * 0x9e3779b1u + key);
  return static_cast<float>(static_cast<std::int32_t>(hash >> 8) - (1 << 23)) * 0x1p-23f;
}

/// The exact value of a bfloat16.
TASKTWIN_HOST_DEVICE inline float from_bf16(Bf16 value) {
  union {
    std::uint32_t bits;
    float number;
  } word{static_cast<std::uint32_t>(value) << 16};
  return word.number;
}

/// The nearest bfloat16, ties to even. Contract: finite.
TASKTWIN_HOST_DEVICE inline Bf16 to_bf16(float value) {
  union {
    float number;
    std::uint32_t bits;
  } word{value};
  return static_cast<Bf16>((word.bits + 0x7fffu + ((word.bits >> 16) & 1u)) >> 16);
}

TASKTWIN_HOST_DEVICE inline Bf16 hashed_bf16(HashedTensor tensor, std::uint64_t index, float scale) {
  return to_bf16(hashed_unit(tensor, index) * scale);
}

/// Weight of a norm, in [0.5, 1.5).
TASKTWIN_HOST_DEVICE constexpr float hashed_norm_weight(std::uint64_t index) {
  return 1.0f + 0.5f * hashed_unit(HashedTensor::kNorm, index);
}

}  // namespace tasktwin::gpu
