#include "gpu/supported/task_support.hpp"

#include <algorithm>

#include "gpu/bodies/block_arguments.hpp"
#include "models/cost/footprint.hpp"

namespace tasktwin::gpu {

namespace {

/// Of a block, whatever the GPU (CUDA C++ Programming Guide, "Technical Specifications per Compute Capability").
constexpr int kMostThreads = 1024;

/// Dynamic shared memory that workers leave to bodies: Hopper's 227 KiB less what the workers have themselves.
constexpr std::int64_t kMostResidentBytes = 216 * 1024;

bool spawns(const TaskGraph& graph, TaskId task) {
  return graph.has_spawns() &&
         std::ranges::any_of(graph.successors(task), [&](TaskId successor) { return graph.spawner(successor) == task; });
}

/// Whether several blocks may do the work of one task each, at a time, on nothing that they share.
bool runs_side_by_side(const TaskGraph& graph, Kernel kernel, bool numbered) {
  return (is_synthetic(kernel) && !uses_memory(kernel)) ||
         ((kernel == Kernel::kStream || is_own(kernel) ||
           (has_block_arguments(kernel) && std::holds_alternative<DecodeProblem>(graph.problem()))) &&
          numbered);
}

std::string text_of(const Footprint& block) {
  return std::to_string(block.threads) + " threads and " + std::to_string(block.shared_memory) + " bytes of shared memory a block" +
         (block.carveout >= 0 ? " with carveout " + std::to_string(block.carveout) : "");
}

/// Why the task's kernel is not launched with the blocks that it states.
std::optional<std::string> why_no_block(Kernel kernel, const TaskTraits& traits, Footprints support) {
  const Footprint block = footprint(traits);
  if (support == Footprints::kNone) return std::nullopt;  // no blocks of its own: task_remarks() says so
  if (block.cluster > 1 && support != Footprints::kAll)
    return "has clusters of " + std::to_string(block.cluster) + " blocks, which only streams and graphs of the host launch";
  if (block.cooperative && support != Footprints::kAll)
    return std::string("is launched cooperatively, which only streams and graphs of the host do");
  if (block.whole_core) return std::nullopt;
  if (block.threads > kMostThreads)
    return "states " + std::to_string(block.threads) + " threads, but a block has at most " + std::to_string(kMostThreads);
  if (block.carveout >= 0 && support == Footprints::kPlain)
    return "states a carveout, which kernels that launch kernels do not pass on; leave carveout out";
  if (runs_in_any_block(kernel) || (block.threads == kWholeCoreThreads && block.shared_memory == kWholeCoreSharedBytes))
    return std::nullopt;
  return "states " + text_of(block) + ", but kernel '" + std::string(to_word(kernel)) + "' computes with " +
         text_of(footprint(TaskTraits{})) + "; leave threads and shared_memory_bytes out, or use kernel empty, spin, fma or stream";
}

/// Where one kernel runs tasks of all blocks: the first that it cannot run beside the first one that states a footprint.
std::optional<std::string> why_not_together(const TaskGraph& graph, Footprints support) {
  if ((support != Footprints::kAlike && support != Footprints::kPlain) || !states_footprints(graph)) return std::nullopt;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const std::string name = "task '" + std::string(graph.name(task_id(i))) + "' ";
    const Footprint first = launched_block(graph, task_id(0));
    const Footprint block = launched_block(graph, task_id(i));
    if (support == Footprints::kAlike && block != first) {
      return name + "has " + text_of(block) + ", and task '" + std::string(graph.name(task_id(0))) + "' " + text_of(first) +
             "; this executor runs tasks of all kinds in one kernel, so all must have the same";
    }
    if (support == Footprints::kPlain && !runs_in_any_block(graph[task_id(i)].kernel)) {
      return name + "runs kernel '" + std::string(to_word(graph[task_id(i)].kernel)) +
             "', which a block of another task may have to run here; where tasks state threads or shared memory, all must be of kernel "
             "empty, spin, fma or stream";
    }
  }
  return std::nullopt;
}

/// The predecessor with whose edge bytes come; bodies on a GPU read none.
std::optional<TaskId> predecessor_with_bytes(const TaskGraph& graph, TaskId task) {
  const auto bytes = graph.input_bytes(task);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (bytes[i] > 0) return graph.predecessors(task)[static_cast<std::ptrdiff_t>(i)];
  }
  return std::nullopt;
}

