#pragma once

#include <algorithm>
#include <utility>

#include "models/explain/observed_path.hpp"

namespace tasktwin {

/// What a body that reads other devices' memory first takes beyond its time alone counts as, and what reading does, where the body counts
/// as `body`.
constexpr PathCause beyond_alone(Duration read) { return read > Duration{0} ? PathCause::kTransfer : PathCause::kBandwidth; }
constexpr PathCause reading_as(PathCause body) { return body == PathCause::kBody ? PathCause::kTransfer : body; }

/// An ObservedPath while it grows from the makespan back to 0.
class PathBuilder {
 public:
  /// What lies before `begin` is earlier runs of the graph.
  explicit PathBuilder(TimePoint makespan, TimePoint begin = {}) : now_(makespan), begin_(std::min(begin, makespan)) {}

  /// From here on everything is explained.
  TimePoint now() const { return now_; }
  /// The last task that something was explained by.
  TaskId task() const { return task_; }

  /// Everything from `time` on is explained; without effect where it already is.
  void back_to(TimePoint time, PathCause cause, TaskId task, CoreId core = kNoCore, std::uint32_t call = 0) {
    task_ = task;
    time = std::max(time, begin_);
    if (time >= now_) return;
    if (!path_.segments.empty() && path_.segments.back().cause == cause && path_.segments.back().task == task &&
        path_.segments.back().core == core && path_.segments.back().call == call) {
      path_.segments.back().begin = time;
    } else {
      path_.segments.push_back({time, now_, cause, task, core, call});
    }
    now_ = time;
  }

  /// From `since` to now() all others waited for `last`.
  void late(TimePoint since, TaskId last) {
    since = std::max(since, begin_);
    if (since >= now_) return;
    if (!path_.late.empty()) path_.late.back().since = std::max(path_.late.back().since, now_);
    path_.late.push_back({since, now_, last});
  }

  /// What is left at the beginning counts as `rest`.
  ObservedPath take(PathCause rest) {
    back_to(begin_, rest, task_);
    begin_ = TimePoint{};
    back_to(begin_, PathCause::kReplays, task_);
    std::ranges::reverse(path_.segments);
    std::ranges::reverse(path_.late);
    for (const PathSegment& segment : path_.segments)
      path_.by_cause[static_cast<std::size_t>(segment.cause)] += segment.end - segment.begin;
    return std::move(path_);
  }

 private:
  TimePoint now_;
  TimePoint begin_;
  TaskId task_{};
  ObservedPath path_;
};

}  // namespace tasktwin
