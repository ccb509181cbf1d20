#pragma once

#include <optional>
#include <vector>

#include "models/design/design.hpp"
#include "models/run/timeline.hpp"

namespace tasktwin {

/// Which task each ready task waited behind in a dispatcher's ready queue, where the first task delays others that could go: under a strict
/// head of line a task of another type of core, under one with `mix` first such a task, and under gang `together` a task of the same type
/// that needs several cores at once.
class ReadyLine {
 public:
  /// What is passed need not outlive this.
  ReadyLine(const TaskGraph& graph, const Design& design, const Timeline& timeline);

  struct Ahead {
    TaskId task{};
    TimePoint left{};  ///< when it was handed over
  };
  /// The last such task that was handed over before `task`, if that was after `since`.
  std::optional<Ahead> ahead(TaskId task, TimePoint since) const;

 private:
  std::vector<std::optional<Ahead>> ahead_;  ///< by TaskId; empty where nothing is delayed so
};

}  // namespace tasktwin
