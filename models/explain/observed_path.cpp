#include "models/explain/observed_path.hpp"

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <ranges>
#include <vector>

#include "models/checks/submission_room.hpp"
#include "models/design/design_parts.hpp"
#include "models/explain/idle_time.hpp"
#include "models/explain/kernel_path.hpp"
#include "models/explain/occupancy.hpp"
#include "models/explain/path_builder.hpp"
#include "models/explain/ready_line.hpp"
#include "models/explain/submissions.hpp"
#include "models/runtimes/runtimes.hpp"

namespace tasktwin {

namespace {

/// What the path runs into, going back in time.
enum class Phase { kNone, kFinish, kStart, kHandOver, kReady };
struct Node {
  Phase phase = Phase::kNone;
  const Occupancy* occupancy = nullptr;
  PathCause body = PathCause::kBody;  ///< what its body counts as, where the phase is kFinish
};

/// An event that something may have waited for, and how the path continues from it.
struct WaitedFor {
  TimePoint time = kAbsent;
  Node node;
  PathCause gap{};  ///< what lies between it and what it held
};

class Walk {
 public:
  Walk(const TaskGraph& graph, const Design& design, const Timeline& timeline, std::span<const Duration> alone,
       std::span<const Duration> reads)
      : graph_(graph),
        design_(design),
        timeline_(timeline),
        alone_(alone),
        reads_(reads),
        index_(timeline),
        line_(graph, design, timeline),
        visited_(4 * index_.all().size()),
        path_(TimePoint{timeline.makespan()}) {
    const auto gated = [](const DesignPart& part) { return part.release == Release::kBarrier; };
    if (runtime_of(design).barrier() || std::ranges::any_of(design.parts, gated)) by_finish_ = sorted_by_finish();
    if (design.graph_build == GraphBuild::kDevice) submitted_ = submissions(graph, timeline, index_);
  }

  ObservedPath take() {
    Node node = last();
    while (node.phase != Phase::kNone && now() > TimePoint{} && !met_before(node)) node = step(node);
    if (node.phase != Phase::kNone || index_.all().empty()) return path_.take(PathCause::kRest);
    if (design_.graph_build == GraphBuild::kDevice) back_to(begun(), PathCause::kSubmit, path_.task(), kNoCore);
    return path_.take(rest());
  }

 private:
  TimePoint now() const { return path_.now(); }
  void back_to(TimePoint time, PathCause cause, TaskId task, CoreId core) { path_.back_to(time, cause, task, core); }

  const TaskTimes& times(const Occupancy& occupancy) const { return timeline_.tasks[index(occupancy.task)]; }

  Node last() const {
    const auto found = std::ranges::max_element(index_.all(), {}, &Occupancy::finish);
    return found == index_.all().end() ? Node{} : Node{Phase::kFinish, &*found};
  }

  /// Measured times may contradict each other and lead in a circle; the path ends there.
  bool met_before(const Node& node) {
    const auto position = static_cast<std::size_t>(node.occupancy - index_.all().data());
    const std::size_t mark = 4 * position + static_cast<std::size_t>(node.phase) - 1;
    if (visited_[mark]) return true;
    visited_[mark] = true;
    return false;
  }

  /// The remaining time at the beginning of the run.
  PathCause rest() const { return design_.host_build == HostBuild::kTimed ? PathCause::kSubmit : PathCause::kStartUp; }

  /// When a control core or a task first did anything: until then nothing has looked for work, or the host has built the graph, if that is
  /// timed.
  TimePoint begun() const {
    TimePoint first = now();
    for (std::size_t i = 0; i < timeline_.tasks.size(); ++i) {
      if (graph_.in_degree(task_id(i)) == 0 && is_present(timeline_.tasks[i].ready)) first = std::min(first, timeline_.tasks[i].ready);
    }
    for (const std::vector<Span>& spans : timeline_.dispatchers) {
      if (!spans.empty()) first = std::min(first, spans.front().begin);
    }
    return first;
  }

