#include "models/metrics.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "models/explain/idle_time.hpp"
#include "models/explain/occupancy.hpp"

namespace tasktwin {

namespace {

/// Sweeps over every moment at which a task becomes ready or starts, or a core becomes free; integrates min(ready, idle) per
/// type of core. A task that several types can run counts for that of the first core it ran on.
double overhead_core_time(const TaskGraph& graph, const Timeline& timeline, const std::vector<Occupancy>& occupied) {
  struct Change {
    std::int64_t time;
    CoreType type;
    int ready;
    int idle;
  };
  std::vector<Change> changes;
  changes.reserve(4 * occupied.size());
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const TaskTimes& times = timeline.tasks[i];
    if (!ran(times)) continue;
    const CoreType type = timeline.cores[index(times.core)];
    changes.push_back({to_ns(ready_time(graph, timeline, task_id(i))), type, 1, 0});
    changes.push_back({to_ns(times.started), type, -1, 0});
  }
  for (const Occupancy& occupancy : occupied) {
    const CoreType type = timeline.cores[index(occupancy.core)];
    changes.push_back({to_ns(occupancy.started), type, 0, -1});
    changes.push_back({to_ns(occupancy.ended), type, 0, 1});
  }
  std::ranges::sort(changes, {}, &Change::time);

  std::array<std::int64_t, kCoreTypeCount> ready{};
  std::array<std::int64_t, kCoreTypeCount> idle{};
  for (const CoreType core : timeline.cores) ++idle[static_cast<std::size_t>(core)];
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
  metrics.core_busy_shares.assign(timeline.cores.size(), 0);
  metrics.dispatcher_busy_shares.assign(timeline.dispatchers.size(), 0);
  if (makespan <= 0) return metrics;

  const std::vector<Occupancy> occupied = occupancies(timeline);
  for (const Occupancy& occupancy : occupied) {
    metrics.core_busy_shares[index(occupancy.core)] += static_cast<double>((occupancy.ended - occupancy.started).count()) / makespan;
  }
  for (std::size_t d = 0; d < timeline.dispatchers.size(); ++d) {
    for (const Span& span : timeline.dispatchers[d])
      metrics.dispatcher_busy_shares[d] += static_cast<double>(within(span, metrics.makespan).count()) / makespan;
  }
  metrics.core_busy_share = mean(metrics.core_busy_shares);
  metrics.dispatcher_busy_share = mean(metrics.dispatcher_busy_shares);
  if (metrics.core_busy_share > 0) metrics.load_imbalance = std::ranges::max(metrics.core_busy_shares) / metrics.core_busy_share - 1;
  if (!timeline.cores.empty()) {
    metrics.overhead_share = overhead_core_time(graph, timeline, occupied) / (makespan * static_cast<double>(timeline.cores.size()));
  }

  for (std::size_t i = 0; i < timeline.ready_queue.size(); ++i) {
    const QueueSample& sample = timeline.ready_queue[i];
    const std::int64_t until = i + 1 < timeline.ready_queue.size() ? to_ns(timeline.ready_queue[i + 1].time) : metrics.makespan.count();
    metrics.mean_queue_length += static_cast<double>(sample.length) * static_cast<double>(until - to_ns(sample.time)) / makespan;
    metrics.max_queue_length = std::max(metrics.max_queue_length, sample.length);
  }
  return metrics;
}

}  // namespace tasktwin
