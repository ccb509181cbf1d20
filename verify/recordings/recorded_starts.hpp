#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "models/graph/task_graph.hpp"
#include "models/run/timeline.hpp"
#include "scenarios/formats/json_place.hpp"
#include "verify/output/text/json.hpp"

namespace tasktwin::verify {

/// When the tasks of a layer start, in ns from the beginning of the run: the first, the three quartiles, the last.
using StartQuantiles = std::array<std::int64_t, 5>;

/// What a recording keeps of a run in place of its timeline.
struct RecordedStarts {
  std::vector<std::optional<StartQuantiles>> layers;  ///< as layers_of() has them; absent where no start was seen
  std::int64_t inversions = 0;                        ///< count_inversions()

  friend bool operator==(const RecordedStarts&, const RecordedStarts&) = default;
};

/// Of all tasks of each of `graph`'s layers that have started in `timeline`.
std::vector<std::optional<StartQuantiles>> starts_by_layer(const TaskGraph& graph, const Timeline& timeline);

/// The number of edges whose successor started more than a step of the GPU's clock before its predecessor ended.
std::int64_t count_inversions(const TaskGraph& graph, const Timeline& timeline);

Json starts_to_json(const std::vector<std::optional<StartQuantiles>>& layers);
/// Refuses what is not five times, none before the one before it and none after `kLongestRunNs`, or null.
std::vector<std::optional<StartQuantiles>> starts_from(const scenarios::JsonPlace& place);

}  // namespace tasktwin::verify
