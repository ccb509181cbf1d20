#pragma once

namespace tasktwin::rules {

/// Warps of a resident worker in addition to those that run bodies: one fetches tasks, one publishes completions.
inline constexpr int kFurtherWarps = 2;

}  // namespace tasktwin::rules
