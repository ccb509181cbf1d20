#include "gpu/peers/plans/decode_shards.hpp"

namespace tasktwin::gpu {

namespace {

std::string text(int number) { return std::to_string(number); }

/// Whether rows from `first` on, `count` of them, are among those from `begin` on.
bool within(int first, int count, int begin, int all) { return first >= begin && first + count <= begin + all; }

/// Why the task is no part of the shard of its device; nullopt if it is.
std::optional<std::string> why_not_of(const Task& task, const DecodeShard& shard) {
  const auto& args = task.args;
  switch (task.kernel) {
    case Kernel::kAttention:
    case Kernel::kAttentionMerge:
      if (within(args[1], 1, shard.first_kv_head, shard.kv_heads)) return std::nullopt;
      return "is of KV head " + text(args[1]) + ", but those from " + text(shard.first_kv_head) + " on, " + text(shard.kv_heads) +
             " of them, are the shard of device " + text(task.device);
    case Kernel::kGateUp:
      if (within(args[1], args[2], shard.first_activated, shard.activated)) return std::nullopt;
      return "is of rows " + text(args[1]) + " to " + text(args[1] + args[2] - 1) + ", but those from " + text(shard.first_activated) +
             " on, " + text(shard.activated) + " of them, are the shard of device " + text(task.device);
    default:
      return std::nullopt;
  }
}

}  // namespace

DecodeShard decode_shard(const DecodeProblem& problem, int rank, int ranks) {
  const int kv_heads = problem.kv_heads / ranks;
  const int attended = problem.hidden / ranks;
  const int activated = problem.mlp / ranks;
  return {rank, ranks, rank * kv_heads, kv_heads, rank * attended, attended, rank * activated, activated};
}

std::optional<Kernel> summed_kernel(const TaskGraph& graph, TaskId rank) {
  for (const TaskId before : graph.predecessors(rank)) {
    const Kernel kernel = graph[before].kernel;
    if (graph[before].operation == Operation::kKernel && (kernel == Kernel::kProject || kernel == Kernel::kDown)) return kernel;
  }
  return std::nullopt;
}

std::optional<std::string> why_no_shards(const TaskGraph& graph, const DecodeProblem& problem, int devices) {
  const auto must_divide = [&](const char* what, int value, int by) -> std::optional<std::string> {
    if (value % by == 0) return std::nullopt;
    return std::string("its decode step has ") + what + " " + text(value) + ", which must be a multiple of " + text(by) + " on " +
           text(devices) + " devices";
  };
  if (auto why = must_divide("kv_heads", problem.kv_heads, devices)) return why;
  if (auto why = must_divide("hidden", problem.hidden, 8 * devices)) return why;
  if (auto why = must_divide("mlp", problem.mlp, 8 * devices)) return why;
  int sums = 0;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const Task& task = graph[task_id(i)];
    const std::string name = "task '" + std::string(graph.name(task_id(i))) + "' ";
    if (task.operation == Operation::kKernel) {
      if (auto why = why_not_of(task, decode_shard(problem, task.device, devices))) return name + *why;
      continue;
    }
    const std::int64_t bytes = std::int64_t{problem.hidden} * static_cast<std::int64_t>(sizeof(float));
    if (task.operation != Operation::kAllReduce || task.cost.bytes.count != bytes || !summed_kernel(graph, task_id(i))) {
      return name + "is a " + std::string(to_word(task.operation)) + " of " + std::to_string(task.cost.bytes.count) +
             " bytes; a decode step that computes numbers adds up the state, an all_reduce of " + std::to_string(bytes) +
             " bytes, behind its output projections and behind its down projections";
    }
    ++sums;
  }
  if (sums == 2 * problem.layers * devices) return std::nullopt;
  return "its decode step has " + text(sums) + " ranks of sums of the state; " + text(problem.layers) + " layers on " + text(devices) +
         " devices need " + text(2 * problem.layers * devices) + " of them";
}

}  // namespace tasktwin::gpu
