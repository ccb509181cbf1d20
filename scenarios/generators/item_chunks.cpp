#include "scenarios/generators/item_chunks.hpp"

#include <algorithm>

#include "scenarios/generators/body.hpp"

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

Generator item_chunks_generator() {
  return {.name = "item_chunks",
          .meaning = "a list of items whose last eighth is heavier, cut into tasks of consecutive items",
          .parameters =
              {{.name = "items", .meaning = "items", .min = 1, .max = 100'000'000, .value = 1'000'000},
               {.name = "tasks", .meaning = "tasks that they are cut into", .min = 1, .max = 100'000'000, .value = 1'000'000},
               {.name = "item_time_ns", .meaning = "time of a light item", .min = 0, .max = 1'000'000, .value = 1000},
               {.name = "heavy_percent", .meaning = "time of a heavy one, of a light one's", .min = 100, .max = 10'000, .value = 800}},
          .size =
              [](const ParameterValues& values) {
                return GraphSize{values.whole("tasks"), 0, "tasks " + std::to_string(values.whole("tasks"))};
              },
          .make =
              [](const ParameterValues& values, std::uint64_t) {
                return make_item_chunks({.items = values.whole("items"),
                                         .tasks = values.whole("tasks"),
                                         .item_time = Duration{values.whole("item_time_ns")},
                                         .heavy_percent = values.whole("heavy_percent")});
              }};
}

}  // namespace tasktwin::scenarios
