#include "sim/engine/standstill.hpp"

#include "models/base/error.hpp"

namespace tasktwin::sim {

namespace {

constexpr std::size_t kNamed = 5;

bool ended(const Timeline& timeline, TaskId task) { return is_present(timeline.tasks[index(task)].ended); }

std::string quoted(const TaskGraph& graph, TaskId task) { return "'" + std::string(graph.name(task)) + "'"; }

/// Of a task that is there, those that it meets and that are not; empty for none.
std::string missing(const TaskGraph& graph, const Timeline& timeline, TaskId task) {
  const int group = graph.traits(task).co_resident;
  if (group == 0 || !is_present(timeline.tasks[index(task)].started)) return "";
  std::string names;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (graph.traits(task_id(i)).co_resident == group && !is_present(timeline.tasks[i].started))
      names += (names.empty() ? "" : ", ") + quoted(graph, task_id(i));
  }
  return names.empty() ? "the last blocks of those that it meets" : names + ", which it meets (meets)";
}

/// Of a task that has not ended, what was to do that waits for something itself.
std::string awaited(const TaskGraph& graph, const Timeline& timeline, TaskId task) {
  std::string names;
  for (const TaskId predecessor : graph.predecessors(task)) {
    if (!ended(timeline, predecessor)) names += (names.empty() ? "" : ", ") + quoted(graph, predecessor);
  }
  if (!names.empty()) return names;
  if (const std::string partners = missing(graph, timeline, task); !partners.empty()) return partners;
  if (is_collective(graph[task].operation)) return "cores for all of its ranks";
  return is_present(timeline.tasks[index(task)].dispatched) ? "a core" : "whoever is to hand it over or launch it";
}

}  // namespace

std::optional<std::string> standstill(const TaskGraph& graph, const Timeline& timeline) {
  std::size_t left = 0;
  std::string named;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (ended(timeline, task_id(i)) || ++left > kNamed) continue;
    named += (named.empty() ? "" : "; ") + quoted(graph, task_id(i)) + " waits for " + awaited(graph, timeline, task_id(i));
  }
  if (left == 0) return std::nullopt;
  return "the simulation stands still with " + std::to_string(left) + " of " + std::to_string(graph.size()) + " tasks left: " + named +
         (left > kNamed ? "; …" : "");
}

void check_finished(const TaskGraph& graph, const Timeline& timeline) {
  if (const auto text = standstill(graph, timeline)) throw RunError(*text);
}

}  // namespace tasktwin::sim
