#include "models/explain/idle_time.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "models/explain/kernel_queues.hpp"
#include "models/explain/occupancy.hpp"
#include "models/explain/ready_line.hpp"
#include "models/runtimes/runtimes.hpp"

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

  /// Takes out what `other` covers. Contract: both are closed.
  void subtract(const Cover& other) {
    std::vector<Span> left;
    for (Span span : spans_) {
      auto next = std::ranges::lower_bound(other.spans_, span.begin, {}, &Span::end);
      for (; next != other.spans_.end() && next->begin < span.end; ++next) {
        if (span.begin < next->begin) left.push_back({span.begin, next->begin});
        span.begin = std::max(span.begin, next->end);
      }
      if (span.begin < span.end) left.push_back(span);
    }
    spans_ = std::move(left);
    close();
  }

  const std::vector<Span>& spans() const { return spans_; }

 private:
  TimePoint limit_;
  std::vector<Span> spans_;
  std::vector<Duration> before_;
};

/// Which counts of several at a time; of launched kernels the latest stage.
constexpr std::array kOrder{IdleCause::kDispatch, IdleCause::kGang, IdleCause::kHeadOfLine, IdleCause::kWindow};
constexpr std::array kStages{IdleCause::kRoom,   IdleCause::kNotification, IdleCause::kHardwareQueue,
                             IdleCause::kStream, IdleCause::kDispatch,     IdleCause::kHostBlocked};

/// Reasons that hold for all cores of a type, disjoint once closed: the first given counts.
class Reasons {
 public:
  explicit Reasons(TimePoint limit) : limit_(limit) {}

  void add(IdleCause cause, TimePoint begin, TimePoint end) { of(cause).add(begin, end); }

  /// Contract: before spread().
  void close(std::span<const IdleCause> order) {
    Cover before(limit_);
    before.close();
    for (const IdleCause cause : order) {
      Cover& cover = of(cause);
      cover.close();
      Cover all = cover;
      cover.subtract(before);
      for (const Span& span : all.spans()) before.add(span.begin, span.end);
      before.close();
    }
  }

  /// Adds what they cover of [from, to) to `idle`, and the rest as `otherwise`.
  void spread(TimePoint from, TimePoint to, IdleCause otherwise, IdleTime& idle) const {
    Duration left = to - from;
    for (const auto& [cause, cover] : covers_) {
      const Duration covered = cover.covered(from, to);
      idle.by_cause[static_cast<std::size_t>(cause)] += covered;
      left -= covered;
    }
    idle.by_cause[static_cast<std::size_t>(otherwise)] += left;
  }

 private:
  Cover& of(IdleCause cause) {
    for (auto& [known, cover] : covers_) {
      if (known == cause) return cover;
    }
    return covers_.emplace_back(cause, Cover(limit_)).second;
  }

  TimePoint limit_;
  std::vector<std::pair<IdleCause, Cover>> covers_;
};

struct CoreLife {
  explicit CoreLife(TimePoint limit) : bodies(limit), bodies_or_on_way(limit), reasons(limit) {}

  Cover bodies;
  Cover bodies_or_on_way;
  Reasons reasons;  ///< of its own frozen list
  TimePoint last_end{};
};

/// Adds the core's life to `idle`. Contract: its covers and `reasons` are closed.
void add_life(const CoreLife& core, const Reasons& reasons, TimePoint end, IdleTime& idle) {
  const Duration busy = core.bodies.covered(TimePoint{}, end);
  idle.busy += busy;
  idle.by_cause[static_cast<std::size_t>(IdleCause::kNotification)] += core.bodies_or_on_way.covered(TimePoint{}, end) - busy;
  const auto gap = [&](TimePoint from, TimePoint to) {
    const TimePoint last = std::clamp(core.last_end, from, to);
    reasons.spread(from, last, IdleCause::kNoReadyWork, idle);
    reasons.spread(last, to, IdleCause::kTail, idle);
  };
  TimePoint at{};
  for (const Span& taken : core.bodies_or_on_way.spans()) {
    gap(at, taken.begin);
    at = taken.end;
  }
  gap(at, end);
}

