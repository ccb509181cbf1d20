#include "gpu/device/capability.hpp"

#include "gpu/bodies/body_context.hpp"
#include "models/cost/footprint.hpp"
#include "models/cost/workers_beside.hpp"
#include "models/runtimes/runtimes.hpp"

namespace tasktwin::gpu {

namespace {

/// What a block has of shared memory in addition to its body: a worker's, or what is in front of bodies that are launched.
std::int64_t beside_body(const Design& design) { return runtime_of(design).resident() ? kWorkerBlockBytes : kInFrontOfBody; }

std::string number(const Capability& gpu) { return std::to_string(gpu.major) + "." + std::to_string(gpu.minor); }

std::string needs_9(const Capability& gpu, const std::string& what) {
  return what + " needs compute capability 9.0, and this GPU has " + number(gpu);
}

}  // namespace

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
    const std::int64_t bytes = block.whole_core ? body_shared_bytes(graph, task_id(i)) + beside_body(design) : block.shared_memory;
    if (bytes <= gpu.block_shared_bytes) continue;
    return task() + "of kernel '" + std::string(graph.kernel_name(task_id(i))) + "' needs " + std::to_string(bytes) +
           " bytes of shared memory, and a block can have " + std::to_string(gpu.block_shared_bytes) + " on this GPU";
  }
  return std::nullopt;
}

}  // namespace tasktwin::gpu
