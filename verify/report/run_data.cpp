#include "verify/report/run_data.hpp"

#include <utility>

#include "models/runtimes/runtimes.hpp"
#include "verify/report/columns.hpp"

namespace tasktwin::verify {

namespace {

template <class E>
Json words_of(const std::vector<E>& values) {
  Json words = Json::array();
  for (const E value : values) words.push_back(to_word(value));
  return words;
}

Json path_columns(const ObservedPath& path) {
  Json::array_t ends;
  Json::array_t causes;
  Json::array_t tasks;
  TimePoint before{};
  for (const PathSegment& segment : path.segments) {
    ends.emplace_back(to_ns(segment.end - std::exchange(before, segment.end)));
    causes.emplace_back(static_cast<int>(segment.cause));
    tasks.emplace_back(index(segment.task));
  }
  return {{"end_delta", std::move(ends)}, {"cause", std::move(causes)}, {"task", std::move(tasks)}};
}

template <std::size_t N>
Json nanoseconds(const std::array<Duration, N>& times) {
  Json array = Json::array();
  for (const Duration time : times) array.push_back(to_ns(time));
  return array;
}

}  // namespace

Json run_data(const Design& design, const Timeline& timeline, const Metrics& metrics, const ObservedPath& path, const IdleTime& idle) {
  return {{"makespan_ns", to_ns(timeline.makespan())},
          {"cores", words_of(timeline.cores)},
          {"core_word", runtime_of(design).streams() ? "stream" : "core"},
          {"core_devices", timeline.core_devices},
          {"workers_per_core", timeline.workers_per_core},
          {"transfers", transfer_columns(timeline)},
          {"roles", words_of(timeline.roles)},
          {"tasks", task_columns(timeline)},
          {"parts", part_columns(timeline)},
          {"step_kinds", step_kinds(timeline)},
          {"steps", step_columns(timeline)},
          {"queue", queue_columns(timeline)},
          {"memory", memory_columns(timeline)},
          {"path", path_columns(path)},
          {"path_causes", all_words<PathCause>()},
          {"path_ns", nanoseconds(path.by_cause)},
          {"idle_causes", all_words<IdleCause>()},
          {"idle_ns", nanoseconds(idle.by_cause)},
          {"busy_ns", to_ns(idle.busy)},
          {"core_busy_share", metrics.core_busy_share},
          {"dispatcher_busy_share", metrics.dispatcher_busy_share}};
}

}  // namespace tasktwin::verify