  /// Everything from `time` on is explained: a control core's own work in between as `busy`, and the rest as signalling latency.
  void back_to_through(DispatcherId id, TimePoint time, PathCause busy, TaskId task) {
    if (index(id) < timeline_.dispatchers.size()) {
      const std::vector<Span>& spans = timeline_.dispatchers[index(id)];
      auto span = std::ranges::lower_bound(spans, now(), {}, &Span::begin);  // the first that begins at now() or later
      while (span != spans.begin() && now() > time) {
        --span;
        if (span->end <= time) break;
        back_to(std::max(span->end, time), PathCause::kNotification, task, kNoCore);
        back_to_at_work(id, std::max(span->begin, time), busy, task);
      }
      back_to(time, PathCause::kNotification, task, kNoCore);
    } else {
      back_to(time, busy, task, kNoCore);
    }
  }

  /// The same of work without pause: where a control core waited it was at the lock of a queue.
  void back_to_at_work(DispatcherId id, TimePoint time, PathCause busy, TaskId task) {
    if (index(id) < timeline_.steps.size()) {
      const std::vector<Step>& steps = timeline_.steps[index(id)];
      auto step = std::ranges::lower_bound(steps, now(), {}, &Step::begin);
      while (step != steps.begin() && now() > time) {
        --step;
        if (step->end <= time) break;
        if (step->kind != StepKind::kWait) continue;
        back_to(std::max(step->end, time), busy, task, kNoCore);
        back_to(std::max(step->begin, time), PathCause::kLock, task, kNoCore);
      }
    }
    back_to(time, busy, task, kNoCore);
  }

  Node step(const Node& node) {
    switch (node.phase) {
      case Phase::kFinish:
        return finish(*node.occupancy, node.body);
      case Phase::kStart:
        return start(*node.occupancy);
      case Phase::kHandOver:
        return runtime_of(design_).dispatched() ? hand_over(*node.occupancy) : fetch(*node.occupancy);
      default:
        return ready(*node.occupancy);
    }
  }

  Node finish(const Occupancy& occupancy, PathCause body) {
    back_to(occupancy.ended, PathCause::kPublish, occupancy.task, occupancy.core);
    const Duration read = reads_.empty() ? Duration{0} : reads_[index(occupancy.task)];
    if (!alone_.empty())
      back_to(occupancy.started + read + alone_[index(occupancy.task)], beyond_alone(read), occupancy.task, occupancy.core);
    back_to(occupancy.started + read, body, occupancy.task, occupancy.core);
    back_to(occupancy.started, reading_as(body), occupancy.task, occupancy.core);
    return {Phase::kStart, &occupancy};
  }

  /// The latest; of several the first given. None may lie in what is explained already.
  WaitedFor latest(std::initializer_list<WaitedFor> candidates) const {
    WaitedFor found;
    for (const WaitedFor& candidate : candidates) {
      if (candidate.node.phase == Phase::kNone || candidate.time > now()) continue;
      if (found.node.phase == Phase::kNone || candidate.time > found.time) found = candidate;
    }
    return found;
  }

  bool needs(TaskId task, TaskId other) const {
    const auto predecessors = graph_.predecessors(task);
    return std::ranges::binary_search(predecessors, other) || std::ranges::any_of(predecessors, [&](TaskId predecessor) {
             return graph_[predecessor].operation == Operation::kEvent && needs(predecessor, other);
           });
  }

  WaitedFor held_by(const Occupancy* holder, TimePoint time, TaskId waiting, PathCause gap, PathCause wait = PathCause::kCoreWait) const {
    if (holder == nullptr) return {};
    return {time, {Phase::kFinish, holder, needs(waiting, holder->task) ? PathCause::kBody : wait}, gap};
  }
  /// What a body counts as that has the core of `part`, where the path is at another core of the same task.
  static PathCause wait_at(const Occupancy& part, const Occupancy& at) {
    return part.core == at.core ? PathCause::kCoreWait : PathCause::kGang;
  }

  WaitedFor readiness(const Occupancy& occupancy, PathCause gap) const {
    return {ready_time(graph_, timeline_, occupancy.task), {Phase::kReady, &occupancy}, gap};
  }

