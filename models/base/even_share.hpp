#pragma once

#include <cstddef>
#include <cstdint>

namespace tasktwin {

/// What the k-th of `parts` has of `whole`: as much as the others, the first ones one more of what is left over.
constexpr std::int64_t even_share(std::int64_t whole, std::size_t k, std::size_t parts) {
  const auto count = static_cast<std::int64_t>(parts);
  return whole / count + (static_cast<std::int64_t>(k) < whole % count ? 1 : 0);
}

}  // namespace tasktwin
