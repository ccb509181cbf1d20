#pragma once

#include <optional>
#include <vector>

#include "models/design/design.hpp"
#include "models/run/timeline.hpp"

namespace tasktwin {

/// The predecessor of each kernel in its stream and in its hardware queue, as the host launched them. Under driver `cuda_graph` there is
/// none.
class KernelQueues {
 public:
  /// `design.hardware_queues` counts as given, 0 for one a stream. All must outlive this.
  KernelQueues(const TaskGraph& graph, const Design& design, const Timeline& timeline);

  std::optional<TaskId> before_in_stream(TaskId task) const { return at(stream_, task); }

  /// The first of those before the task in its hardware queue that came to the device, or started there, together with it, at `came`;
  /// nullopt where the one before it came earlier, or where that one was held by what ended at `ended`, which `task` waited for as well.
  std::optional<TaskId> behind(TaskId task, TimePoint came, TimePoint ended) const;

  /// The last end of its predecessors and of the one before it in its stream.
  TimePoint held_until(TaskId task) const;

 private:
  static std::optional<TaskId> at(const std::vector<std::optional<TaskId>>& before, TaskId task) {
    return before.empty() ? std::nullopt : before[index(task)];
  }
  TimePoint came(TaskId task) const;

  const TaskGraph& graph_;
  const Timeline& timeline_;
  std::vector<std::optional<TaskId>> stream_;  ///< by TaskId; empty where there are no streams
  std::vector<std::optional<TaskId>> queue_;   ///< likewise; empty where each stream has a queue to itself
};

}  // namespace tasktwin
