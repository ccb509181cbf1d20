#include "scenarios/generators/mixed_bound.hpp"

#include "scenarios/generators/body.hpp"

namespace tasktwin::scenarios {

TaskGraph make_mixed_bound(const MixedBoundParameters& parameters) {
  if (parameters.bytes == 0 && parameters.flops == 0) throw ParameterError("bytes", "is 0, and so is flops; one of them must be more");
  TaskGraphBuilder builder;
  for (std::int64_t i = 0; i < parameters.pairs; ++i) {
    const std::uint32_t traits = builder.add_traits({.stream = static_cast<int>(i)});
    const auto add = [&](const char* name, const Body& body) {
      Task task = body.task();
      task.traits = traits;
      builder.add_task(name + ("(" + std::to_string(i)) + ")", task);
    };
    if (parameters.bytes > 0) add("memory", {.kernel = Kernel::kStream, .cost = {.bytes = {parameters.bytes}}});
    if (parameters.flops > 0) add("arithmetic", {.kernel = Kernel::kFma, .cost = {.flops = {parameters.flops}}});
  }
  return std::move(builder).build();
}

Generator mixed_bound_generator() {
  return {
      .name = "mixed_bound",
      .meaning = "tasks that memory holds up and tasks that arithmetic does, in turn",
      .parameters = {{.name = "pairs", .meaning = "tasks of each kind", .min = 1, .max = 1'000'000, .value = 528},
                     {.name = "bytes", .meaning = "bytes that a memory-bound one reads", .min = 0, .max = kMaxBytes, .value = 1'048'576},
                     {.name = "flops",
                      .meaning = "floating-point operations of an arithmetic-bound one",
                      .min = 0,
                      .max = kMaxFlops,
                      .value = 10'000'000}},
      .size =
          [](const ParameterValues& values) {
            const std::int64_t kinds = (values.whole("bytes") > 0 ? 1 : 0) + (values.whole("flops") > 0 ? 1 : 0);
            return GraphSize{kinds * values.whole("pairs"), 0,
                             "pairs " + std::to_string(values.whole("pairs")) + " x kinds " + std::to_string(kinds)};
          },
      .make =
          [](const ParameterValues& values, std::uint64_t) {
            return make_mixed_bound({.pairs = values.whole("pairs"), .bytes = values.whole("bytes"), .flops = values.whole("flops")});
          }};
}

}  // namespace tasktwin::scenarios
