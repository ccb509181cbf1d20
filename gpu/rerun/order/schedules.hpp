#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tasktwin::gpu::rerun {

/// How an iteration's operations are given to the device again.
struct Schedule {
  enum class Way {
    kAsCaptured,    ///< the same streams, events and waits of the host
    kChain,         ///< a CUDA graph in the order of issue
    kGraph,         ///< a CUDA graph with the edges of streams, events and the host's waits
    kProgrammatic,  ///< that graph, in which kernels that were launched so begin before the one ahead of them has ended
    kDependences,   ///< a CUDA graph with what the operations need by their memory
    kStreams,       ///< `number` streams, with the program's edges as events, or with what is needed where that is known
    kPlan,          ///< as the `number`-th file says
    kCut            ///< the chain without every `number`-th edge: a wrong order
  };
  Way way = Way::kAsCaptured;
  std::size_t number = 0;

  std::string name() const;
};

/// The most streams of `streams:N`.
inline constexpr std::size_t kMaxStreams = 64;

/// The most files of plans.
inline constexpr std::size_t kMaxPlans = 64;

/// Words divided by commas: `as-captured`, `chain`, `graph`, `programmatic`, `dependences`, `streams:N`, `plan` for the first, `plan:N`,
/// `cut:N`. As-captured is what the others are held against, and becomes the first whether it is named or not. Throws std::invalid_argument
/// with the word and what would be right.
std::vector<Schedule> parse_schedules(std::string_view words);

/// What runs where nothing is asked for.
inline constexpr std::string_view kDefaultSchedules = "as-captured,chain,graph";

}  // namespace tasktwin::gpu::rerun
