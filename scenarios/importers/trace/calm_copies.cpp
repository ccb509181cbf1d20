#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include "scenarios/importers/trace/selected_run.hpp"

namespace tasktwin::scenarios {

namespace {

/// Less is what one run differs from the next by.
constexpr double kLeastExcess = 0.05;
/// Of the time without device records: a host that waits for less is not delayed by the device.
constexpr double kLeastWaits = 0.25;

/// What a thread's calls and the time between them took.
struct ThreadTime {
  double captured = 0;
  double undisturbed = 0;        ///< without device records; where that is not known, as captured
  double undisturbed_waits = 0;  ///< of it
  std::int64_t reached = -1;     ///< when its latest call returned
};

/// By how much the thread that took longest took longer than without device records, if it was the device that held it up; else 0.
double excess_of_waits(const TraceRun& run) {
  std::map<std::uint32_t, ThreadTime> threads;
  for (const TraceRun::Call& call : run.calls) {
    ThreadTime& thread = threads[call.call.thread];
    const std::int64_t own = thread.reached < 0 ? 0 : call.call.begin - thread.reached;
    const std::int64_t time = call.call.end - call.call.begin;
    thread.captured += static_cast<double>(own + time);
    const std::int64_t undisturbed = call.call.call_undisturbed < 0 ? time : call.call.call_undisturbed;
    thread.undisturbed += static_cast<double>(undisturbed + (thread.reached < 0 || call.own_undisturbed < 0 ? own : call.own_undisturbed));
    if (is_sync(call.call.kind)) thread.undisturbed_waits += static_cast<double>(undisturbed);
    thread.reached = call.call.end;
  }
  ThreadTime longest;
  for (const auto& [number, thread] : threads) {
    if (thread.captured > longest.captured) longest = thread;
  }
  const double excess = longest.captured - longest.undisturbed;
  return excess > kLeastExcess * longest.captured && longest.undisturbed_waits > kLeastWaits * longest.undisturbed ? excess : 0;
}

/// Of how much time some copy was in flight.
double moving_time(const TraceRun& run) {
  std::vector<std::pair<std::int64_t, std::int64_t>> spans;
  for (const TraceOp& op : run.ops) {
    if (op.uses_link()) spans.emplace_back(op.start, op.end);
  }
  std::ranges::sort(spans);
  double time = 0;
  std::int64_t reached = INT64_MIN;
  for (const auto& [start, end] : spans) {
    time += static_cast<double>(std::max<std::int64_t>(0, end - std::max(start, reached)));
    reached = std::max(reached, end);
  }
  return time;
}

}  // namespace

double undisturbed_share_of_copies(const TraceRun& run) {
  std::set<std::uint32_t> streams;
  for (std::size_t task = 0; task < run.ops.size(); ++task) {
    if (run.ops[task].uses_link()) streams.insert(run.streams[task]);
  }
  if (streams.size() < 2) return 1;
  const double excess = excess_of_waits(run);
  const double moving = moving_time(run);
  return excess > 0 && excess < moving ? 1 - excess / moving : 1;
}

void shorten_copies(TraceRun& run, double share) {
  for (TraceOp& op : run.ops) {
    if (op.uses_link()) op.end = op.start + std::llround(share * static_cast<double>(op.end - op.start));
  }
}

}  // namespace tasktwin::scenarios
