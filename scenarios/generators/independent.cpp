#include "scenarios/generators/independent.hpp"

namespace tasktwin::scenarios {

TaskGraph make_independent(const IndependentParameters& parameters) {
  TaskGraphBuilder builder;
  for (std::int64_t i = 0; i < parameters.tasks; ++i) builder.add_task("task(" + std::to_string(i) + ")", parameters.body.task());
  return std::move(builder).build();
}

Generator independent_generator() {
  return {.name = "independent",
          .meaning = "tasks that wait for nothing",
          .parameters = with_body({{.name = "tasks", .meaning = "tasks", .min = 1, .max = 1'000'000'000, .value = 1000}}),
          .size =
              [](const ParameterValues& values) {
                const auto tasks = values.whole("tasks");
                return GraphSize{tasks, 0, "tasks " + std::to_string(tasks)};
              },
          .make =
              [](const ParameterValues& values, std::uint64_t) {
                return make_independent({values.whole("tasks"), body_from(values)});
              }};
}

}  // namespace tasktwin::scenarios
