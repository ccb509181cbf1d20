#include "scenarios/generators/inference_scratch.hpp"

#include "models/random.hpp"
#include "scenarios/generators/body.hpp"

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

Generator inference_scratch_generator() {
  return {.name = "inference_scratch",
          .meaning = "requests that allocate scratch memory by their length, use it and free it",
          .parameters = {{.name = "requests", .meaning = "requests", .min = 1, .max = 1'000'000, .value = 4000},
                         {.name = "min_length", .meaning = "tokens of the shortest request", .min = 1, .max = 1'000'000, .value = 16},
                         {.name = "max_length", .meaning = "tokens of the longest request", .min = 1, .max = 1'000'000, .value = 2048},
                         {.name = "bytes_per_token", .meaning = "scratch bytes a token", .min = 1, .max = 100'000, .value = 16'384},
                         {.name = "time_per_token_ns", .meaning = "kernel time a token", .min = 0, .max = 100'000, .value = 10}},
          .size =
              [](const ParameterValues& values) {
                const auto requests = values.whole("requests");
                return GraphSize{3 * requests, 2 * requests, "3 x requests " + std::to_string(requests) + " tasks, 2 x requests edges"};
              },
          .make =
              [](const ParameterValues& values, std::uint64_t seed) {
                return make_inference_scratch({.requests = values.whole("requests"),
                                               .min_length = values.whole("min_length"),
                                               .max_length = values.whole("max_length"),
                                               .bytes_per_token = values.whole("bytes_per_token"),
                                               .time_per_token_ns = values.whole("time_per_token_ns")},
                                              seed);
              }};
}

}  // namespace tasktwin::scenarios
