#include "scenarios/generators/mixed_bound.hpp"

#include "scenarios/document/file_limits.hpp"
#include "scenarios/generators/generators.hpp"
#include "scenarios/generators/parts/synthetic_body.hpp"

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

namespace {

void parameters(ParameterTable& table, MixedBoundParameters& values) {
  table.number("pairs", "tasks of each kind", values.pairs, 1, 1'000'000);
  table.number("bytes", "bytes that a memory-bound one reads", values.bytes, 0, kMaxBytes);
  table.number("flops", "floating-point operations of an arithmetic-bound one", values.flops, 0, kMaxFlops);
}

GraphSize size_of(const MixedBoundParameters& values) {
  const std::int64_t kinds = (values.bytes > 0 ? 1 : 0) + (values.flops > 0 ? 1 : 0);
  return GraphSize{kinds * values.pairs, 0, "pairs " + std::to_string(values.pairs) + " x kinds " + std::to_string(kinds)};
}

}  // namespace

Generator mixed_bound_generator() {
  return generator_of("mixed_bound", "tasks limited by memory and tasks limited by arithmetic, in turn", parameters, size_of,
                      make_mixed_bound);
}

}  // namespace tasktwin::scenarios
