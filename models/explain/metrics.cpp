#include "models/explain/metrics.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <utility>

#include "models/base/sorted_by_time.hpp"
#include "models/explain/idle_time.hpp"
#include "models/explain/occupancy.hpp"

namespace tasktwin {

namespace {

/// When each compute core runs some body, as disjoint spans of it; a body whose core is unknown counts separately.
std::vector<Occupancy> busy_spans(std::vector<Occupancy> bodies, std::size_t cores) {
  sort_by_time(bodies, &Occupancy::started);
  std::vector<TimePoint> until(cores);
  std::erase_if(bodies, [&until](Occupancy& body) {
    if (body.core != kNoCore) {
      TimePoint& busy_until = until[index(body.core)];
      body.started = std::max(body.started, busy_until);
      busy_until = std::max(busy_until, body.ended);
    }
    return body.started >= body.ended;
  });
  return bodies;
}

/// Moments at which something changes for the cores of a type, each kind ascending.
struct Changes {
  std::vector<TimePoint> ready;
  std::vector<TimePoint> started;
  std::vector<TimePoint> busy;
  std::vector<TimePoint> idle;
};

/// Core time in which a core is idle while a task is ready, of cores of one type: min(ready, idle) over time.
double idle_beside_ready(Changes& changes, std::int64_t cores) {
  sort_by_time(changes.ready);
  sort_by_time(changes.started);
  sort_by_time(changes.busy);
  sort_by_time(changes.idle);
  const std::array<const std::vector<TimePoint>*, 4> kinds{&changes.ready, &changes.started, &changes.busy, &changes.idle};
  std::array<std::size_t, 4> next{};
  double total = 0;
  std::int64_t ready = 0;
  std::int64_t idle = cores;
  for (TimePoint now{};;) {
    TimePoint then = TimePoint::max();
    for (std::size_t k = 0; k < kinds.size(); ++k) {
      if (next[k] < kinds[k]->size()) then = std::min(then, (*kinds[k])[next[k]]);
    }
    if (then == TimePoint::max()) return total;
    total += static_cast<double>((then - now).count()) * static_cast<double>(std::max<std::int64_t>(0, std::min(ready, idle)));
    now = then;
    std::array<std::int64_t, 4> count{};
    for (std::size_t k = 0; k < kinds.size(); ++k) {
      for (; next[k] < kinds[k]->size() && (*kinds[k])[next[k]] == now; ++next[k]) ++count[k];
    }
    ready += count[0] - count[1];
    idle += count[3] - count[2];
  }
}

/// A task that several types can run counts for that of the first core it ran on.
double overhead_core_time(const TaskGraph& graph, const Timeline& timeline, const std::vector<Occupancy>& busy) {
  std::array<Changes, kCoreTypeCount> types;
  const auto of_type = [&types](CoreType type) -> Changes& { return types[static_cast<std::size_t>(type)]; };
  if (graph.has_one_core_type() && graph.size() > 0) {
    Changes& changes = of_type(graph[task_id(0)].core_type);
    for (auto* times : {&changes.ready, &changes.started}) times->reserve(graph.size());
    for (auto* times : {&changes.busy, &changes.idle}) times->reserve(busy.size());
  }
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const TaskTimes& times = timeline.tasks[i];
    if (!ran(times) || graph[task_id(i)].operation != Operation::kKernel) continue;
    Changes& changes = of_type(timeline.cores[index(times.core)]);
    changes.ready.push_back(ready_time(graph, timeline, task_id(i)));
    changes.started.push_back(times.started);
  }
  const std::span<const CoreType> cores = timeline.body_cores();
  for (const Occupancy& span : busy) {
    Changes& changes =
        of_type(span.core == kNoCore ? timeline.cores[index(timeline.tasks[index(span.task)].core)] : cores[index(span.core)]);
    changes.busy.push_back(span.started);
    changes.idle.push_back(span.ended);
  }
  std::array<std::int64_t, kCoreTypeCount> count{};
  for (const CoreType core : cores) ++count[static_cast<std::size_t>(core)];
  double total = 0;
  for (std::size_t type = 0; type < kCoreTypeCount; ++type) total += idle_beside_ready(types[type], count[type]);
  return total;
}

double mean(const std::vector<double>& values) {
  return values.empty() ? 0 : std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

using LongestBodies = std::array<Duration, kCoreTypeCount>;  ///< by type of core

LongestBodies longest_bodies(std::span<const CoreType> cores, std::span<const Occupancy> bodies) {
  LongestBodies all{};
  for (const Occupancy& body : bodies) {
    if (body.core == kNoCore) continue;
    Duration& longest = all[static_cast<std::size_t>(cores[index(body.core)])];
    longest = std::max(longest, body.ended - body.started);
  }
  return all;
}

/// The busiest core's time over the least that it could be, minus 1, of the type of core for which that is most.
double imbalance(std::span<const CoreType> cores, std::span<const Duration> busy, const LongestBodies& longest) {
  struct OfType {
    double sum = 0;
    double most = 0;
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
  double largest = 0;
  for (std::size_t i = 0; i < types.size(); ++i) {
    const OfType& type = types[i];
    if (type.most > 0) largest = std::max(largest, type.most / std::max(type.sum / type.cores, ns(longest[i])) - 1);
  }
  return largest;
}

/// How much of `span` lies before the end of the run: a control core may continue when the last completion is written.
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

  std::vector<Occupancy> bodies = core_occupancies(graph, timeline);
  const LongestBodies longest = longest_bodies(cores, bodies);
  const std::vector<Occupancy> spans = busy_spans(std::move(bodies), cores.size());
  std::vector<Duration> busy(cores.size());
  Duration total{};
  for (const Occupancy& span : spans) {
    total += span.ended - span.started;
    if (span.core != kNoCore) busy[index(span.core)] += span.ended - span.started;
  }
  const double runs = timeline.runs;  // all like the last
  for (std::size_t core = 0; core < cores.size(); ++core)
    metrics.core_busy_shares[core] = runs * static_cast<double>(busy[core].count()) / makespan;
  if (!cores.empty())
    metrics.core_busy_share =
        std::min(1.0, runs * static_cast<double>(total.count()) / makespan / static_cast<double>(timeline.core_count()));
  metrics.load_imbalance = imbalance(cores, busy, longest);
  for (std::size_t d = 0; d < timeline.dispatchers.size(); ++d) {
    for (const Span& span : timeline.dispatchers[d])
      metrics.dispatcher_busy_shares[d] += static_cast<double>(within(span, metrics.makespan).count()) / makespan;
  }
  metrics.dispatcher_busy_share = mean(metrics.dispatcher_busy_shares);
  if (!cores.empty())
    metrics.overhead_share = runs * overhead_core_time(graph, timeline, spans) / (makespan * static_cast<double>(cores.size()));

  for (std::size_t i = 0; i < timeline.ready_queue.size(); ++i) {
    const QueueSample& sample = timeline.ready_queue[i];
    const std::int64_t until = i + 1 < timeline.ready_queue.size() ? to_ns(timeline.ready_queue[i + 1].time) : metrics.makespan.count();
    metrics.mean_queue_length += static_cast<double>(sample.length) * static_cast<double>(until - to_ns(sample.time)) / makespan;
    metrics.max_queue_length = std::max(metrics.max_queue_length, sample.length);
  }
  return metrics;
}

}  // namespace tasktwin
