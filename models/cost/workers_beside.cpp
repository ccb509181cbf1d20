#include "models/cost/workers_beside.hpp"

#include <algorithm>
#include <variant>

#include "models/cost/body_cost.hpp"
#include "models/graph/own_kernels.hpp"

namespace tasktwin {

std::int64_t shared_bytes_beside(const CoreLimits& limits, int workers) {
  if (limits.shared_memory == 0) return kWholeCoreSharedBytes;
  return std::clamp(limits.shared_memory / workers - limits.reserved - kWorkerBlockBytes, std::int64_t{0}, kWholeCoreSharedBytes);
}

namespace {

const OwnKernel& own_kernel(const TaskGraph& graph, TaskId task) {
  return std::get<OwnKernels>(graph.problem()).kernels[own_index(graph[task].kernel)];
}

}  // namespace

std::int64_t shared_bytes_needed(const TaskGraph& graph, TaskId task) {
  if (graph[task].operation != Operation::kKernel) return 0;
  if (is_own(graph[task].kernel)) return own_kernel(graph, task).shared_memory;
  return runs_in_any_block(graph[task].kernel) ? 0 : kWholeCoreSharedBytes;
}

int body_threads(const TaskGraph& graph, TaskId task) {
  return is_own(graph[task].kernel) ? own_kernel(graph, task).threads : kWholeCoreThreads;
}

std::optional<std::string> why_no_room_beside(const TaskGraph& graph, const CoreLimits& limits, const std::string& core, int workers) {
  const std::string several = "workers_per_core " + std::to_string(workers) + ": ";
  const std::string has = ", and " + core + " has ";
  if (limits.blocks > 0 && workers > limits.blocks)
    return several + "so many blocks are needed" + has + "room for " + std::to_string(limits.blocks);
  if (limits.threads > 0 && workers * kWorkerBlockThreads > limits.threads) {
    return several + "blocks of " + std::to_string(kWorkerBlockThreads) + " threads need " + std::to_string(workers * kWorkerBlockThreads) +
           " threads" + has + std::to_string(limits.threads);
  }
  if (limits.shared_memory == 0) return std::nullopt;
  const std::int64_t room = shared_bytes_beside(limits, workers);
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const std::int64_t bytes = shared_bytes_needed(graph, task_id(i));
    if (bytes <= room) continue;
    const std::int64_t block = bytes + kWorkerBlockBytes + limits.reserved;
    return several + "blocks that can run task '" + std::string(graph.name(task_id(i))) + "' of kernel '" +
           std::string(graph.kernel_name(task_id(i))) + "' need " + std::to_string(workers * block) + " bytes of shared memory, " +
           std::to_string(block) + " each" + has + std::to_string(limits.shared_memory);
  }
  return std::nullopt;
}

std::optional<std::string> why_not_beside(const TaskGraph& graph, const Machine& machine, const Design& design) {
  if (design.workers_per_core == 1) return std::nullopt;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (graph[task_id(i)].operation != Operation::kKernel) continue;
    if (width(graph, machine, task_id(i)) == 1 && graph[task_id(i)].core_type != CoreType::kMix) continue;
    return "workers_per_core " + std::to_string(design.workers_per_core) + ": task '" + std::string(graph.name(task_id(i))) +
           "' occupies several cores, which with several workers each is not known; it needs workers_per_core 1";
  }
  return why_no_room_beside(graph, machine.core_limits, "a core of machine '" + machine.name + "'", design.workers_per_core);
}

}  // namespace tasktwin
