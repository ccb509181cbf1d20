#include "models/cost/footprint.hpp"

#include <algorithm>
#include <variant>

#include "models/cost/occupancy.hpp"
#include "models/rules/attention_room.hpp"

namespace tasktwin {

namespace {

constexpr std::int64_t kKib = 1024;
/// What the driver leaves at least: by block, and the most of that in all.
constexpr std::int64_t kLeastOfBlock = 4 * kKib;
constexpr std::int64_t kLeast = 32 * kKib;
/// A kernel of which a core can hold between these numbers of blocks gets twice the memory that they fill, up to kGenerous.
constexpr std::int64_t kFewestGenerous = 4;
constexpr std::int64_t kMostGenerous = 16;
constexpr std::int64_t kGenerous = 132 * kKib;

std::int64_t at_least(const CoreLimits& limits, std::int64_t bytes) {
  const auto found = std::ranges::find_if(limits.carveouts, [bytes](int kib) { return kib * kKib >= bytes; });
  return found == limits.carveouts.end() ? limits.shared_memory : *found * kKib;
}

constexpr int kWarps = kWholeCoreThreads / static_cast<int>(kWarp);  // of a block that has its core to itself

constexpr std::int64_t floats(std::int64_t count) { return 4 * count; }

}  // namespace

std::int64_t vector_length(const DecodeProblem& problem, Kernel kernel) { return kernel == Kernel::kDown ? problem.mlp : problem.hidden; }

std::int64_t body_shared_bytes(const TaskGraph& graph, TaskId id) {
  const Task& task = graph[id];
  if (task.operation != Operation::kKernel) return 0;
  if (const OwnKernel* const own = own_kernel_of(graph.problem(), task.kernel)) return own->shared_memory;
  switch (kernel_entry(task.kernel).shared_bytes) {
    case SharedUse::kNothing:
      break;
    case SharedUse::kSums:
      return floats(kWarps);
    case SharedUse::kAttention:
      return rules::attention_bytes(kWarps);
    case SharedUse::kVector:
      if (const auto* const decode = std::get_if<DecodeProblem>(&graph.problem())) return floats(vector_length(*decode, task.kernel));
      break;
    case SharedUse::kTiles:
      if (const auto* const cholesky = std::get_if<CholeskyProblem>(&graph.problem())) {
        const std::int64_t rows = cholesky->tile_size;
        return floats(2 * rows * rows + rows);
      }
      return kWholeCoreSharedBytes;
  }
  return 0;
}

Carveout carveout(const CoreLimits& limits, std::int64_t block_bytes, std::int64_t blocks, int percent) {
  if (limits.carveouts.empty()) return {limits.shared_memory, 0, limits.shared_memory};
  const std::int64_t fit = block_bytes > 0 ? std::min(blocks, limits.shared_memory / block_bytes) : blocks;
  const std::int64_t filled = block_bytes * fit;
  const std::int64_t least = at_least(limits, filled);
  if (percent < 0) {
    const bool generous = blocks >= kFewestGenerous && blocks <= kMostGenerous;
    const std::int64_t given = std::max(std::min(kLeastOfBlock * blocks, kLeast), generous ? std::min(2 * filled, kGenerous) : 0);
    return {at_least(limits, std::max(filled, given)), least, limits.shared_memory};
  }
  const std::int64_t asked = std::max(at_least(limits, limits.shared_memory * percent / 100), at_least(limits, block_bytes));
  return {asked, std::min(least, asked), asked};
}

}  // namespace tasktwin
