#include "scenarios/generators.hpp"

#include <algorithm>

#include "models/names.hpp"
#include "scenarios/generators/attention_mlp.hpp"
#include "scenarios/generators/batched_gemm.hpp"
#include "scenarios/generators/chain.hpp"
#include "scenarios/generators/cholesky.hpp"
#include "scenarios/generators/copy_pipeline.hpp"
#include "scenarios/generators/decode_kernels.hpp"
#include "scenarios/generators/fork_join.hpp"
#include "scenarios/generators/independent.hpp"
#include "scenarios/generators/inference_scratch.hpp"
#include "scenarios/generators/item_chunks.hpp"
#include "scenarios/generators/kv_cache.hpp"
#include "scenarios/generators/layered_random.hpp"
#include "scenarios/generators/llama_decode.hpp"
#include "scenarios/generators/mixed_bound.hpp"
#include "scenarios/generators/mixture_of_experts.hpp"
#include "scenarios/generators/paged_attention.hpp"
#include "scenarios/generators/spawn_tree.hpp"
#include "scenarios/generators/task_bench.hpp"

namespace tasktwin::scenarios {

namespace {

void check_value(const Parameter& parameter, const ParameterValues::Value& value) {
  if (std::holds_alternative<std::string>(value) != parameter.is_word()) {
    throw ParameterError(parameter.name, parameter.is_word() ? "must be a word" : "must be a whole number");
  }
  if (parameter.is_word()) {
    const auto& word = std::get<std::string>(value);
    if (std::ranges::find(parameter.words, word) == parameter.words.end()) {
      throw ParameterError(parameter.name, "unknown value '" + word + "'" + suggest(word, parameter.words));
    }
    return;
  }
  const auto number = std::get<std::int64_t>(value);
  if (number < parameter.min || number > parameter.max) {
    throw ParameterError(parameter.name, "is " + std::to_string(number) + "; must be " + std::to_string(parameter.min) + " to " +
                                             std::to_string(parameter.max));
  }
  if (number % parameter.multiple_of != 0) {
    throw ParameterError(parameter.name,
                         "is " + std::to_string(number) + "; must be a multiple of " + std::to_string(parameter.multiple_of));
  }
}

}  // namespace

ParameterValues::ParameterValues(std::span<const Parameter> declared, const Map& given) : given_(given) {
  std::vector<std::string_view> names;
  for (const Parameter& parameter : declared) {
    names.push_back(parameter.name);
    values_.emplace(parameter.name, parameter.is_word() ? Value(std::string(parameter.word)) : Value(parameter.value));
  }
  for (const auto& [name, value] : given) {
    const auto found = std::ranges::find(declared, std::string_view(name), &Parameter::name);
    if (found == declared.end()) throw ParameterError(name, "unknown parameter" + suggest(name, names));
    check_value(*found, value);
    values_.insert_or_assign(name, value);
  }
}

std::span<const Generator> generators() {
  static const std::vector<Generator> table{
      chain_generator(),         independent_generator(),        fork_join_generator(),     layered_random_generator(),
      task_bench_generator(),    cholesky_generator(),           llama_decode_generator(),  paged_attention_generator(),
      batched_gemm_generator(),  spawn_tree_generator(),         attention_mlp_generator(), decode_kernels_generator(),
      copy_pipeline_generator(), inference_scratch_generator(),  kv_cache_generator(),      item_chunks_generator(),
      mixed_bound_generator(),   mixture_of_experts_generator(),
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

TaskGraph generate(const Generator& generator, const ParameterValues& values, std::uint64_t seed) {
  const GraphSize size = generator.size(values);
  const auto refuse = [&](std::int64_t count, std::int64_t limit, const std::string& what) {
    throw InputError("generator '" + std::string(generator.name) + "' would make " + std::to_string(count) + " " + what + " (" +
                     size.formula + "); at most " + std::to_string(limit) + " are made");
  };
  if (size.tasks > kMaxTasks) refuse(size.tasks, kMaxTasks, "tasks");
  if (size.edges > kMaxEdges) refuse(size.edges, kMaxEdges, "edges");
  return generator.make(values, seed);
}

}  // namespace tasktwin::scenarios