  /// The core had the task, and was free.
  Node start(const Occupancy& occupancy) {
    const TaskTimes& seen = times(occupancy);
    const TimePoint handed = is_present(seen.received) ? seen.received : seen.dispatched;
    WaitedFor held = is_present(handed) ? WaitedFor{std::min(handed, now()), {Phase::kHandOver, &occupancy}, PathCause::kStart}
                                        : readiness(occupancy, PathCause::kStart);
    if (is_present(seen.ready) && seen.ready > handed) held = readiness(occupancy, PathCause::kNotification);  // it waited for a doorbell
    if (starts_together(design_.gang, graph_[occupancy.task].core_type)) {
      if (const auto made = last_room(started_, occupancy.task, 1, [](const Occupancy& left) { return left.ended; }))
        held = latest({held, held_by(made->left, made->time, occupancy.task, PathCause::kStart, wait_at(*made->part, occupancy))});
    } else if (const Occupancy* const before = index_.before(occupancy, 1)) {
      held = latest({held, held_by(before, before->ended, occupancy.task, PathCause::kStart, PathCause::kCoreWait)});
    }
    back_to(held.time, held.gap, occupancy.task, occupancy.core);
    return held.node;
  }

  /// A core that gets its tasks by itself, one after the other.
  Node fetch(const Occupancy& occupancy) {
    const bool frozen = has_lists(design_);
    const Occupancy* const before = index_.before(occupancy, 1);
    WaitedFor fetched;
    if (before != nullptr && is_present(times(*before).received))
      fetched = {times(*before).received, {Phase::kHandOver, before}, PathCause::kQueue};
    const WaitedFor held = latest({readiness(occupancy, frozen ? PathCause::kNotification : PathCause::kQueue),
                                   place_free(occupancy, static_cast<std::size_t>(design_.mailbox_depth)), fetched});
    back_to(held.time, held.gap, occupancy.task, occupancy.core);
    return held.node;
  }

  /// The `depth`-th task before left its core's mailbox: ended, and the one before it published.
  WaitedFor place_free(const Occupancy& occupancy, std::size_t depth) const {
    const Occupancy* const left = index_.before(occupancy, depth);
    if (left == nullptr) return {};
    const Occupancy* const publishing = index_.before(occupancy, depth + 1);
    if (publishing != nullptr && publishing->finish() > left->ended)
      return held_by(publishing, publishing->finish(), occupancy.task, PathCause::kQueue);
    return held_by(left, left->ended, occupancy.task, PathCause::kQueue);
  }

  /// A control core handed the task over, once it was ready and the core's mailbox, as the control core knew it, had room.
  Node hand_over(const Occupancy& occupancy) {
    const TaskTimes& seen = times(occupancy);
    if (is_present(seen.dispatched)) back_to(seen.dispatched, PathCause::kNotification, occupancy.task, occupancy.core);
    const DispatcherId id = seen.dispatcher;
    WaitedFor held = readiness(occupancy, PathCause::kDispatch);
    const TimePoint woken = busy_since(id);
    const auto depth = static_cast<std::size_t>(design_.mailbox_depth);
    if (const auto made = last_room(handed_over_, occupancy.task, depth, [](const Occupancy& left) { return left.finish(); }))
      held = latest({held, held_by(made->left, made->time, occupancy.task, PathCause::kDispatch, wait_at(*made->part, occupancy))});
    // It had room for longer, and the control core was not busy: the rule for filling mailboxes kept the place empty.
    for (std::size_t steps = depth - 1; steps > 0 && held.time < woken; --steps) {
      const Occupancy* const left = index_.before(occupancy, steps);
      if (left != nullptr && left->finish() <= woken)
        held = latest({held, held_by(left, left->finish(), occupancy.task, PathCause::kDispatch)});
    }
    if (const auto ahead = line_.ahead(occupancy.task, held.time)) {
      back_to_through(id, ahead->left, PathCause::kDispatch, occupancy.task);
      back_to(held.time, PathCause::kHeadOfLine, ahead->task, kNoCore);
    }
    back_to_through(id, held.time, PathCause::kDispatch, occupancy.task);
    return held.node;
  }