/// Whether bytes on edges are carried to the task's device by copies or reads, and cost nothing where they lie there already.
bool carries_bytes(const TaskSupport& support, Kernel kernel) { return support.peer_bytes && runs_in_any_block(kernel); }

}  // namespace

std::optional<std::string> why_no_own(const OwnKernel& kernel, OwnBodies support) {
  const std::string name = "runs kernel '" + kernel.name + "' of the scenario's own, ";
  if (support == OwnBodies::kNone) return name + "which this executor has no way to link in; streams, CUDA graphs and workers have";
  if (support == OwnBodies::kLaunched) return std::nullopt;
  if (kernel.threads > kWholeCoreThreads) {
    return name + "of " + std::to_string(kernel.threads) + " threads; workers run bodies of " + std::to_string(kWholeCoreThreads) +
           " or fewer";
  }
  if (kernel.shared_memory > kMostResidentBytes) {
    return name + "with " + std::to_string(kernel.shared_memory) + " bytes of shared memory; workers leave bodies " +
           std::to_string(kMostResidentBytes);
  }
  return std::nullopt;
}

std::optional<std::string> why_no_task(const TaskGraph& graph, const TaskSupport& support) {
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const Task& task = graph[task_id(i)];
    const TaskTraits& traits = graph.traits(task_id(i));
    const auto because = [&](const std::string& why) { return "task '" + std::string(graph.name(task_id(i))) + "' " + why; };
    if (task.operation == Operation::kEvent) continue;  // a counter that workers keep, and no task
    if (traits.co_resident != 0) return because("waits for other tasks while it runs (meets), which bodies on a GPU here do not");
    if (traits.spawn_count) return because("says how many of the tasks it spawns come to be; executors spawn all of them");
    if (task.operation != Operation::kKernel && !support.operations) {
      return because(
          "is a " + std::string(to_word(task.operation)) +
          "; this executor runs kernels only, for what is at work on the device calls no copy engine, allocator or host; it needs "
          "driver 'streams' or 'cuda_graph'");
    }
    if (task.kernel == Kernel::kSpin && (task.cost.flops.count > 0 || task.cost.bytes.count > 0))
      return because("states flops or bytes beside its time: it is only simulated; give it a kernel to run it");
    if (task.core_type != CoreType::kSm) return because("needs a core of type '" + std::string(to_word(task.core_type)) + "', not 'sm'");
    if (task.cost.sigma_ns > 0) return because("has a sigma: bodies on a GPU do not vary at will");
    if (!traits.samples.empty()) return because("has its times drawn from samples: bodies on a GPU do not vary at will");
    if (traits.probability < 1 && !is_synthetic(task.kernel)) {
      return because("has a predicate, but what kernel '" + std::string(graph.kernel_name(task_id(i))) +
                     "' computes is needed; kernels empty, spin, fma and stream may have one");
    }
    if (traits.probability < 1 && spawns(graph, task_id(i)))
      return because("has a predicate and spawns tasks, which executors then spawn whether it holds or not");
    if (is_own(task.kernel)) {
      if (const auto why = why_no_own(std::get<OwnKernels>(graph.problem()).kernels[own_index(task.kernel)], support.own))
        return because(*why);
    }
    if (const auto why = why_no_block(task.kernel, traits, support.footprints)) return because(*why);
    if (const auto from = predecessor_with_bytes(graph, task_id(i)); from && !carries_bytes(support, task.kernel))
      return because("gets bytes with its edge from task '" + std::string(graph.name(*from)) +
                     "', which bodies on a GPU do not read; leave the edge's bytes out");
    if (traits.other_type) return because("may run on two core types; a GPU has one");
    if (traits.blocks > 1 && !support.blocks)
      return because("has " + std::to_string(traits.blocks) + " blocks; this executor runs one a task, as 'split: true' makes them");
    if (traits.blocks > 1 && !runs_side_by_side(graph, task.kernel, support.numbered_blocks)) {
      return because(
          "has " + std::to_string(traits.blocks) + " blocks, but those of kernel '" + std::string(graph.kernel_name(task_id(i))) +
          "' would do the same work; kernels " +
          (support.numbered_blocks ? "empty, spin, fma, stream and those of a decode step but rms_norm" : "empty, spin and fma") +
          " may have several, and 'split: true' makes a task of each block");
    }
    if (graph.spawner(task_id(i)) && !support.spawned)
      return because("is spawned by another; this executor needs to know all tasks beforehand");
  }
  return why_not_together(graph, support.footprints);
}

}  // namespace tasktwin::gpu
