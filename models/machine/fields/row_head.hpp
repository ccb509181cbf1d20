#pragma once

#include <cstdint>

namespace tasktwin {

/// Successors of a completed task that a lane of a control core works on together with the completion, where there are several lanes.
inline constexpr std::int64_t kRowHead = 4;

}  // namespace tasktwin
