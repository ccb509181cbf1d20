#pragma once

#include "scenarios/generators/parts/generator.hpp"

namespace tasktwin::scenarios {

/// A list of items of which the last eighth is heavier, cut into tasks of consecutive items: task i of n has the items from
/// ⌊i · items / n⌋ to ⌊(i + 1) · items / n⌋. As many tasks as workers are contiguous chunks; a task an item leaves it to the
/// design how many are claimed at a time. No edges.
struct ItemChunksParameters {
  std::int64_t items = 1'000'000;
  std::int64_t tasks = 1'000'000;
  Duration item_time{1'000};
  std::int64_t heavy_percent = 800;  ///< of a light item's time
};

TaskGraph make_item_chunks(const ItemChunksParameters& parameters);

}  // namespace tasktwin::scenarios
