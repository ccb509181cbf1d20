#pragma once

#include <string>

#include "models/explain/observed_path.hpp"
#include "models/run/timeline.hpp"

namespace tasktwin::testing_graphs {

/// One task's phases in ns; -1 for one that was not observed.
struct Phases {
  std::int64_t ready = -1;
  std::int64_t dispatched = -1;
  std::int64_t received = -1;
  std::int64_t started = -1;
  std::int64_t ended = -1;
  std::int64_t published = -1;
};

inline TaskTimes times_of(const Phases& phases, std::size_t core, DispatcherId dispatcher = kNoDispatcher) {
  const auto at = [](std::int64_t ns) { return ns < 0 ? kAbsent : at_ns(ns); };
  return {at(phases.ready), at(phases.dispatched), at(phases.received), at(phases.started),
          at(phases.ended), at(phases.published),  core_id(core),       dispatcher};
}

/// "0-10 dispatch t0, 10-15 notification t0 sm0, …": begin, end, cause, task and, where there is one, core.
inline std::string path_text(const TaskGraph& graph, const ObservedPath& path) {
  std::string text;
  for (const PathSegment& segment : path.segments) {
    if (!text.empty()) text += ", ";
    text += std::to_string(to_ns(segment.begin)) + "-" + std::to_string(to_ns(segment.end)) + " " + std::string(to_word(segment.cause)) +
            " " + std::string(graph.name(segment.task));
  }
  return text;
}

}  // namespace tasktwin::testing_graphs
