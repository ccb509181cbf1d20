#include "verify/recordings/recorded_starts.hpp"

#include <algorithm>
#include <cmath>

#include "models/policies/layers.hpp"
#include "verify/predict/statistics.hpp"
#include "verify/recordings/recorded_values.hpp"

namespace tasktwin::verify {

namespace {

/// %globaltimer advances in steps of 32 ns, the same on every SM: two stamps closer than that have no order.
constexpr Duration kClockStep{32};

}  // namespace

std::vector<std::optional<StartQuantiles>> starts_by_layer(const TaskGraph& graph, const Timeline& timeline) {
  const std::vector<std::size_t> layer_of = layers_of(graph);
  std::vector<std::vector<double>> starts;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (layer_of[i] >= starts.size()) starts.resize(layer_of[i] + 1);
    if (const TimePoint started = timeline.tasks[i].started; is_present(started))
      starts[layer_of[i]].push_back(static_cast<double>(to_ns(started)));
  }
  std::vector<std::optional<StartQuantiles>> layers(starts.size());
  for (std::size_t layer = 0; layer < starts.size(); ++layer) {
    if (starts[layer].empty()) continue;
    StartQuantiles& quantiles = layers[layer].emplace();
    for (std::size_t i = 0; i < quantiles.size(); ++i)
      quantiles[i] = std::llround(percentile(starts[layer], static_cast<double>(i) / static_cast<double>(quantiles.size() - 1)));
  }
  return layers;
}

std::int64_t count_inversions(const TaskGraph& graph, const Timeline& timeline) {
  std::int64_t inversions = 0;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const TimePoint ended = timeline.tasks[i].ended;
    if (!is_present(ended)) continue;
    for (const TaskId successor : graph.successors(task_id(i))) {
      const TimePoint started = timeline.tasks[index(successor)].started;
      if (is_present(started) && started + kClockStep < ended) ++inversions;
    }
  }
  return inversions;
}

Json starts_to_json(const std::vector<std::optional<StartQuantiles>>& layers) {
  Json list = Json::array();
  for (const auto& layer : layers) list.push_back(layer ? Json(*layer) : Json(nullptr));
  return list;
}

std::vector<std::optional<StartQuantiles>> starts_from(const scenarios::JsonPlace& place) {
  std::vector<std::optional<StartQuantiles>> layers(place.list().size());
  for (std::size_t layer = 0; layer < layers.size(); ++layer) {
    const scenarios::JsonPlace entry = place[layer];
    if (entry.is_null()) continue;
    StartQuantiles& quantiles = layers[layer].emplace();
    if (entry.list().size() != quantiles.size()) entry.refuse("must be five times in ns, or null");
    std::int64_t before = -kLongestRunNs;
    for (std::size_t i = 0; i < quantiles.size(); ++i) before = quantiles[i] = entry[i].whole(before, kLongestRunNs);
  }
  return layers;
}

}  // namespace tasktwin::verify
