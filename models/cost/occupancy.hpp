#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "models/machine/limits.hpp"

namespace tasktwin {

// How many blocks a core holds. Threads are given out in whole warps, registers to each warp in whole units (CUDA C++ Programming Guide,
// "Hardware Multithreading"; the allocation unit of compute capability 9.0 from CUDA's occupancy calculator). Not modelled: that a warp's
// registers lie in one quarter of the SM.

inline constexpr std::int64_t kWarp = 32;           ///< threads
inline constexpr std::int64_t kRegisterUnit = 256;  ///< registers

/// What one block takes of its core.
struct BlockRoom {
  std::int64_t threads = 0;
  std::int64_t registers = 0;
  std::int64_t shared_memory = 0;  ///< bytes, those that the hardware takes besides among them
};

/// The room of a block of `threads` threads of `registers` registers each and `shared_memory` bytes of its own.
constexpr BlockRoom block_room(std::int64_t threads, std::int64_t registers, std::int64_t shared_memory, const CoreLimits& limits) {
  const auto in_units = [](std::int64_t value, std::int64_t unit) { return (value + unit - 1) / unit; };
  const std::int64_t warps = in_units(threads, kWarp);
  return {.threads = warps * kWarp,
          .registers = warps * in_units(registers * kWarp, kRegisterUnit) * kRegisterUnit,
          .shared_memory = shared_memory + limits.reserved};
}

/// Blocks that a core can hold at a time, which may be none; as many as there can be where nothing limits them.
constexpr std::int64_t blocks_a_core(const BlockRoom& block, const CoreLimits& limits) {
  std::int64_t blocks = limits.blocks > 0 ? limits.blocks : std::numeric_limits<std::int32_t>::max();
  const auto limit = [&blocks](std::int64_t has, std::int64_t takes) {
    if (has > 0 && takes > 0) blocks = std::min(blocks, has / takes);
  };
  limit(limits.threads, block.threads);
  limit(limits.registers, block.registers);
  limit(limits.shared_memory, block.shared_memory);
  return blocks;
}

}  // namespace tasktwin
