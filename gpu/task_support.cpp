#include "gpu/task_support.hpp"

#include <algorithm>

#include "gpu/bodies/body_context.hpp"

namespace tasktwin::gpu {

namespace {

/// A kernel of kBodyThreads that has an SM's 65,536 registers to itself is compiled for this many a thread at most.
constexpr int kMostRegisters = 255;

/// Whether it computes nothing that is held against the CPU's, so that a body may be left out.
bool is_synthetic(Kernel kernel) {
  return kernel == Kernel::kEmpty || kernel == Kernel::kSpin || kernel == Kernel::kFma || kernel == Kernel::kStream;
}

bool spawns(const TaskGraph& graph, TaskId task) {
  return graph.has_spawns() &&
         std::ranges::any_of(graph.successors(task), [&](TaskId successor) { return graph.spawner(successor) == task; });
}

/// Whether several blocks may do the work of one task each, at a time, on nothing that they share.
bool runs_side_by_side(Kernel kernel, bool numbered) {
  return kernel == Kernel::kEmpty || kernel == Kernel::kSpin || kernel == Kernel::kFma || (kernel == Kernel::kStream && numbered);
}

/// Why blocks of the task are not what it states: all executors launch the same for every body.
std::optional<std::string> why_no_footprint(const TaskTraits& traits) {
  constexpr auto kShared = static_cast<std::int64_t>(kBodySharedBytes);
  const bool stated = traits.threads != 0 || traits.shared_memory != 0;
  if (stated && (traits.threads != kBodyThreads || traits.shared_memory != kShared)) {
    return "states " + std::to_string(traits.threads) + " threads and " + std::to_string(traits.shared_memory) +
           " bytes of shared memory a block, but executors run every body with " + std::to_string(kBodyThreads) + " threads and " +
           std::to_string(kShared) + " bytes; leave threads and shared_memory_bytes out";
  }
  if (traits.registers == 0) return std::nullopt;
  return "states " + std::to_string(traits.registers) +
         " registers a thread, but executors' kernels have as many as they were compiled for, up to " + std::to_string(kMostRegisters) +
         "; leave registers out";
}

/// The predecessor with whose edge bytes come; bodies on a GPU read none.
std::optional<TaskId> predecessor_with_bytes(const TaskGraph& graph, TaskId task) {
  const auto bytes = graph.input_bytes(task);
  const auto found = std::ranges::find_if(bytes, [](std::int64_t count) { return count > 0; });
  if (found == bytes.end()) return std::nullopt;
  return graph.predecessors(task)[found - bytes.begin()];
}

}  // namespace

std::optional<std::string> why_no_task(const TaskGraph& graph, const TaskSupport& support) {
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const Task& task = graph[task_id(i)];
    const TaskTraits& traits = graph.traits(task_id(i));
    const auto because = [&](const std::string& why) { return "task '" + std::string(graph.name(task_id(i))) + "' " + why; };
    if (task.operation != Operation::kKernel && !support.operations) {
      return because(
          "is a " + std::string(to_word(task.operation)) +
          "; this executor runs kernels only, for what is at work on the device calls no copy engine, allocator or host; it needs "
          "driver 'streams' or 'cuda_graph'");
    }
    if (task.core_type != CoreType::kSm) return because("needs a core of type '" + std::string(to_word(task.core_type)) + "', not 'sm'");
    if (task.cost.sigma_ns > 0) return because("has a sigma: bodies on a GPU do not vary at will");
    if (!traits.samples.empty()) return because("has its times drawn from samples: bodies on a GPU do not vary at will");
    if (traits.probability < 1 && !is_synthetic(task.kernel)) {
      return because("has a predicate, but what kernel '" + std::string(to_word(task.kernel)) +
                     "' computes is needed; kernels empty, spin, fma and stream may have one");
    }
    if (traits.probability < 1 && spawns(graph, task_id(i)))
      return because("has a predicate and spawns tasks, which executors then spawn whether it holds or not");
    if (const auto why = why_no_footprint(traits)) return because(*why);
    if (const auto from = predecessor_with_bytes(graph, task_id(i)))
      return because("gets bytes with its edge from task '" + std::string(graph.name(*from)) +
                     "', which bodies on a GPU do not read; leave the edge's bytes out");
    if (traits.other_type) return because("may run on two core types; a GPU has one");
    if (traits.blocks > 1 && !support.blocks)
      return because("has " + std::to_string(traits.blocks) + " blocks; this executor runs one a task");
    if (traits.blocks > 1 && !runs_side_by_side(task.kernel, support.numbered_blocks)) {
      return because("has " + std::to_string(traits.blocks) + " blocks, but those of kernel '" + std::string(to_word(task.kernel)) +
                     "' would do the same work; kernels " +
                     (support.numbered_blocks ? "empty, spin, fma and stream" : "empty, spin and fma") + " may have several");
    }
    if (graph.spawner(task_id(i)) && !support.spawned)
      return because("is spawned by another; this executor needs to know all tasks beforehand");
  }
  return std::nullopt;
}

}  // namespace tasktwin::gpu
