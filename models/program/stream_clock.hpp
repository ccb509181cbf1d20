#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tasktwin {

/// A vector clock: by stream, how much of its work something is known to come after.
using StreamClock = std::vector<std::uint32_t>;

inline void join(StreamClock& into, const StreamClock& other) {
  for (std::size_t i = 0; i < into.size(); ++i) into[i] = std::max(into[i], other[i]);
}

}  // namespace tasktwin