/// Of each body on a core that was not observed, puts it on one that is free then, if there is one.
void place(std::vector<Occupancy>& bodies, std::size_t cores) {
  std::ranges::stable_sort(bodies, {}, &Occupancy::started);
  std::vector<TimePoint> until(cores);
  for (Occupancy& body : bodies) {
    if (body.core == kNoCore) {
      const auto free = std::ranges::find_if(until, [&body](TimePoint time) { return time <= body.started; });
      if (free == until.end()) continue;
      body.core = core_id(static_cast<std::size_t>(free - until.begin()));
    }
    TimePoint& busy_until = until[index(body.core)];
    busy_until = std::max(busy_until, body.ended);
  }
}

/// How far kernels had come that had not started: on the device, on their way to it, behind another in their hardware queue or stream, or
/// not launched, by a host that was at work or blocked.
void add_stages(const TaskGraph& graph, const Design& design, const Timeline& timeline, std::vector<Reasons>& by_type) {
  const KernelQueues queues(graph, design, timeline);
  Cover host(TimePoint{timeline.makespan()});
  for (const Span& span : timeline.dispatchers.empty() ? std::vector<Span>{} : timeline.dispatchers.front()) host.add(span.begin, span.end);
  host.close();
  for (std::size_t i = 0; i < timeline.tasks.size(); ++i) {
    const TaskTimes& times = timeline.tasks[i];
    if (!ran(times) || graph[task_id(i)].operation != Operation::kKernel) continue;
    Reasons& reasons = by_type[static_cast<std::size_t>(timeline.cores[index(times.core)])];
    const TimePoint ready = ready_time(graph, timeline, task_id(i));
    const TimePoint launched = std::clamp(is_present(times.dispatched) ? times.dispatched : ready, ready, times.started);
    const TimePoint came = std::clamp(is_present(times.received) ? times.received : times.started, launched, times.started);
    reasons.add(IdleCause::kRoom, came, times.started);
    const TimePoint held = queues.held_until(task_id(i));
    const TimePoint alone = std::clamp(held, launched, came);
    reasons.add(IdleCause::kStream, launched, alone);
    reasons.add(queues.behind(task_id(i), came, held) ? IdleCause::kHardwareQueue : IdleCause::kNotification, alone, came);
    reasons.add(IdleCause::kHostBlocked, ready, launched);
    for (const Span& span : host.spans()) {
      if (span.begin >= launched) break;
      if (span.end > ready) reasons.add(IdleCause::kDispatch, std::max(span.begin, ready), std::min(span.end, launched));
    }
  }
}

IdleTime kernel_idle_time(const TaskGraph& graph, const Design& design, const Timeline& timeline) {
  const TimePoint end{timeline.makespan()};
  const std::span<const CoreType> types = timeline.body_cores();
  std::vector<Occupancy> bodies = core_occupancies(graph, timeline);
  place(bodies, types.size());
  std::vector<CoreLife> cores(types.size(), CoreLife(end));
  for (const Occupancy& body : bodies) {
    if (body.core == kNoCore) continue;
    CoreLife& core = cores[index(body.core)];
    core.bodies.add(body.started, body.ended);
    core.bodies_or_on_way.add(body.started, body.ended);
    core.last_end = std::max(core.last_end, body.ended);
  }
  std::vector<Reasons> by_type(kCoreTypeCount, Reasons(end));
  add_stages(graph, design, timeline, by_type);
  for (Reasons& reasons : by_type) reasons.close(kStages);
  IdleTime idle;
  for (std::size_t i = 0; i < cores.size(); ++i) {
    cores[i].bodies.close();
    cores[i].bodies_or_on_way.close();
    add_life(cores[i], by_type[static_cast<std::size_t>(types[i])], end, idle);
  }
  return idle;
}

/// While an orchestrator waits for room in the window.
void add_window_waits(const Timeline& timeline, std::vector<Reasons>& by_type) {
  for (std::size_t d = 0; d < std::min(timeline.roles.size(), timeline.steps.size()); ++d) {
    if (timeline.roles[d] != ControlRole::kOrchestrator) continue;
    for (const Step& step : timeline.steps[d]) {
      if (step.kind != StepKind::kWait) continue;
      for (Reasons& reasons : by_type) reasons.add(IdleCause::kWindow, step.begin, step.end);
    }
  }
}

