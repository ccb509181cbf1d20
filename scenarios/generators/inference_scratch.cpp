#include "scenarios/generators/inference_scratch.hpp"

#include "models/base/random.hpp"
#include "scenarios/generators/generators.hpp"
#include "scenarios/generators/parts/synthetic_body.hpp"

namespace tasktwin::scenarios {

TaskGraph make_inference_scratch(const InferenceScratchParameters& parameters, std::uint64_t seed) {
  if (parameters.min_length > parameters.max_length)
    throw ParameterError("min_length", "is " + std::to_string(parameters.min_length) + "; must be at most max_length, " +
                                           std::to_string(parameters.max_length));
  TaskGraphBuilder builder;
  Random random(seed);
  for (std::int64_t i = 0; i < parameters.requests; ++i) {
    const std::string of = "(" + std::to_string(i) + ")";
    const std::int64_t length = random.between(parameters.min_length, parameters.max_length);
    const std::uint32_t traits = builder.add_traits({.stream = static_cast<int>(i)});
    Task memory{.cost = {.bytes = {length * parameters.bytes_per_token}},
                .args = {static_cast<std::int32_t>(i + 1)},
                .kernel = Kernel::kEmpty,
                .operation = Operation::kAlloc,
                .traits = traits};
    const TaskId alloc = builder.add_task("alloc" + of, memory);
    Task body = Body{.cost = {.time = Duration{length * parameters.time_per_token_ns}}}.task();
    body.traits = traits;
    const TaskId work = builder.add_task("work" + of, body);
    memory.operation = Operation::kFree;
    memory.cost = {};
    const TaskId free = builder.add_task("free" + of, memory);
    builder.add_edge(alloc, work);
    builder.add_edge(work, free);
  }
  return std::move(builder).build();
}

namespace {

void parameters(ParameterTable& table, InferenceScratchParameters& values) {
  table.number("requests", "requests", values.requests, 1, 1'000'000);
  table.number("min_length", "tokens of the shortest request", values.min_length, 1, 1'000'000);
  table.number("max_length", "tokens of the longest request", values.max_length, 1, 1'000'000);
  table.number("bytes_per_token", "scratch bytes a token", values.bytes_per_token, 1, 100'000);
  table.number("time_per_token_ns", "kernel time a token", values.time_per_token_ns, 0, 100'000);
}

GraphSize size_of(const InferenceScratchParameters& values) {
  return GraphSize{3 * values.requests, 2 * values.requests,
                   "3 x requests " + std::to_string(values.requests) + " tasks, 2 x requests edges"};
}

}  // namespace

Generator inference_scratch_generator() {
  return generator_of("inference_scratch", "requests that allocate scratch memory by their length, use it and free it", parameters, size_of,
                      make_inference_scratch);
}

}  // namespace tasktwin::scenarios
