#include "models/policies/task_ranks.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "models/base/error.hpp"

namespace tasktwin {

TaskGraph with_ranks(const TaskGraph& graph, std::span<const double> ranks) {
  if (ranks.size() != graph.size()) {
    throw InputError("there are " + std::to_string(ranks.size()) + " ranks for " + std::to_string(graph.size()) +
                     " tasks; each task needs one");
  }
  if (const auto wrong = std::ranges::find_if(ranks, [](double rank) { return std::isnan(rank); }); wrong != ranks.end()) {
    const TaskId task = task_id(static_cast<std::size_t>(wrong - ranks.begin()));
    throw InputError("the rank of task '" + std::string(graph.name(task)) + "' is not a number (NaN)");
  }
  std::vector<double> levels(ranks.begin(), ranks.end());
  std::ranges::sort(levels, std::ranges::greater{});
  const auto repeated = std::ranges::unique(levels);
  levels.erase(repeated.begin(), repeated.end());
  std::vector<std::int32_t> priorities;
  priorities.reserve(ranks.size());
  for (const double rank : ranks) {
    const auto level = std::ranges::lower_bound(levels, rank, std::ranges::greater{});
    priorities.push_back(static_cast<std::int32_t>(level - levels.begin()));
  }
  return graph.with_priorities(priorities);
}

}  // namespace tasktwin
