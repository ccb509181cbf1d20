#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "models/graph/task_graph.hpp"
#include "models/machine/machine.hpp"
#include "scenarios/generators/parts/generator.hpp"

namespace tasktwin::scenarios {

std::span<const Generator> generators();

/// Throws InputError if `name` is none; the message lists them and the nearest.
const Generator& generator(std::string_view name);

/// Throws InputError, with the arithmetic, for a graph larger than that or of longer bodies than check_total_time() lets through, and
/// ParameterError as `plan` does, and for a core type that `machine` lacks: a large graph takes gigabytes, which only a sound one gets.
/// Without a machine any is taken.
TaskGraph generate(const Generator& generator, const GivenParameters& given, std::uint64_t seed, const Machine* machine = nullptr);

// The generators, one file each in scenarios/generators/.
Generator chain_generator();
Generator independent_generator();
Generator fork_join_generator();
Generator layered_random_generator();
Generator task_bench_generator();
Generator cholesky_generator();
Generator llama_decode_generator();
Generator paged_attention_generator();
Generator batched_gemm_generator();
Generator spawn_tree_generator();
Generator attention_mlp_generator();
Generator decode_kernels_generator();
Generator copy_pipeline_generator();
Generator inference_scratch_generator();
Generator kv_cache_generator();
Generator item_chunks_generator();
Generator expert_decode_generator();
Generator mixed_bound_generator();
Generator mixture_of_experts_generator();
Generator tensor_parallel_decode_generator();
Generator layer_pipeline_generator();
Generator expert_parallel_generator();
Generator data_parallel_step_generator();
Generator collectives_generator();
Generator expert_epilogue_generator();

}  // namespace tasktwin::scenarios
