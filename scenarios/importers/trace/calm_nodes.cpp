#include <algorithm>
#include <cmath>
#include <optional>

#include "scenarios/importers/trace/selected_run.hpp"

namespace tasktwin::scenarios {

namespace {

struct Span {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t length() const { return end - begin; }
};

Span span_of(const TraceRun& run, const TraceRun::Call& launch) {
  Span span{run.ops[launch.first].start, run.ops[launch.first].end};
  for (std::uint32_t task = launch.first; task < launch.first + launch.tasks; ++task) {
    span.begin = std::min(span.begin, run.ops[task].start);
    span.end = std::max(span.end, run.ops[task].end);
  }
  return span;
}

/// From the launch to the return of the call that waited for its end, as captured and without device records.
struct Waited {
  std::int64_t captured = 0;
  std::int64_t undisturbed = 0;
};

/// nullopt where the host did not wait for it alone, or it is unknown how long it takes otherwise.
std::optional<Waited> waited_for(const TraceRun& run, std::size_t launch, const Span& span) {
  const TraceRun::Call& first = run.calls[launch];
  std::int64_t undisturbed = first.call.call_undisturbed;
  if (undisturbed < 0) return std::nullopt;
  for (std::size_t i = launch + 1; i < run.calls.size(); ++i) {
    const TraceRun::Call& next = run.calls[i];
    if (next.tasks > 0) return std::nullopt;
    if (next.call.thread != first.call.thread) continue;
    if (next.own_undisturbed < 0 || next.call.call_undisturbed < 0) return std::nullopt;
    undisturbed += next.own_undisturbed + next.call.call_undisturbed;
    if (!is_sync(next.call.kind)) continue;
    if (next.call.begin > span.end || next.call.end < span.end) return std::nullopt;
    return Waited{next.call.end - first.call.begin, undisturbed};
  }
  return std::nullopt;
}

}  // namespace

TraceRun with_undisturbed_nodes(const TraceRun& run) {
  TraceRun undisturbed = run;
  std::int64_t busy_until = INT64_MIN;
  for (std::size_t i = 0; i < run.calls.size(); ++i) {
    const TraceRun::Call& call = run.calls[i];
    if (call.tasks == 0) continue;
    const Span span = span_of(run, call);
    const bool idle = busy_until <= call.call.begin;
    busy_until = std::max(busy_until, span.end);
    if (call.call.kind != TraceCallKind::kGraphLaunch || !idle || span.length() <= 0) continue;
    const std::optional<Waited> waited = waited_for(run, i, span);
    if (!waited || waited->undisturbed >= waited->captured) continue;
    // What lies before the first node and after the last is as long either way.
    const double length = static_cast<double>(span.length() - (waited->captured - waited->undisturbed));
    const double part = length / static_cast<double>(span.length());
    if (part <= 0) continue;
    const auto earlier = [&](std::int64_t time) { return span.begin + std::llround(part * static_cast<double>(time - span.begin)); };
    for (std::uint32_t task = call.first; task < call.first + call.tasks; ++task) {
      undisturbed.ops[task].start = earlier(run.ops[task].start);
      undisturbed.ops[task].end = earlier(run.ops[task].end);
    }
  }
  return undisturbed;
}

}  // namespace tasktwin::scenarios
