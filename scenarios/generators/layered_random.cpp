#include "scenarios/generators/layered_random.hpp"

#include "models/random.hpp"
#include "scenarios/generators/distinct.hpp"

namespace tasktwin::scenarios {

namespace {

LayeredRandomParameters parameters_from(const ParameterValues& values) {
  const LayeredRandomParameters parameters{.tasks = values.whole("tasks"),
                                           .width = values.whole("width"),
                                           .predecessors = values.whole("predecessors"),
                                           .min_time = Duration{values.whole("min_time_ns")},
                                           .max_time = Duration{values.whole("max_time_ns")},
                                           .core_type = *from_word<CoreType>(values.word("core_type"))};
  if (parameters.min_time > parameters.max_time) {
    throw ParameterError("min_time_ns", "is " + std::to_string(to_ns(parameters.min_time)) + ", more than max_time_ns, " +
                                            std::to_string(to_ns(parameters.max_time)));
  }
  return parameters;
}

GraphSize size_of(const ParameterValues& values) {
  const auto tasks = values.whole("tasks");
  const auto width = values.whole("width");
  const auto predecessors = std::min(values.whole("predecessors"), width);
  return {tasks, std::max<std::int64_t>(0, tasks - width) * predecessors,
          "tasks " + std::to_string(tasks) + "; each after the first layer of " + std::to_string(width) + " has " +
              std::to_string(predecessors) + " predecessors"};
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

Generator layered_random_generator() {
  constexpr auto core_types = all_words<CoreType>();
  return {.name = "layered_random",
          .meaning = "layers of tasks of random time, each waiting for random tasks of the layer before",
          .parameters =
              {{.name = "tasks", .meaning = "tasks", .min = 1, .max = 1'000'000'000, .value = 1000},
               {.name = "width", .meaning = "tasks of a layer", .min = 1, .max = 1'000'000'000, .value = 100},
               {.name = "predecessors", .meaning = "tasks of the layer before that each waits for", .min = 1, .max = 1000, .value = 3},
               {.name = "min_time_ns", .meaning = "shortest body", .min = 0, .max = kMaxTimeNs, .value = 500},
               {.name = "max_time_ns", .meaning = "longest body", .min = 0, .max = kMaxTimeNs, .value = 1500},
               {.name = "core_type",
                .meaning = "the kind of core every task needs",
                .words = {core_types.begin(), core_types.end()},
                .word = to_word(CoreType::kSm)}},
          .size = size_of,
          .make = [](const ParameterValues& values, std::uint64_t seed) { return make_layered_random(parameters_from(values), seed); }};
}

}  // namespace tasktwin::scenarios
