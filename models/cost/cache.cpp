#include "models/cost/cache.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <variant>

namespace tasktwin {

namespace {

/// Each tile is there twice: where it is worked on, and where it is copied from.
std::int64_t matrix_bytes(const CholeskyProblem& problem) {
  const std::int64_t tiles = std::int64_t{problem.tiles} * (problem.tiles + 1) / 2;
  return 2 * tiles * problem.tile_size * problem.tile_size * std::int64_t{sizeof(float)};
}

}  // namespace

std::int64_t cached_bytes(const TaskGraph& graph) {
  const auto* const matrix = std::get_if<CholeskyProblem>(&graph.problem());
  std::int64_t bytes = matrix ? matrix_bytes(*matrix) : 0;
  if (const auto* const own = std::get_if<OwnKernels>(&graph.problem())) {
    for (const OwnBuffer& buffer : own->buffers) bytes += buffer.bytes();
  }
  std::set<std::array<std::int32_t, 4>> slices;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const Task& task = graph[task_id(i)];
    if (task.kernel == Kernel::kAttention && slices.insert(task.args).second)
      bytes += task.cost.bytes.count * graph.traits(task_id(i)).blocks;
  }
  return bytes;
}

bool finds_cache_empty(const TaskGraph& graph, const Machine& machine) {
  if (machine.memory_limits.cache == 0) return false;
  return cached_bytes(graph) > machine.memory_limits.cache ||
         std::ranges::any_of(graph.tasks(), [](const Task& task) { return task.kernel == Kernel::kStream; });
}

}  // namespace tasktwin
