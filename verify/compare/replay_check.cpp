#include "verify/compare/replay_check.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "scenarios/scenario_writer/import_scenario.hpp"
#include "sim/simulator.hpp"
#include "verify/output/text/text_table.hpp"

namespace tasktwin::verify {

namespace {

double relative(Duration found, Duration right) {
  return right.count() == 0 ? 0 : static_cast<double>((found - right).count()) / static_cast<double>(right.count());
}

double quantile(const std::vector<double>& sorted, double q) {
  return sorted[static_cast<std::size_t>(q * static_cast<double>(sorted.size() - 1))];
}

/// First start to last end of tasks of one stream, and how long they took together.
struct StreamSpan {
  TimePoint begin = TimePoint::max();
  TimePoint end = TimePoint::min();
  Duration busy{};

  void add(const TaskTimes& times) {
    begin = std::min(begin, times.started);
    end = std::max(end, times.ended);
    busy += times.ended - times.started;
  }
};

std::map<std::uint32_t, StreamSpan> stream_spans(const TaskGraph& graph, const Timeline& timeline) {
  std::map<std::uint32_t, StreamSpan> spans;
  for (std::size_t i = 0; i < graph.size(); ++i) spans[static_cast<std::uint32_t>(graph.traits(task_id(i)).stream)].add(timeline.tasks[i]);
  return spans;
}

void find_largest_step(ReplayCheck& check, const Timeline& captured, const Timeline& replayed) {
  std::vector<std::uint32_t> order(captured.tasks.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return captured.tasks[i].started; });
  Duration behind{};
  for (const std::uint32_t i : order) {
    const Duration now = replayed.tasks[i].started - captured.tasks[i].started;
    if (std::abs((now - behind).count()) > std::abs(check.by.count())) {
      check.by = now - behind;
      check.where = task_id(i);
    }
    behind = now;
  }
}

}  // namespace

double ReplayCheck::error() const { return relative(replayed, captured); }
double ReplayCheck::stream_error() const { return relative(stream_replayed, stream_captured); }

ReplayCheck check_replay(const TaskGraph& graph, const Timeline& captured, const Timeline& replayed) {
  ReplayCheck check{.captured = captured.makespan(), .replayed = replayed.makespan()};
  std::vector<double> off;
  for (std::size_t i = 0; i < graph.size(); ++i)
    off.push_back(std::abs(relative(check.captured + (replayed.tasks[i].started - captured.tasks[i].started), check.captured)));
  std::ranges::sort(off);
  check.start_p50 = quantile(off, 0.5);
  check.start_p95 = quantile(off, 0.95);
  const auto spans = stream_spans(graph, captured);
  const auto busiest = std::ranges::max_element(spans, {}, [](const auto& entry) { return entry.second.busy; });
  const StreamSpan again = stream_spans(graph, replayed).at(busiest->first);
  check.stream = busiest->first;
  check.stream_captured = busiest->second.end - busiest->second.begin;
  check.stream_replayed = again.end - again.begin;
  find_largest_step(check, captured, replayed);
  return check;
}

ReplayCheck check_replay(const scenarios::Imported& imported, const std::string& machine) {
  const Design design = scenarios::import_designs(imported).front().design;
  const scenarios::ReplayedRun run = scenarios::replayed_run(imported, machine);
  const std::vector<Duration> times = stated_times(*run.graph);
  const Timeline replayed = sim::simulate(*run.graph, run.machine, design, {.bodies = times, .program = run.program}).timeline;
  return check_replay(imported.graph, imported.captured, replayed);
}

std::string replay_text(const ReplayCheck& check, const TaskGraph& graph) {
  return fmt::format(
      "replayed in {}, captured in {}: {:+.1f} %; starts off by {:.1f} % (median) and {:.1f} % (95th percentile) of that; stream {}, the "
      "busiest, {:+.1f} %\nlargest step: at the start of '{}' the replay {} {}\n",
      format_us(check.replayed), format_us(check.captured), 100 * check.error(), 100 * check.start_p50, 100 * check.start_p95, check.stream,
      100 * check.stream_error(), graph.name(check.where), check.by.count() >= 0 ? "falls behind by" : "gets ahead by",
      format_us(check.by.count() >= 0 ? check.by : -check.by));
}

}  // namespace tasktwin::verify