  /// Room for a part of a task: when it was made, and what left the part's core.
  struct RoomMade {
    TimePoint time;
    const Occupancy* part;
    const Occupancy* left;
  };
  /// That of all parts of a task, in the order in which it was made: of several at once the first part last.
  struct PartsRoom {
    std::optional<TaskId> task;
    std::vector<RoomMade> made;
  };
  /// The last up to now() of what the parts of a task waited for: the `steps`-th task before each on its core, whose `time` is that of
  /// its end or of what it tells. `room` is kept for the task, whose parts the path goes through one by one.
  std::optional<RoomMade> last_room(PartsRoom& room, TaskId task, std::size_t steps, TimePoint (*time)(const Occupancy&)) const {
    if (room.task != task) {
      room = {task, {}};
      for (const Occupancy& part : index_.of(task) | std::views::reverse) {
        if (const Occupancy* const left = index_.before(part, steps)) room.made.push_back({time(*left), &part, left});
      }
      std::ranges::stable_sort(room.made, {}, &RoomMade::time);
    }
    const auto later = std::ranges::upper_bound(room.made, now(), {}, &RoomMade::time);
    return later == room.made.begin() ? std::nullopt : std::optional(*std::prev(later));
  }

  /// When the control core began to work without pause up to now(); now() where it was not seen to.
  TimePoint busy_since(DispatcherId id) const {
    if (index(id) >= timeline_.dispatchers.size()) return now();
    const std::vector<Span>& spans = timeline_.dispatchers[index(id)];
    const auto span = std::ranges::lower_bound(spans, now(), {}, &Span::begin);
    return span != spans.begin() && std::prev(span)->end >= now() ? std::prev(span)->begin : now();
  }

  /// The last predecessor's signal arrived where tasks are released, or a barrier opened that another task delayed.
  Node ready(const Occupancy& occupancy) {
    const Occupancy* const last = runtime_of(design_).barrier() ? last_before_barrier(occupancy)
                                  : is_gated(occupancy.task)    ? last_of_lower_layers(occupancy)
                                                                : last_predecessor(occupancy.task);
    const TimePoint from = last == nullptr ? begun() : last->finish();
    if (design_.graph_build == GraphBuild::kDevice && submitted_last(occupancy, from)) return submission(occupancy);
    if (last != nullptr && timeline_.crosses_devices(last->task, occupancy.task))
      back_to(from, PathCause::kTransfer, occupancy.task, kNoCore);
    if (runtime_of(design_).dispatched()) {
      back_to_through(resolver_of(last == nullptr ? occupancy : *last), from, PathCause::kDispatch, occupancy.task);
    } else if (last != nullptr) {
      back_to(from, PathCause::kNotification, occupancy.task, kNoCore);
    }
    if (last == nullptr) return {};
    return {Phase::kFinish, last, needs(occupancy.task, last->task) ? PathCause::kBody : PathCause::kDataWait};
  }

  static const Occupancy* later(const Occupancy* a, const Occupancy* b) {
    return a == nullptr || (b != nullptr && b->finish() > a->finish()) ? b : a;
  }

  /// Of several that a counter counts, the last.
  const Occupancy* last_predecessor(TaskId task) const {
    const Occupancy* last = nullptr;
    for (const TaskId predecessor : graph_.predecessors(task)) {
      if (graph_[predecessor].operation == Operation::kEvent) last = later(last, last_predecessor(predecessor));
      for (const Occupancy& part : index_.of(predecessor)) last = later(last, &part);
    }
    return last;
  }

  /// Whether a gate precedes the task's layer.
  bool is_gated(TaskId task) const {
    if (by_finish_.empty()) return false;
    const DesignPart* const part = part_of(graph_, design_, task);
    return part != nullptr && part->release == Release::kBarrier;
  }

  const Occupancy* last_of_lower_layers(const Occupancy& occupancy) const {
    const auto lower = [&](const Occupancy* other) { return graph_[other->task].layer < graph_[occupancy.task].layer; };
    const auto last = std::ranges::find_if(by_finish_.rbegin(), by_finish_.rend(), lower);
    return last == by_finish_.rend() ? last_predecessor(occupancy.task) : later(*last, last_predecessor(occupancy.task));
  }

  std::vector<const Occupancy*> sorted_by_finish() const {
    std::vector<const Occupancy*> sorted;
    for (const Occupancy& occupancy : index_.all()) sorted.push_back(&occupancy);
    std::ranges::stable_sort(sorted, {}, &Occupancy::finish);
    return sorted;
  }

