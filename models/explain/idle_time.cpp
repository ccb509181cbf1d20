#include "models/explain/idle_time.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "models/explain/occupancy.hpp"

namespace tasktwin {

namespace {

/// A growing union of spans within [0, limit), as a function: how much of [0, t) it covers.
class Cover {
 public:
  explicit Cover(TimePoint limit) : limit_(limit) {}

  void add(TimePoint begin, TimePoint end) {
    begin = std::max(begin, TimePoint{});
    end = std::min(end, limit_);
    if (begin < end) spans_.push_back({begin, end});
  }

  /// Joins what overlaps. Contract: before covered().
  void close() {
    std::ranges::sort(spans_, {}, &Span::begin);
    std::vector<Span> joined;
    for (const Span& span : spans_) {
      if (!joined.empty() && span.begin <= joined.back().end) {
        joined.back().end = std::max(joined.back().end, span.end);
      } else {
        joined.push_back(span);
      }
    }
    spans_ = std::move(joined);
    before_.clear();
    Duration sum{};
    for (const Span& span : spans_) {
      before_.push_back(sum);
      sum += span.end - span.begin;
    }
  }

  Duration covered(TimePoint until) const {
    const auto after = std::ranges::upper_bound(spans_, until, {}, &Span::begin);
    if (after == spans_.begin()) return Duration{};
    const auto i = static_cast<std::size_t>(after - spans_.begin()) - 1;
    return before_[i] + std::min(until, spans_[i].end) - spans_[i].begin;
  }
  Duration covered(TimePoint begin, TimePoint end) const { return begin < end ? covered(end) - covered(begin) : Duration{}; }

  const std::vector<Span>& spans() const { return spans_; }

 private:
  TimePoint limit_;
  std::vector<Span> spans_;
  std::vector<Duration> before_;
};

struct CoreLife {
  explicit CoreLife(TimePoint limit) : bodies(limit), bodies_or_on_way(limit), waiting(limit) {}

  Cover bodies;
  Cover bodies_or_on_way;
  Cover waiting;  ///< a task of its own frozen list is ready and not handed over
  TimePoint last_end{};
};

}  // namespace

TimePoint ready_time(const TaskGraph& graph, const Timeline& timeline, TaskId task) {
  const TaskTimes& times = timeline.tasks[index(task)];
  TimePoint ready{};
  if (is_present(times.ready)) {
    ready = times.ready;
  } else {
    for (const TaskId predecessor : graph.predecessors(task)) ready = std::max(ready, finish(timeline.tasks[index(predecessor)]));
  }
  return std::min(ready, times.started);
}

Duration IdleTime::total() const { return std::accumulate(by_cause.begin(), by_cause.end(), busy); }

IdleTime idle_time(const TaskGraph& graph, const Design& design, const Timeline& timeline) {
  const TimePoint end{timeline.makespan()};
  const bool own_lists = is_static(design.placement) && design.ready_queue == ReadyQueue::kPerWorker;
  std::vector<CoreLife> cores(timeline.cores.size(), CoreLife(end));
  std::vector<Cover> waiting(kCoreTypeCount, Cover(end));  // by the type of the cores they went to
  for (const Occupancy& occupancy : occupancies(timeline)) {
    const TaskTimes& times = timeline.tasks[index(occupancy.task)];
    CoreLife& core = cores[index(occupancy.core)];
    const TimePoint ready = ready_time(graph, timeline, occupancy.task);
    const TimePoint handed = is_present(times.dispatched) ? times.dispatched : is_present(times.received) ? times.received : times.started;
    const TimePoint on_way = std::max(ready, handed);
    core.bodies.add(occupancy.started, occupancy.ended);
    core.bodies_or_on_way.add(std::min(on_way, occupancy.started), std::max(occupancy.started, occupancy.ended));
    core.last_end = std::max(core.last_end, occupancy.ended);
    (own_lists ? core.waiting : waiting[static_cast<std::size_t>(timeline.cores[index(occupancy.core)])]).add(ready, on_way);
  }
  for (Cover& cover : waiting) cover.close();

  IdleTime idle;
  const auto add = [&idle](IdleCause cause, Duration time) { idle.by_cause[static_cast<std::size_t>(cause)] += time; };
  for (std::size_t i = 0; i < cores.size(); ++i) {
    CoreLife& core = cores[i];
    for (Cover* cover : {&core.bodies, &core.bodies_or_on_way, &core.waiting}) cover->close();
    const Duration busy = core.bodies.covered(TimePoint{}, end);
    idle.busy += busy;
    add(IdleCause::kNotification, core.bodies_or_on_way.covered(TimePoint{}, end) - busy);
    const Cover& available = own_lists ? core.waiting : waiting[static_cast<std::size_t>(timeline.cores[i])];
    const auto idle_between = [&](TimePoint from, TimePoint to, IdleCause cause) {
      const Duration dispatch = available.covered(from, to);
      add(IdleCause::kDispatch, dispatch);
      add(cause, to - from - dispatch);
    };
    const auto gap = [&](TimePoint from, TimePoint to) {
      const TimePoint last = std::clamp(core.last_end, from, to);
      idle_between(from, last, IdleCause::kNoReadyWork);
      idle_between(last, to, IdleCause::kTail);
    };
    TimePoint at{};
    for (const Span& taken : core.bodies_or_on_way.spans()) {
      gap(at, taken.begin);
      at = taken.end;
    }
    gap(at, end);
  }
  return idle;
}

}  // namespace tasktwin
