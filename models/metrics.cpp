#include "models/metrics.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <span>

#include "models/explain/idle_time.hpp"
#include "models/explain/occupancy.hpp"
#include "models/sorted_by_time.hpp"

namespace tasktwin {

namespace {

/// When each compute core runs some body, as disjoint spans of it; a body whose core is not known stands by itself.
std::vector<Occupancy> busy_spans(std::vector<Occupancy> bodies, std::size_t cores) {
  std::ranges::sort(bodies, {}, &Occupancy::started);
  std::vector<TimePoint> until(cores);
  std::vector<Occupancy> spans;
  spans.reserve(bodies.size());
  for (Occupancy body : bodies) {
    if (body.core != kNoCore) {
      TimePoint& busy_until = until[index(body.core)];
      body.started = std::max(body.started, busy_until);
      busy_until = std::max(busy_until, body.ended);
    }
    if (body.started < body.ended) spans.push_back(body);
  }
  return spans;
}

/// Sweeps over every moment at which a task becomes ready or starts, or a core becomes free; integrates min(ready, idle) per
/// type of core. A task that several types can run counts for that of the first core it ran on.
double overhead_core_time(const TaskGraph& graph, const Timeline& timeline, const std::vector<Occupancy>& busy) {
  struct Change {
    std::int64_t time;
    CoreType type;
    int ready;
    int idle;
  };
  std::vector<Change> changes;
  changes.reserve(2 * (graph.size() + busy.size()));
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const TaskTimes& times = timeline.tasks[i];
    if (!ran(times) || graph[task_id(i)].operation != Operation::kKernel) continue;
    const CoreType type = timeline.cores[index(times.core)];
    changes.push_back({to_ns(ready_time(graph, timeline, task_id(i))), type, 1, 0});
    changes.push_back({to_ns(times.started), type, -1, 0});
  }
  const std::span<const CoreType> cores = timeline.body_cores();
  for (const Occupancy& span : busy) {
    const CoreType type = span.core == kNoCore ? timeline.cores[index(timeline.tasks[index(span.task)].core)] : cores[index(span.core)];
    changes.push_back({to_ns(span.started), type, 0, -1});
    changes.push_back({to_ns(span.ended), type, 0, 1});
  }
  sort_by_time(changes, [](const Change& change) { return Duration{change.time}; });

  std::array<std::int64_t, kCoreTypeCount> ready{};
  std::array<std::int64_t, kCoreTypeCount> idle{};
  for (const CoreType core : cores) ++idle[static_cast<std::size_t>(core)];
  double total = 0;
  std::int64_t now = 0;
  for (const Change& change : changes) {
    const auto elapsed = static_cast<double>(change.time - now);
    for (std::size_t type = 0; type < kCoreTypeCount; ++type) {
      total += elapsed * static_cast<double>(std::max<std::int64_t>(0, std::min(ready[type], idle[type])));
    }
    now = change.time;
    ready[static_cast<std::size_t>(change.type)] += change.ready;
    idle[static_cast<std::size_t>(change.type)] += change.idle;
  }
  return total;
}

double mean(const std::vector<double>& values) {
  return values.empty() ? 0 : std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// The busiest core's time over the least that it could be, minus 1, of the type of core for which that is most.
double imbalance(std::span<const CoreType> cores, std::span<const Duration> busy, const std::vector<Occupancy>& bodies) {
  struct OfType {
    double sum = 0;
    double most = 0;
    double longest = 0;
    double cores = 0;
  };
  std::array<OfType, kCoreTypeCount> types{};
  const auto ns = [](Duration time) { return static_cast<double>(time.count()); };
  for (std::size_t core = 0; core < cores.size(); ++core) {
    OfType& type = types[static_cast<std::size_t>(cores[core])];
    ++type.cores;
    type.sum += ns(busy[core]);
    type.most = std::max(type.most, ns(busy[core]));
  }
  for (const Occupancy& body : bodies) {
    if (body.core == kNoCore) continue;
    double& longest = types[static_cast<std::size_t>(cores[index(body.core)])].longest;
    longest = std::max(longest, ns(body.ended - body.started));
  }
  double largest = 0;
  for (const OfType& type : types) {
    if (type.most > 0) largest = std::max(largest, type.most / std::max(type.sum / type.cores, type.longest) - 1);
  }
  return largest;
}

/// How much of `span` lies before the end of the run: a control core may go on when the last completion is written.
Duration within(const Span& span, Duration makespan) {
  const TimePoint end{makespan};
  return std::min(span.end, end) - std::min(span.begin, end);
}

}  // namespace

Metrics measure(const TaskGraph& graph, const Timeline& timeline) {
  Metrics metrics;
  metrics.makespan = timeline.makespan();
  const auto makespan = static_cast<double>(metrics.makespan.count());
  const std::span<const CoreType> cores = timeline.body_cores();
  metrics.core_busy_shares.assign(cores.size(), 0);
  metrics.dispatcher_busy_shares.assign(timeline.dispatchers.size(), 0);
  if (makespan <= 0) return metrics;

  const std::vector<Occupancy> bodies = core_occupancies(graph, timeline);
  const std::vector<Occupancy> spans = busy_spans(bodies, cores.size());
  std::vector<Duration> busy(cores.size());
  Duration total{};
  for (const Occupancy& span : spans) {
    total += span.ended - span.started;
    if (span.core != kNoCore) busy[index(span.core)] += span.ended - span.started;
  }
  for (std::size_t core = 0; core < cores.size(); ++core)
    metrics.core_busy_shares[core] = static_cast<double>(busy[core].count()) / makespan;
  if (!cores.empty())
    metrics.core_busy_share = std::min(1.0, static_cast<double>(total.count()) / makespan / static_cast<double>(timeline.core_count()));
  metrics.load_imbalance = imbalance(cores, busy, bodies);
  for (std::size_t d = 0; d < timeline.dispatchers.size(); ++d) {
    for (const Span& span : timeline.dispatchers[d])
      metrics.dispatcher_busy_shares[d] += static_cast<double>(within(span, metrics.makespan).count()) / makespan;
  }
  metrics.dispatcher_busy_share = mean(metrics.dispatcher_busy_shares);
  if (!cores.empty()) metrics.overhead_share = overhead_core_time(graph, timeline, spans) / (makespan * static_cast<double>(cores.size()));

  for (std::size_t i = 0; i < timeline.ready_queue.size(); ++i) {
    const QueueSample& sample = timeline.ready_queue[i];
    const std::int64_t until = i + 1 < timeline.ready_queue.size() ? to_ns(timeline.ready_queue[i + 1].time) : metrics.makespan.count();
    metrics.mean_queue_length += static_cast<double>(sample.length) * static_cast<double>(until - to_ns(sample.time)) / makespan;
    metrics.max_queue_length = std::max(metrics.max_queue_length, sample.length);
  }
  return metrics;
}

}  // namespace tasktwin
