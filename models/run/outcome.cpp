#include "models/run/outcome.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "models/base/random.hpp"

namespace tasktwin {

namespace {

/// Keeps these draws apart from those of the bodies' times.
constexpr std::uint64_t kPredicates = 0x5eed'0f'b001;
constexpr std::uint64_t kSpawnCounts = 0x5eed'0f'c001;

}  // namespace

Outcome draw_outcome(const TaskGraph& graph, std::uint64_t seed) {
  Outcome outcome{std::vector<bool>(graph.size(), true), std::vector<bool>(graph.size(), true)};
  std::vector<std::uint32_t> to_spawn(graph.has_spawns() ? graph.size() : 0, std::numeric_limits<std::uint32_t>::max());
  for (const TaskId task : graph.topological_order()) {
    const double probability = graph.traits(task).probability;
    if (probability < 1) outcome.holds[index(task)] = Random(mix(seed ^ kPredicates) ^ graph.draw(task)).uniform() < probability;
    if (graph[task].operation == Operation::kEvent && graph.in_degree(task) > 0) {  // without what it counts no task waits for it
      outcome.exists[index(task)] = std::ranges::any_of(
          graph.predecessors(task), [&outcome](TaskId predecessor) { return bool{outcome.exists[index(predecessor)]}; });
    }
    const std::optional<TaskId> spawner = graph.spawner(task);
    if (spawner) {
      std::uint32_t& left = to_spawn[index(*spawner)];
      outcome.exists[index(task)] = outcome.exists[index(*spawner)] && outcome.holds[index(*spawner)] && left > 0;
      if (left > 0) --left;
    }
    if (const auto& count = graph.traits(task).spawn_count; count && !to_spawn.empty()) {
      Random random(mix(seed ^ kSpawnCounts) ^ graph.draw(task));
      to_spawn[index(task)] = static_cast<std::uint32_t>(random.between(count->front(), count->back()));
    }
  }
  return outcome;
}

GraphPart existing_part(const TaskGraph& graph, const Outcome& outcome) { return part_of(graph, outcome.exists); }

}  // namespace tasktwin
