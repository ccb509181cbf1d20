#pragma once

#include <array>

#include "scenarios/generators/parts/matrix_vector_times.hpp"

namespace tasktwin::scenarios {

/// How many blocks each sequence has.
enum class Lengths : std::uint8_t {
  kEven,    ///< `blocks`
  kRagged,  ///< drawn from 1 to 2·blocks − 1, in pairs that have 2·blocks together, so that the sum is that of `even`
};

}  // namespace tasktwin::scenarios

namespace tasktwin {
template <>
struct Words<scenarios::Lengths> {
  static constexpr std::array entries{std::pair{scenarios::Lengths::kEven, std::string_view{"even"}},
                                      std::pair{scenarios::Lengths::kRagged, std::string_view{"ragged"}}};
};
}  // namespace tasktwin

namespace tasktwin::scenarios {

/// Paged attention as an Ascend runtime submits it: sequence by sequence, block by block. A sequence begins with setup(s),
/// which clears its accumulators; each block is a chain qk → softmax → pv → update, and its update also waits for its softmax
/// and for the sequence's update before (the first for setup). qk and pv run on matrix cores, the others on vector cores.
/// batch · (1 + 4·blocks) tasks, 5 · batch · blocks edges. Layer 4·block + stage: every edge leads to a later layer.
/// Default times: silicon's means and robust standard deviations on an Ascend a2a3. No time of setup is published; it
/// touches the accumulators that an update touches, so its default is the update's.
struct PagedAttentionParameters {
  std::int64_t batch = 256;
  std::int64_t blocks = 64;
  Lengths lengths = Lengths::kEven;
  Work setup{.core_type = CoreType::kAiv, .time = Duration{1297}, .sigma_ns = 59};
  Work qk{.core_type = CoreType::kAic, .time = Duration{1638}, .sigma_ns = 178};
  Work softmax{.core_type = CoreType::kAiv, .time = Duration{1204}, .sigma_ns = 89};
  Work pv{.core_type = CoreType::kAic, .time = Duration{1514}, .sigma_ns = 148};
  Work update{.core_type = CoreType::kAiv, .time = Duration{1297}, .sigma_ns = 59};
};

TaskGraph make_paged_attention(const PagedAttentionParameters& parameters, std::uint64_t seed);

}  // namespace tasktwin::scenarios
