#include "scenarios/generators/chain.hpp"

namespace tasktwin::scenarios {

TaskGraph make_chain(const ChainParameters& parameters) {
  TaskGraphBuilder builder;
  for (std::int64_t i = 0; i < parameters.length; ++i) {
    const TaskId task = builder.add_task("link(" + std::to_string(i) + ")", parameters.body.task(static_cast<std::int32_t>(i)));
    if (i > 0) builder.add_edge(task_id(index(task) - 1), task);
  }
  return std::move(builder).build();
}

Generator chain_generator() {
  return {.name = "chain",
          .meaning = "each task waits for the one before",
          .parameters = with_body({{.name = "length", .meaning = "tasks", .min = 1, .max = 1'000'000'000, .value = 1000}}),
          .size =
              [](const ParameterValues& values) {
                const auto length = values.whole("length");
                return GraphSize{length, length - 1, "length " + std::to_string(length)};
              },
          .make =
              [](const ParameterValues& values, std::uint64_t) {
                return make_chain({values.whole("length"), body_from(values)});
              }};
}

}  // namespace tasktwin::scenarios