/// Whether the task needs several cores at the same time; blocks that start apart do not.
bool needs_several(const TaskGraph& graph, const Design& design, TaskId task) {
  const TaskTraits& traits = graph.traits(task);
  if (graph[task].core_type == CoreType::kMix) return traits.aic + traits.aiv != 1;
  return design.gang != Gang::kApart && traits.blocks > 1;
}

/// By TaskId, when the last of the cores that it took at the same time had room for it, or that one before it in the queue took; empty
/// where no task takes several.
std::vector<TimePoint> all_free(const TaskGraph& graph, const Design& design, const Timeline& timeline) {
  std::vector<TimePoint> free;
  if (!graph.has_wide_tasks()) return free;
  free.resize(graph.size());
  const OccupancyIndex occupied(timeline);
  std::vector<TaskId> handed;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (!needs_several(graph, design, task_id(i))) continue;
    if (is_present(timeline.tasks[i].dispatched)) handed.push_back(task_id(i));
    const bool idle = starts_together(design.gang, graph[task_id(i)].core_type);  // its cores are to be
    const auto depth = static_cast<std::size_t>(idle ? 1 : design.mailbox_depth);
    for (const Occupancy& part : occupied.of(task_id(i))) {
      if (const Occupancy* const before = occupied.before(part, depth)) free[i] = std::max(free[i], before->finish());
    }
  }
  const auto times = [&timeline](TaskId task) -> const TaskTimes& { return timeline.tasks[index(task)]; };
  std::ranges::stable_sort(handed, {}, [&times](TaskId task) { return times(task).dispatched; });
  const bool several_queues = has_queue_a_dispatcher(design);
  std::map<std::pair<DispatcherId, CoreType>, TimePoint> first;  // that could be handed over, by queue
  for (const TaskId task : handed) {
    TimePoint& since = first[{several_queues ? times(task).dispatcher : DispatcherId{}, graph[task].core_type}];
    since = free[index(task)] = std::max(since, free[index(task)]);
  }
  return free;
}

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
  if (runtime_of(design).of_host()) return kernel_idle_time(graph, design, timeline);
  const TimePoint end{timeline.makespan()};
  const bool own_lists = has_lists(design) && design.ready_queue == ReadyQueue::kPerWorker;
  std::vector<CoreLife> cores(timeline.cores.size(), CoreLife(end));
  std::vector<Reasons> by_type(kCoreTypeCount, Reasons(end));  // by the type of the cores they went to
  const ReadyLine line(graph, design, timeline);
  const std::vector<TimePoint> free = all_free(graph, design, timeline);
  for (const Occupancy& occupancy : occupancies(timeline)) {
    const TaskTimes& times = timeline.tasks[index(occupancy.task)];
    CoreLife& core = cores[index(occupancy.core)];
    const TimePoint ready = ready_time(graph, timeline, occupancy.task);
    const TimePoint handed = is_present(times.dispatched) ? times.dispatched : is_present(times.received) ? times.received : times.started;
    const TimePoint on_way = std::max(ready, handed);
    core.bodies.add(occupancy.started, occupancy.ended);
    core.bodies_or_on_way.add(std::min(on_way, occupancy.started), std::max(occupancy.started, occupancy.ended));
    core.last_end = std::max(core.last_end, occupancy.ended);
    Reasons& reasons = own_lists ? core.reasons : by_type[static_cast<std::size_t>(timeline.cores[index(occupancy.core)])];
    const auto ahead = line.ahead(occupancy.task, ready);
    const TimePoint first = ahead ? std::min(ahead->left, on_way) : ready;
    reasons.add(IdleCause::kHeadOfLine, ready, first);
    const TimePoint idle = free.empty() ? first : std::clamp(free[index(occupancy.task)], first, on_way);
    reasons.add(IdleCause::kGang, first, idle);
    reasons.add(IdleCause::kDispatch, idle, on_way);
  }
  if (!own_lists) add_window_waits(timeline, by_type);
  for (Reasons& reasons : by_type) reasons.close(kOrder);
  IdleTime idle;
  for (std::size_t i = 0; i < cores.size(); ++i) {
    cores[i].bodies.close();
    cores[i].bodies_or_on_way.close();
    if (own_lists) cores[i].reasons.close(kOrder);
    add_life(cores[i], own_lists ? cores[i].reasons : by_type[static_cast<std::size_t>(timeline.cores[i])], end, idle);
  }
  return idle;
}

}  // namespace tasktwin
