#pragma once

#include <cstdint>

#include "models/base/host_device.hpp"

namespace tasktwin::gpu {

TASKTWIN_HOST_DEVICE constexpr std::uint32_t bit_words(std::uint32_t bits) { return (bits + 31) / 32; }

/// A ready queue by rank are two maps, one after the other: a bit for each rank, and a bit for each word of those that may hold any. Where
/// the second begins, and the words of both.
TASKTWIN_HOST_DEVICE constexpr std::uint32_t rank_summary_at(std::uint32_t ranks) { return bit_words(ranks); }
TASKTWIN_HOST_DEVICE constexpr std::uint32_t rank_words(std::uint32_t ranks) {
  return rank_summary_at(ranks) + bit_words(rank_summary_at(ranks));
}

}  // namespace tasktwin::gpu
