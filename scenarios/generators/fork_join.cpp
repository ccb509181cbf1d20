#include "scenarios/generators/fork_join.hpp"

#include "scenarios/generators/generators.hpp"

namespace tasktwin::scenarios {

TaskGraph make_fork_join(const ForkJoinParameters& parameters) {
  TaskGraphBuilder builder;
  const auto add_joint = [&](std::int64_t stage) {
    const Body empty{Kernel::kEmpty, parameters.body.core_type, {}};
    return builder.add_task("joint(" + std::to_string(stage) + ")", empty.task(static_cast<std::int32_t>(stage)));
  };
  TaskId fork = add_joint(0);
  for (std::int64_t stage = 0; stage < parameters.stages; ++stage) {
    for (std::int64_t i = 0; i < parameters.width; ++i) {
      const std::string name = "task(" + std::to_string(stage) + "," + std::to_string(i) + ")";
      builder.add_edge(fork, builder.add_task(name, parameters.body.task(static_cast<std::int32_t>(stage))));
    }
    const TaskId join = add_joint(stage + 1);
    for (std::size_t i = index(fork) + 1; i < index(join); ++i) builder.add_edge(task_id(i), join);
    fork = join;
  }
  return std::move(builder).build();
}

namespace {

void parameters(ParameterTable& table, ForkJoinParameters& values) {
  table.number("stages", "stages, one after the other", values.stages, 1, 1'000'000);
  table.number("width", "tasks of a stage", values.width, 1, 1'000'000'000);
  body_parameters(table, values.body);
}

GraphSize size_of(const ForkJoinParameters& values) {
  return GraphSize{
      values.stages * (values.width + 1) + 1, 2 * values.stages * values.width,
      "stages " + std::to_string(values.stages) + " x (width " + std::to_string(values.width) + " + 1) + 1 tasks, 2 x stages x width edges",
      static_cast<double>(values.stages * values.width) * static_cast<double>(to_ns(values.body.cost.time))};
}

}  // namespace

Generator fork_join_generator() {
  return generator_of("fork_join", "stages of parallel tasks, each forked from and joined by one empty task", parameters, size_of,
                      make_fork_join);
}

}  // namespace tasktwin::scenarios
