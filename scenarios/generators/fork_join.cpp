#include "scenarios/generators/fork_join.hpp"

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

Generator fork_join_generator() {
  return {.name = "fork_join",
          .meaning = "stages of parallel tasks, each forked from and joined by one empty task",
          .parameters = with_body({{.name = "stages", .meaning = "stages, one after the other", .min = 1, .max = 1'000'000, .value = 10},
                                   {.name = "width", .meaning = "tasks of a stage", .min = 1, .max = 1'000'000'000, .value = 100}}),
          .size =
              [](const ParameterValues& values) {
                const auto stages = values.whole("stages");
                const auto width = values.whole("width");
                return GraphSize{stages * (width + 1) + 1, 2 * stages * width,
                                 "stages " + std::to_string(stages) + " x (width " + std::to_string(width) +
                                     " + 1) + 1 tasks, 2 x stages x width edges"};
              },
          .make =
              [](const ParameterValues& values, std::uint64_t) {
                return make_fork_join({values.whole("stages"), values.whole("width"), body_from(values)});
              }};
}

}  // namespace tasktwin::scenarios
