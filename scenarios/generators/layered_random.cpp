#include "scenarios/generators/layered_random.hpp"

#include "models/base/random.hpp"
#include "scenarios/document/file_limits.hpp"
#include "scenarios/generators/generators.hpp"
#include "scenarios/generators/parts/distinct.hpp"

namespace tasktwin::scenarios {

namespace {

GraphSize size_of(const LayeredRandomParameters& values) {
  const std::int64_t predecessors = std::min(values.predecessors, values.width);
  return {values.tasks, std::max<std::int64_t>(0, values.tasks - values.width) * predecessors,
          "tasks " + std::to_string(values.tasks) + "; each after the first layer of " + std::to_string(values.width) + " has " +
              std::to_string(predecessors) + " predecessors",
          static_cast<double>(values.tasks) * static_cast<double>(to_ns(values.min_time))};
}

}  // namespace

TaskGraph make_layered_random(const LayeredRandomParameters& parameters, std::uint64_t seed) {
  TaskGraphBuilder builder;
  Random random(seed);
  const std::int64_t predecessors = std::min(parameters.predecessors, parameters.width);
  for (std::int64_t i = 0; i < parameters.tasks; ++i) {
    const std::int64_t layer = i / parameters.width;
    Task task;
    task.core_type = parameters.core_type;
    task.layer = static_cast<std::int32_t>(layer);
    task.cost.time = Duration{random.between(to_ns(parameters.min_time), to_ns(parameters.max_time))};
    const TaskId id = builder.add_task("task(" + std::to_string(layer) + "," + std::to_string(i % parameters.width) + ")", task);
    if (layer == 0) continue;
    const std::int64_t first = (layer - 1) * parameters.width;
    for (const std::int64_t j : distinct(random, predecessors, parameters.width)) {
      builder.add_edge(task_id(static_cast<std::size_t>(first + j)), id);
    }
  }
  return std::move(builder).build();
}

namespace {

void parameters(ParameterTable& table, LayeredRandomParameters& values) {
  table.number("tasks", "tasks", values.tasks, 1, 1'000'000'000);
  table.number("width", "tasks of a layer", values.width, 1, 1'000'000'000);
  table.number("predecessors", "tasks of the layer before that each waits for", values.predecessors, 1, 1000);
  table.number("min_time_ns", "shortest body", values.min_time, 0, kMaxTimeNs);
  table.number("max_time_ns", "longest body", values.max_time, 0, kMaxTimeNs);
  core_type_parameter(table, values.core_type);
  if (values.min_time > values.max_time) {
    throw ParameterError("min_time_ns", "is " + std::to_string(to_ns(values.min_time)) + ", more than max_time_ns, " +
                                            std::to_string(to_ns(values.max_time)));
  }
}

}  // namespace

Generator layered_random_generator() {
  return generator_of("layered_random", "layers of tasks of random time, each waiting for random tasks of the layer before", parameters,
                      size_of, make_layered_random);
}

}  // namespace tasktwin::scenarios
