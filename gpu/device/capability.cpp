#include "gpu/device/capability.hpp"

#include <algorithm>
#include <variant>

#include "models/cost/footprint.hpp"
#include "models/cost/workers_beside.hpp"

namespace tasktwin::gpu {

namespace {

/// What kernels have of a block's shared memory in addition to bodies.
constexpr std::int64_t kBesideBodies = std::int64_t{3} * 1024;

std::string number(const Capability& gpu) { return std::to_string(gpu.major) + "." + std::to_string(gpu.minor); }

std::string needs_9(const Capability& gpu, const std::string& what) {
  return what + " needs compute capability 9.0, and this GPU has " + number(gpu);
}

std::int64_t floats(std::int64_t count) { return count * static_cast<std::int64_t>(sizeof(float)); }

/// Bodies that multiply rows hold the vector in shared memory.
std::int64_t columns(const DecodeProblem& decode, Kernel kernel) { return kernel == Kernel::kDown ? decode.mlp : decode.hidden; }

}  // namespace

std::int64_t body_shared_bytes(const TaskGraph& graph, TaskId task) {
  const Kernel kernel = graph[task].kernel;
  if (const auto* const cholesky = std::get_if<CholeskyProblem>(&graph.problem())) {
    const std::int64_t rows = cholesky->tile_size;
    return runs_in_any_block(kernel) ? 0 : floats(2 * rows * rows + rows);
  }
  const auto* const decode = std::get_if<DecodeProblem>(&graph.problem());
  return decode && reads_rows(kernel) ? floats(columns(*decode, kernel)) : 0;
}

std::optional<std::string> why_too_old(const Capability& gpu) {
  if (gpu.major >= 8) return std::nullopt;
  return "has compute capability " + number(gpu) + "; the executors need 8.0 or higher";
}

std::optional<std::string> why_not_capable(const Capability& gpu, const TaskGraph& graph, const Design& design) {
  if (gpu.major < 9 && design.programmatic_launch == ProgrammaticLaunch::kOn) return needs_9(gpu, "programmatic_launch 'on'");
  if (design.workers_per_core > 1) {
    if (auto why = why_no_room_beside(graph, gpu.multiprocessor, "a multiprocessor", design.workers_per_core)) return why;
  }
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const auto task = [&] { return "task '" + std::string(graph.name(task_id(i))) + "' "; };
    const Footprint block = launched_block(graph, task_id(i));
    if (gpu.major < 9 && block.cluster > 1) return needs_9(gpu, task() + "has clusters of blocks: that");
    const std::int64_t bytes = block.whole_core ? body_shared_bytes(graph, task_id(i)) + kBesideBodies : block.shared_memory;
    if (bytes <= gpu.block_shared_bytes) continue;
    return task() + "of kernel '" + std::string(graph.kernel_name(task_id(i))) + "' needs " + std::to_string(bytes) +
           " bytes of shared memory, and a block can have " + std::to_string(gpu.block_shared_bytes) + " on this GPU";
  }
  return std::nullopt;
}

}  // namespace tasktwin::gpu
