#pragma once

#include <optional>
#include <string>

#include "models/graph/task_graph.hpp"

namespace tasktwin::gpu {

/// What one of `ranks` devices has of a tensor-parallel decode step (Shoeybi et al. 2019, "Megatron-LM"): whole query heads and KV heads
/// and rows of the MLP's gate and up matrices, and of the two matrices that follow these the columns that take what it has computed. What
/// these give on each device are parts of sums, which an all_reduce adds.
struct DecodeShard {
  int rank = 0;
  int ranks = 1;
  int first_kv_head = 0;
  int kv_heads = 0;
  int first_attended = 0;  ///< of the output projection: columns
  int attended = 0;
  int first_activated = 0;  ///< of the down projection: columns
  int activated = 0;
};

/// Contract: why_no_shards() is nullopt, and rank < ranks.
DecodeShard decode_shard(const DecodeProblem& problem, int rank, int ranks);

/// Why a graph whose kernels compute a decode step cannot be run over `devices`: its dimensions cannot be split, a task is on a device
/// whose shard it is no part of, or what is added up is not: after the output projection and after the down projection of each layer
/// there is an all_reduce of the state, in floats. nullopt if it can. Contract: each task has its device.
std::optional<std::string> why_no_shards(const TaskGraph& graph, const DecodeProblem& problem, int devices);

/// Which of a layer's two sums the rank of an all_reduce adds, by the kernels that it follows; nullopt for neither.
std::optional<Kernel> summed_kernel(const TaskGraph& graph, TaskId rank);

}  // namespace tasktwin::gpu
