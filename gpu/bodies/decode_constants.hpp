#pragma once

namespace tasktwin::gpu {

/// Added to the mean square before its root (Llama 3).
inline constexpr float kNormEpsilon = 1e-5f;

/// Rotary embedding as in Llama 3, without its frequency scaling for long contexts: components i and i + head_dim / 2
/// turn by position · base^(−2 i / head_dim).
inline constexpr double kRopeBase = 500000.0;

}  // namespace tasktwin::gpu
