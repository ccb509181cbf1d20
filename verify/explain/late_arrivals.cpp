#include "verify/explain/late_arrivals.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "verify/explain/cause_words.hpp"
#include "verify/explain/phrases.hpp"
#include "verify/output/text/text_table.hpp"

namespace tasktwin::verify {

namespace {

/// Times of tasks of like names.
struct Named {
  Duration time{};
  std::set<TaskId> tasks;

  std::string name(const TaskGraph& graph) const {
    return tasks.size() == 1 ? std::string(graph.name(*tasks.begin())) : without_digits(graph.name(*tasks.begin()));
  }
};

/// Of the path while some task was awaited: by name the tasks that ran, or were in the way, and by cause all else.
struct Meanwhile {
  std::map<std::string, Named> tasks;
  std::map<PathCause, Duration> causes;

  void add(const TaskGraph& graph, const PathSegment& segment, Duration time) {
    if (segment.cause == PathCause::kSkew || !(is_body(segment.cause) || has_holder(segment.cause))) {
      causes[segment.cause] += time;
      return;
    }
    Named& named = tasks[without_digits(graph.name(segment.task))];
    named.time += time;
    named.tasks.insert(segment.task);
  }

  static bool is_body(PathCause cause) {
    return cause == PathCause::kBody || cause == PathCause::kBandwidth || cause == PathCause::kWaves || cause == PathCause::kCollective;
  }

  std::string longest(const TaskGraph& graph) const {
    const auto task = std::ranges::max_element(tasks, {}, [](const auto& entry) { return entry.second.time; });
    const auto cause = std::ranges::max_element(causes, {}, [](const auto& entry) { return entry.second; });
    if (task == tasks.end() || (cause != causes.end() && cause->second > task->second.time))
      return cause == causes.end() ? "" : std::string(in_words(cause->first));
    return fmt::format("'{}'", task->second.name(graph));
  }
};

}  // namespace

std::vector<LateWait> late_waits(const TaskGraph& graph, const ObservedPath& path) {
  struct Group {
    Named last;
    Meanwhile meanwhile;
  };
  std::map<std::string, Group> groups;
  auto segment = path.segments.begin();
  for (const LateArrival& late : path.late) {
    Group& group = groups[without_digits(graph.name(late.last))];
    group.last.time += late.until - late.since;
    group.last.tasks.insert(late.last);
    while (segment != path.segments.end() && segment->end <= late.since) ++segment;
    for (auto within = segment; within != path.segments.end() && within->begin < late.until; ++within)
      group.meanwhile.add(graph, *within, std::min(within->end, late.until) - std::max(within->begin, late.since));
  }
  std::vector<LateWait> waits;
  for (const auto& [name, group] : groups) {
    waits.push_back({.last = group.last.name(graph),
                     .because = group.meanwhile.longest(graph),
                     .time = group.last.time,
                     .collective = is_collective(graph[*group.last.tasks.begin()].operation)});
  }
  std::ranges::stable_sort(waits, std::greater{}, &LateWait::time);
  constexpr std::size_t kMost = 5;
  if (waits.size() > kMost) waits.resize(kMost);
  return waits;
}

std::string in_words(const LateWait& wait) {
  return fmt::format("{} wait {} for '{}', late because of {}", wait.collective ? "all other ranks" : "all tasks that meet it",
                     format_us(wait.time), wait.last, wait.because);
}

}  // namespace tasktwin::verify