  /// What finished last of all that was ready earlier than this task: all of a layer are ready when its barrier opens.
  const Occupancy* last_before_barrier(const Occupancy& occupancy) const {
    const TimePoint opened = ready_time(graph_, timeline_, occupancy.task);
    auto later = std::ranges::upper_bound(by_finish_, opened, {}, &Occupancy::finish);
    while (later != by_finish_.begin()) {
      --later;
      if (ready_time(graph_, timeline_, (*later)->task) < opened) return *later;
    }
    return nullptr;
  }

  /// The control core that takes in the completion of `occupancy`: a resolver where there is one, else its dispatcher.
  DispatcherId resolver_of(const Occupancy& occupancy) const {
    const auto resolver = std::ranges::find(timeline_.roles, ControlRole::kResolver);
    return resolver == timeline_.roles.end() ? times(occupancy).dispatcher
                                             : dispatcher_id(static_cast<std::size_t>(resolver - timeline_.roles.begin()));
  }

  /// Whether the task waited for its own submission, and not for the signal of a predecessor, the last of which finished at `from`.
  bool submitted_last(const Occupancy& occupancy, TimePoint from) const {
    const TimePoint submitted = submitted_[index(occupancy.task)];
    return graph_.in_degree(occupancy.task) == 0 || (is_present(submitted) && (submitted > from || submitted == now()));
  }

  /// Back through submissions. Had they taken nothing, the busiest dispatcher would still have been as long at work on what was submitted:
  /// the part of the time that is its own.
  void back_to_submitting(TimePoint time, TaskId task) {
    Duration busiest{};
    for (std::size_t d = 0; d < timeline_.roles.size(); ++d) {
      if (timeline_.roles[d] != ControlRole::kScheduler) continue;
      Duration busy{};
      for (const Span& span : timeline_.dispatchers[d])
        busy += std::max(Duration{0}, std::min(span.end, now()) - std::max(span.begin, time));
      busiest = std::max(busiest, busy);
    }
    back_to(std::min(now(), time + busiest), PathCause::kSubmit, task, kNoCore);
    back_to(time, PathCause::kDispatch, task, kNoCore);
  }

  /// Back through the orchestrator's work without pause; it began when a task left the window, if not with the run.
  Node submission(const Occupancy& occupancy) {
    if (is_present(submitted_[index(occupancy.task)]))
      back_to(submitted_[index(occupancy.task)], PathCause::kQueue, occupancy.task, kNoCore);
    TimePoint since{};
    for (std::size_t d = 0; d < timeline_.roles.size(); ++d) {
      if (timeline_.roles[d] == ControlRole::kOrchestrator) since = std::max(since, busy_since(dispatcher_id(d)));
    }
    back_to_submitting(since, occupancy.task);
    const Occupancy* left = nullptr;
    for (const Occupancy& other : index_.all()) {
      if (other.finish() <= now() && (left == nullptr || other.finish() > left->finish())) left = &other;
    }
    if (left == nullptr || rings(graph_, design_).empty()) return {};
    back_to(left->finish(), PathCause::kWindow, left->task, kNoCore);
    return {Phase::kFinish, left, needs(occupancy.task, left->task) ? PathCause::kBody : PathCause::kWindow};
  }

  const TaskGraph& graph_;
  const Design& design_;
  const Timeline& timeline_;
  std::span<const Duration> alone_;
  std::span<const Duration> reads_;
  OccupancyIndex index_;
  ReadyLine line_;
  std::vector<bool> visited_;                ///< by occupancy and phase
  std::vector<const Occupancy*> by_finish_;  ///< under release `barrier`
  std::vector<TimePoint> submitted_;         ///< by TaskId, where the graph is built on the device
  PartsRoom handed_over_;                    ///< what hand_over() asked for last
  PartsRoom started_;                        ///< what start() did
  PathBuilder path_;
};

}  // namespace

ObservedPath observed_path(const TaskGraph& graph, const Design& design, const Timeline& timeline, std::span<const Duration> alone,
                           const HostProgram* program, std::span<const Duration> reads) {
  if (runtime_of(design).of_host()) return kernel_path(graph, design, timeline, alone, reads, program);
  return Walk(graph, design, timeline, alone, reads).take();
}

}  // namespace tasktwin
