#include "scenarios/generators/chain.hpp"

#include "scenarios/generators/generators.hpp"

namespace tasktwin::scenarios {

TaskGraph make_chain(const ChainParameters& parameters) {
  TaskGraphBuilder builder;
  const std::uint32_t traits = builder.add_traits({.blocks = parameters.blocks});
  for (std::int64_t i = 0; i < parameters.length; ++i) {
    Task link = parameters.body.task(static_cast<std::int32_t>(i));
    link.traits = traits;
    const TaskId task = builder.add_task("link(" + std::to_string(i) + ")", link);
    if (i > 0) builder.add_edge(task_id(index(task) - 1), task);
  }
  return std::move(builder).build();
}

namespace {

void parameters(ParameterTable& table, ChainParameters& chain) {
  table.number("length", "tasks", chain.length, 1, 1'000'000'000);
  table.number("blocks", "blocks of each task, of the costs below each", chain.blocks, 1, 1'000'000);
  body_parameters(table, chain.body);
}

GraphSize size_of(const ChainParameters& chain) {
  return GraphSize{
      chain.length, chain.length - 1, "length " + std::to_string(chain.length),
      static_cast<double>(chain.length) * static_cast<double>(chain.blocks) * static_cast<double>(to_ns(chain.body.cost.time))};
}

}  // namespace

Generator chain_generator() { return generator_of("chain", "each task waits for the one before", parameters, size_of, make_chain); }

}  // namespace tasktwin::scenarios
