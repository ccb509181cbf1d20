#include "scenarios/generators/generators.hpp"

#include <algorithm>

#include "models/base/names.hpp"
#include "scenarios/document/file_limits.hpp"
#include "scenarios/document/scalar.hpp"
#include "scenarios/tasks/demands.hpp"

namespace tasktwin::scenarios {

std::span<const Generator> generators() {
  static const std::vector<Generator> table{
      chain_generator(),           independent_generator(),       fork_join_generator(),          layered_random_generator(),
      task_bench_generator(),      cholesky_generator(),          llama_decode_generator(),       paged_attention_generator(),
      batched_gemm_generator(),    spawn_tree_generator(),        attention_mlp_generator(),      decode_kernels_generator(),
      copy_pipeline_generator(),   inference_scratch_generator(), kv_cache_generator(),           item_chunks_generator(),
      expert_decode_generator(),   mixed_bound_generator(),       mixture_of_experts_generator(), tensor_parallel_decode_generator(),
      layer_pipeline_generator(),  expert_parallel_generator(),   data_parallel_step_generator(), collectives_generator(),
      expert_epilogue_generator(),
  };
  return table;
}

const Generator& generator(std::string_view name) {
  const auto table = generators();
  const auto found = std::ranges::find(table, name, &Generator::name);
  if (found != table.end()) return *found;
  std::vector<std::string_view> names;
  for (const Generator& candidate : table) names.push_back(candidate.name);
  throw InputError("unknown generator '" + std::string(name) + "'" + suggest(name, names));
}

namespace {

/// Graphs of more tasks are looked at before they are made; of smaller ones the task at fault is named.
constexpr std::int64_t kLarge = 1'000'000;

/// Contract: generator.plan(given) has taken the words.
void check_core_types(const Generator& generator, const GivenParameters& given, const Machine& machine) {
  for (const Parameter& parameter : generator.parameters) {
    if (!parameter.name.ends_with("core_type")) continue;
    const auto found = given.find(parameter.name);
    const std::string_view word = found == given.end() ? parameter.word : std::string_view(std::get<std::string>(found->second));
    if (!machine.has(*from_word<CoreType>(word)))
      throw ParameterError(parameter.name, "tasks need core type '" + std::string(word) + "', which machine '" + machine.name +
                                               "' lacks; give them " + list_core_types(machine));
  }
}

}  // namespace

TaskGraph generate(const Generator& generator, const GivenParameters& given, std::uint64_t seed, const Machine* machine) {
  const auto [size, make] = generator.plan(given);
  const auto refuse = [&](std::int64_t count, std::int64_t limit, const std::string& what) {
    throw InputError("generator '" + std::string(generator.name) + "' would make " + std::to_string(count) + " " + what + " (" +
                     size.formula + "); at most " + std::to_string(limit) + " are made");
  };
  if (size.tasks > kMaxTasks) refuse(size.tasks, kMaxTasks, "tasks");
  if (size.edges > kMaxEdges) refuse(size.edges, kMaxEdges, "edges");
  if (size.tasks > kLarge && machine != nullptr) check_core_types(generator, given, *machine);
  if (size.tasks > kLarge && size.body_ns > kMaxTotalNs)
    throw InputError("generator '" + std::string(generator.name) + "' would make bodies of together " + shortest(size.body_ns) + " ns (" +
                     size.formula + "); at most " + shortest(kMaxTotalNs) + " ns are allowed");
  return make(seed);
}

}  // namespace tasktwin::scenarios
