#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "models/base/names.hpp"
#include "models/graph/task_graph.hpp"

namespace tasktwin {

/// Who makes a graph's collectives.
enum class CollectivesBy : std::uint8_t {
  kLibrary,  ///< a library's kernels, by the design's axis `collective`
  kOneShot,  ///< kernels of the graph, each of which reads what it needs from every other device
  kTwoShot,  ///< for all_reduce two steps of such kernels: a rank adds up its part of all, then reads the others' sums
};
template <>
struct Words<CollectivesBy> {
  static constexpr std::array entries{std::pair{CollectivesBy::kLibrary, std::string_view{"library"}},
                                      std::pair{CollectivesBy::kOneShot, std::string_view{"one_shot"}},
                                      std::pair{CollectivesBy::kTwoShot, std::string_view{"two_shot"}}};
};

/// What a rank of such a collective is made of.
struct CollectiveKernels {
  CollectivesBy by = CollectivesBy::kLibrary;
  int pieces = 1;  ///< tasks a rank and step, which share its bytes
  int blocks = 1;  ///< a piece
};

/// The graph with kernels in place of collectives: a rank's piece waits for what every rank waits for, and reads, over edges with bytes,
/// from each other device what the collective brings from there: of `bytes` on n devices, all_reduce in one shot `bytes`, in two twice
/// bytes / n; reduce_scatter, all_gather and all_to_all bytes / n; broadcast and send_recv `bytes`, from the root. In the first step all
/// pieces of a rank have edges with what they read together (TaskTraits::split_of). Its body moves what the rank reads and writes of its
/// own memory. A rank that nothing comes before gets an empty task to be read from. What waited for a rank waits for all of its pieces,
/// called as the rank is, '.' and their number; in the first of two steps '.part' and their number. Throws InputError for more than
/// kMostCollectivePieces or kMostCollectiveEdges.
TaskGraph with_kernels_for_collectives(const TaskGraph& graph, const CollectiveKernels& kernels);

inline constexpr std::size_t kMostCollectivePieces = 4'000'000;  ///< of all ranks together; two_shot makes twice as many tasks
inline constexpr std::size_t kMostCollectiveEdges = 20'000'000;

}  // namespace tasktwin
