#pragma once

#include <cstdint>

#include "gpu/bodies/hashed_values.hpp"
#include "models/base/host_device.hpp"

namespace tasktwin::gpu {

/// A piece of a task's message (models/graph/messages.hpp): written and read whole, so that who sees the flag has the numbers.
struct alignas(16) MessagePiece {
  std::uint32_t numbers[3];
  std::uint32_t flag;  ///< 0, or kPieceSent

  friend bool operator==(const MessagePiece&, const MessagePiece&) = default;
};
inline constexpr std::uint32_t kPieceSent = ~0u;

/// Of a task's message, by place in the lists.
struct MessageRow {
  std::uint32_t first;   ///< piece
  std::uint32_t pieces;  ///< with kFences where the result is not in them
};
inline constexpr std::uint32_t kFences = 0x80000000u;

/// In place of a piece's number: that of an event's counter.
inline constexpr std::uint32_t kEventCounter = 0x80000000u;

/// The result of a task is a number of its own and what it has from the messages that it waits for, so that one wrong number anywhere is
/// one in all results behind it.
TASKTWIN_HOST_DEVICE constexpr std::uint32_t own_number(std::uint32_t task) { return scramble(task + 1); }
TASKTWIN_HOST_DEVICE constexpr MessagePiece piece_of(std::uint32_t result, std::uint32_t piece) {
  return {{result + piece, result ^ 0x5bd1e995u, ~result}, kPieceSent};
}
TASKTWIN_HOST_DEVICE constexpr std::uint32_t taken_from(const MessagePiece& piece) {
  return piece.numbers[0] + 3 * piece.numbers[1] + 5 * piece.numbers[2];
}

}  // namespace tasktwin::gpu
