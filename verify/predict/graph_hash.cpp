#include "verify/predict/graph_hash.hpp"

#include <algorithm>
#include <bit>
#include <variant>

#include <fmt/format.h>

#include "models/cost/prologue.hpp"

namespace tasktwin::verify {

namespace {

constexpr std::uint64_t kPrime = 0x100000001b3ull;

void add_problem(Fnv1a& hash, const std::monostate&) { hash.add(std::int64_t{0}); }

void add_problem(Fnv1a& hash, const CholeskyProblem& problem) {
  for (const int value : {1, problem.tiles, problem.tile_size}) hash.add(value);
}

void add_problem(Fnv1a& hash, const DecodeProblem& problem) {
  for (const int value : {2, problem.layers, problem.hidden, problem.heads, problem.kv_heads, problem.mlp, problem.vocabulary,
                          problem.kv_length, problem.slices}) {
    hash.add(value);
  }
}

void add_problem(Fnv1a& hash, const OwnKernels& own) {
  hash.add(std::int64_t{3});
  for (const OwnKernel& kernel : own.kernels) {
    for (const std::string& text : {kernel.name, kernel.source_hash, kernel.entry}) hash.add(text);
    for (const std::int64_t value : {std::int64_t{kernel.threads}, kernel.shared_memory}) hash.add(value);
    for (const OwnKernel::Parameter& parameter : kernel.parameters) hash.add(to_word(parameter.type));
  }
  for (const OwnBuffer& buffer : own.buffers) {
    hash.add(to_word(buffer.type));
    for (const std::int64_t value :
         {buffer.count, static_cast<std::int64_t>(buffer.fill), buffer.range, std::int64_t{std::bit_cast<std::int32_t>(buffer.scale)}})
      hash.add(value);
  }
  for (const ArgumentRow& row : own.arguments) {
    for (const std::uint32_t word : row) hash.add(std::int64_t{word});
  }
}

/// Of what only some graphs have, so that it changes no other graph's hash.
void add_rare(Fnv1a& hash, const TaskGraph& graph, TaskId id) {
  if (graph[id].traits != 0) {
    const TaskTraits& traits = graph.traits(id);
    hash.add("traits");
    for (const std::int64_t value : {std::int64_t{traits.blocks}, std::int64_t{traits.threads}, std::int64_t{traits.registers},
                                     traits.shared_memory, std::bit_cast<std::int64_t>(traits.probability), to_ns(traits.other_time),
                                     traits.other_type ? std::int64_t{1} + static_cast<std::int64_t>(*traits.other_type) : 0}) {
      hash.add(value);
    }
    for (const Duration sample : traits.samples) hash.add(to_ns(sample));
  }
  if (graph.traits(id).carveout >= 0 || graph.traits(id).cluster > 1) {
    hash.add("launch");
    for (const int value : {graph.traits(id).carveout, graph.traits(id).cluster}) hash.add(std::int64_t{value});
  }
  if (graph.traits(id).cooperative) hash.add("cooperative");
  if (has_prologue(graph.traits(id))) {
    hash.add("prologue");
    for (const std::int64_t value : {to_ns(graph.traits(id).prologue), graph.traits(id).prologue_bytes}) hash.add(value);
  }
  if (const auto& workers = graph.traits(id).workers) {
    hash.add("workers");
    for (const std::int32_t end : *workers) hash.add(std::int64_t{end});
  }
  if (!graph.traits(id).parts.empty()) hash.add("parts");
  for (const Duration part : graph.traits(id).parts) hash.add(to_ns(part));
  if (!graph.traits(id).kind.empty()) hash.add(graph.traits(id).kind);
  if (graph.traits(id).pageable || graph.traits(id).stream != 0) {
    hash.add("stream");
    for (const std::int64_t value : {std::int64_t{graph.traits(id).pageable}, std::int64_t{graph.traits(id).stream}}) hash.add(value);
  }
  if (graph.traits(id).aic != 0 || graph.traits(id).aiv != 0) {
    hash.add("mix");
    for (const int count : {graph.traits(id).aic, graph.traits(id).aiv}) hash.add(count);
  }
  if (!graph.traits(id).uses.empty()) hash.add("uses");
  for (const std::int32_t buffer : graph.traits(id).uses) hash.add(buffer);
  if (graph[id].operation != Operation::kKernel) hash.add(to_word(graph[id].operation));
  if (const auto spawner = graph.spawner(id)) {
    hash.add("spawner");
    hash.add(static_cast<std::int64_t>(index(*spawner)));
  }
  const auto bytes = graph.input_bytes(id);
  if (!bytes.empty()) hash.add("bytes");
  for (const std::int64_t count : bytes) hash.add(count);
  if (graph.traits(id).split_of > 0 && std::ranges::any_of(bytes, [](std::int64_t count) { return count > 0; })) {
    hash.add("split");
    hash.add(std::int64_t{graph.traits(id).split_of});
  }
}

}  // namespace

void Fnv1a::add(std::string_view bytes) {
  for (const char byte : bytes) hash_ = (hash_ ^ static_cast<unsigned char>(byte)) * kPrime;
}

void Fnv1a::add(std::int64_t value) {
  auto bits = static_cast<std::uint64_t>(value);
  for (int i = 0; i < 8; ++i, bits >>= 8) hash_ = (hash_ ^ (bits & 0xff)) * kPrime;
}

std::string Fnv1a::to_string() const { return fmt::format("{:016x}", hash_); }

std::string graph_hash(const TaskGraph& graph) {
  Fnv1a hash;
  hash.add(static_cast<std::int64_t>(graph.size()));
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const Task& task = graph[task_id(i)];
    hash.add(is_own(task.kernel) ? graph.kernel_name(task_id(i)) : to_word(task.kernel));
    hash.add(to_word(task.core_type));
    for (const std::int64_t value : {to_ns(task.cost.time), task.cost.flops.count, task.cost.bytes.count,
                                     static_cast<std::int64_t>(task.cost.sigma_ns), static_cast<std::int64_t>(task.priority)}) {
      hash.add(value);
    }
    for (const std::int32_t argument : task.args) hash.add(argument);
    hash.add(static_cast<std::int64_t>(graph.out_degree(task_id(i))));
    for (const TaskId successor : graph.successors(task_id(i))) hash.add(static_cast<std::int64_t>(index(successor)));
    add_rare(hash, graph, task_id(i));
  }
  std::visit([&hash](const auto& problem) { add_problem(hash, problem); }, graph.problem());
  return hash.to_string();
}

}  // namespace tasktwin::verify
