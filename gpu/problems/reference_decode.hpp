#pragma once

#include <span>
#include <vector>

#include "models/graph/problem.hpp"

namespace tasktwin::gpu {

/// The logits of one decode step over the hashed weights, state and KV cache that DecodeData generates on the device, in
/// double on all the host's cores. The new key and value are rounded to BF16 as in the cache.
std::vector<double> reference_logits(const DecodeProblem& problem);

/// FP32 accumulation gives about 1e-7 to 1e-6; a task left out of a small model more than 1e-2.
inline constexpr double kDecodeErrorLimit = 1e-3;

/// ‖logits − reference‖₂ / ‖reference‖₂; infinite if any logit is not a number. Contract: equal sizes.
double relative_error(std::span<const float> logits, std::span<const double> reference);

}  // namespace tasktwin::gpu
