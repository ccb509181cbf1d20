#include "models/explain/ready_line.hpp"

#include "models/runtimes/runtimes.hpp"

#include <algorithm>
#include <array>
#include <map>

namespace tasktwin {

namespace {

using Latest = std::array<std::optional<ReadyLine::Ahead>, kCoreTypeCount>;  ///< by type of core

void keep_later(std::optional<ReadyLine::Ahead>& kept, const std::optional<ReadyLine::Ahead>& other) {
  if (other && (!kept || other->left > kept->left)) kept = other;
}

}  // namespace

ReadyLine::ReadyLine(const TaskGraph& graph, const Design& design, const Timeline& timeline) {
  const bool strict = design.head_of_line == HeadOfLine::kStrict && !graph.has_one_core_type();
  const bool mix_first = design.head_of_line == HeadOfLine::kMixFirst;
  const bool cohorts = design.gang != Gang::kApart && graph.has_wide_tasks();
  if (!runtime_of(design).dispatched() || (!strict && !mix_first && !cohorts)) return;
  ahead_.resize(graph.size());
  std::vector<TaskId> handed;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (is_present(timeline.tasks[i].dispatched)) handed.push_back(task_id(i));
  }
  const auto times = [&timeline](TaskId task) -> const TaskTimes& { return timeline.tasks[index(task)]; };
  std::ranges::stable_sort(handed, {}, [&times](TaskId task) { return times(task).dispatched; });
  const bool one_line = design.ready_queue != ReadyQueue::kPerDispatcher && design.ready_queue != ReadyQueue::kSharded;
  struct Line {
    Latest of_all;
    Latest of_cohorts;
  };
  std::map<DispatcherId, Line> lines;
  for (const TaskId task : handed) {
    Line& line = lines[one_line ? DispatcherId{} : times(task).dispatcher];
    const auto type = static_cast<std::size_t>(graph[task].core_type);
    if (cohorts) keep_later(ahead_[index(task)], line.of_cohorts[type]);
    if (mix_first && graph[task].core_type != CoreType::kMix)
      keep_later(ahead_[index(task)], line.of_all[static_cast<std::size_t>(CoreType::kMix)]);
    for (std::size_t other = 0; strict && other < line.of_all.size(); ++other) {
      if (other != type) keep_later(ahead_[index(task)], line.of_all[other]);
    }
    const Ahead own{task, times(task).dispatched};
    line.of_all[type] = own;
    if (graph.traits(task).blocks > 1) line.of_cohorts[type] = own;
  }
}

std::optional<ReadyLine::Ahead> ReadyLine::ahead(TaskId task, TimePoint since) const {
  if (ahead_.empty() || !ahead_[index(task)] || ahead_[index(task)]->left <= since) return std::nullopt;
  return ahead_[index(task)];
}

}  // namespace tasktwin
