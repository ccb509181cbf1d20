#include "scenarios/generators/item_chunks.hpp"

#include <algorithm>

#include "scenarios/generators/generators.hpp"
#include "scenarios/generators/parts/synthetic_body.hpp"

namespace tasktwin::scenarios {

TaskGraph make_item_chunks(const ItemChunksParameters& parameters) {
  if (parameters.tasks > parameters.items)
    throw ParameterError("tasks",
                         "is " + std::to_string(parameters.tasks) + "; must be at most items, " + std::to_string(parameters.items));
  constexpr std::int64_t kEighths = 8;
  constexpr std::int64_t kHundred = 100;
  const std::int64_t heavy_from = parameters.items - parameters.items / kEighths;
  TaskGraphBuilder builder;
  for (std::int64_t i = 0; i < parameters.tasks; ++i) {
    const std::int64_t first = i * parameters.items / parameters.tasks;
    const std::int64_t end = (i + 1) * parameters.items / parameters.tasks;
    const std::int64_t heavy = std::max<std::int64_t>(0, end - std::max(first, heavy_from));
    const std::int64_t percent = kHundred * (end - first - heavy) + parameters.heavy_percent * heavy;
    builder.add_task("items(" + std::to_string(i) + ")", Body{.cost = {.time = percent * parameters.item_time / kHundred}}.task());
  }
  return std::move(builder).build();
}

namespace {

void parameters(ParameterTable& table, ItemChunksParameters& values) {
  table.number("items", "items", values.items, 1, 100'000'000);
  table.number("tasks", "tasks that they are cut into", values.tasks, 1, 100'000'000);
  table.number("item_time_ns", "time of a light item", values.item_time, 0, 1'000'000);
  table.number("heavy_percent", "time of a heavy one, of a light one's", values.heavy_percent, 100, 10'000);
}

GraphSize size_of(const ItemChunksParameters& values) { return GraphSize{values.tasks, 0, "tasks " + std::to_string(values.tasks)}; }

}  // namespace

Generator item_chunks_generator() {
  return generator_of("item_chunks", "a list of items whose last eighth is heavier, cut into tasks of consecutive items", parameters,
                      size_of, make_item_chunks);
}

}  // namespace tasktwin::scenarios
