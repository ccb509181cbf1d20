#include "scenarios/generators/generators.hpp"
#include "scenarios/generators/parts/synthetic_body.hpp"

namespace tasktwin::scenarios {

namespace {

/// Tasks that wait for nothing: no edges.
struct IndependentParameters {
  std::int64_t tasks = 1000;
  Body body;
};

TaskGraph make_independent(const IndependentParameters& parameters) {
  TaskGraphBuilder builder;
  for (std::int64_t i = 0; i < parameters.tasks; ++i) builder.add_task("task(" + std::to_string(i) + ")", parameters.body.task());
  return std::move(builder).build();
}

void parameters(ParameterTable& table, IndependentParameters& values) {
  table.number("tasks", "tasks", values.tasks, 1, 1'000'000'000);
  body_parameters(table, values.body);
}

GraphSize size_of(const IndependentParameters& values) {
  return GraphSize{values.tasks, 0, "tasks " + std::to_string(values.tasks),
                   static_cast<double>(values.tasks) * static_cast<double>(to_ns(values.body.cost.time))};
}

}  // namespace

Generator independent_generator() {
  return generator_of("independent", "tasks that wait for nothing", parameters, size_of, make_independent);
}

}  // namespace tasktwin::scenarios
