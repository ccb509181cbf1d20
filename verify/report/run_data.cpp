#include "verify/report/run_data.hpp"

#include <algorithm>
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

Json run_data(const ReportedRun& run) {
  const Timeline& timeline = run.timeline;
  const bool of_host = run.program != nullptr && !timeline.host_steps.empty();
  HostRows host = of_host ? host_rows(timeline, *run.program) : HostRows{};
  const auto given = static_cast<std::int64_t>(run.all_cores - std::min(run.all_cores, timeline.body_cores().size()));
  return {{"makespan_ns", to_ns(timeline.makespan())},
          {"cores", words_of(timeline.cores)},
          {"core_word", runtime_of(run.design).streams() ? "stream" : "core"},
          {"core_devices", timeline.core_devices},
          {"workers_per_core", timeline.workers_per_core},
          {"transfers", transfer_columns(timeline)},
          {"roles", words_of(timeline.roles)},
          {"tasks", task_columns(timeline)},
          {"parts", part_columns(timeline)},
          {"step_kinds", of_host ? std::move(host.kinds) : step_kinds(timeline)},
          {"steps", of_host ? std::move(host.steps) : step_columns(timeline)},
          {"queue", queue_columns(timeline)},
          {"memory", memory_columns(timeline)},
          {"path", path_columns(run.path)},
          {"path_causes", all_words<PathCause>()},
          {"path_ns", nanoseconds(run.path.by_cause)},
          {"idle_causes", all_words<IdleCause>()},
          {"idle_ns", nanoseconds(run.idle.by_cause)},
          {"busy_ns", to_ns(run.idle.busy)},
          {"given_ns", given * to_ns(timeline.makespan())},
          {"core_busy_share", run.metrics.core_busy_share},
          {"control_busy_shares", run.metrics.dispatcher_busy_shares}};
}

}  // namespace tasktwin::verify
