#include "models/explain/kernel_path.hpp"
#include "models/explain/host_turns.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <ranges>
#include <vector>

#include "models/cost/collective_flows.hpp"
#include "models/explain/idle_time.hpp"
#include "models/explain/kernel_queues.hpp"
#include "models/explain/occupancy.hpp"
#include "models/explain/path_builder.hpp"
#include "models/runtimes/prologues_ahead.hpp"
#include "models/runtimes/runtimes.hpp"

namespace tasktwin {

namespace {

/// Whether it was seen to run; copies and host functions of a graph have no stream.
bool was_seen(const TaskTimes& times) { return is_present(times.started) && is_present(times.ended); }

/// When the first task that waits for no other was ready in the last run of the graph; 0 where there is one.
TimePoint begin_of_last_run(const TaskGraph& graph, const Timeline& timeline) {
  TimePoint begin = TimePoint::max();
  for (std::size_t i = 0; i < timeline.tasks.size(); ++i) {
    const TimePoint ready = timeline.tasks[i].ready;
    if (graph.in_degree(task_id(i)) == 0 && is_present(ready)) begin = std::min(begin, ready);
  }
  return timeline.runs > 1 && begin != TimePoint::max() ? std::max(begin, TimePoint{}) : TimePoint{};
}

/// Where the path continues: at the end of a task, whose body then counts as `body`.
struct PathStep {
  TaskId task{};
  PathCause body = PathCause::kBody;
};

class KernelWalk {
 public:
  KernelWalk(const TaskGraph& graph, const Design& design, const Timeline& timeline, std::span<const Duration> alone,
             std::span<const Duration> reads, const HostProgram* program)
      : graph_(graph),
        timeline_(timeline),
        alone_(alone),
        reads_(reads),
        program_(timeline.host_steps.empty() ? nullptr : program),
        in_graph_(runtime_of(design).graph()),
        ahead_(prologues_ahead(design)),
        of_design_(program != nullptr && runtime_of(design).streams() ? PathCause::kHostCall : PathCause::kLaunch),
        blocks_(core_occupancies(graph, timeline), timeline.tasks.size(), timeline.body_cores().size()),
        queues_(graph, design, timeline),
        visited_(timeline.tasks.size()),
        begin_(begin_of_last_run(graph, timeline)),
        path_(TimePoint{timeline.makespan()}, begin_) {
    for (std::size_t i = 0; i < timeline.tasks.size(); ++i) {
      if (was_seen(timeline.tasks[i])) by_end_.push_back(task_id(i));
    }
    std::ranges::stable_sort(by_end_, {}, [this](TaskId task) { return times(task).ended; });
    for (const TaskId task : by_end_) {
      if (is_transfer(graph[task].operation)) transfers_[graph[task].operation].push_back(task);
    }
    if (graph.has_collectives()) collectives_ = collectives_of(graph);
    for (std::size_t i = 0; i < timeline.tasks.size(); ++i) {
      if (const int group = graph.traits(task_id(i)).co_resident; group != 0 && was_seen(timeline.tasks[i]))
        meetings_[group].push_back(task_id(i));
    }
    if (program_ != nullptr) find_calls();
    const auto allocates = [](const Task& task) { return is_allocation(task.operation); };
    if (program_ == nullptr && runtime_of(design).streams() && (program != nullptr || std::ranges::any_of(graph.tasks(), allocates)))
      find_launches(program);
  }

  ObservedPath take() {
    std::optional<PathStep> step;
    if (!by_end_.empty()) step = PathStep{by_end_.back()};
    while (step && path_.now() > begin_ && !visited_[index(step->task)]) {
      visited_[index(step->task)] = true;
      if (is_collective(graph_[step->task].operation)) {
        step = before_start(back_through_collective(step->task));
        continue;
      }
      step = before_start(back_through_body(*step));
    }
    return path_.take(step || by_end_.empty() ? PathCause::kRest : PathCause::kLaunch);
  }

 private:
  const TaskTimes& times(TaskId task) const { return timeline_.tasks[index(task)]; }
  bool needs(TaskId task, TaskId other) const { return std::ranges::binary_search(graph_.predecessors(task), other); }

  /// Returns the task whose start it was: of tasks that meet the last one's.
  TaskId back_through_body(const PathStep& step) {
    const TaskTimes& seen = times(step.task);
    path_.back_to(seen.ended, PathCause::kPublish, step.task, seen.core);
    if (const auto meeting = meetings_.find(graph_.traits(step.task).co_resident); meeting != meetings_.end())
      return back_through_meeting(step, meeting->second);
    const std::span<const Occupancy> blocks = placed_blocks(step.task);
    if (blocks.empty()) {
      back_to_start(step, seen.started, is_seen_whole(step.task));
      return step.task;
    }
    const Occupancy& block = *std::ranges::max_element(blocks, {}, &Occupancy::ended);
    back_to_start(step, block.started, true);
    back_through_earlier(block);
    return step.task;
  }

  /// Bodies of tasks that meet begin with the last block of them all: from there on the path is at that one's task.
  TaskId back_through_meeting(const PathStep& step, std::span<const TaskId> tasks) {
    const auto there = [this](TaskId task) {
      const std::span<const Occupancy> blocks = placed_blocks(task);
      return blocks.empty() ? times(task).started : std::ranges::max(blocks, {}, &Occupancy::started).started;
    };
    TaskId last = step.task;
    TimePoint others{};
    for (const TaskId other : tasks) {
      if (other == last) continue;
      others = std::max(others, std::min(there(other), there(last)));
      if (there(other) > there(last)) last = other;
    }
    back_to_start(step, there(last), true);
    if (others > TimePoint{}) path_.late(others, last);
    visited_[index(last)] = true;
    const std::span<const Occupancy> blocks = placed_blocks(last);
    if (!blocks.empty()) back_through_earlier(*std::ranges::max_element(blocks, {}, &Occupancy::started));
    return last;
  }

  /// Back to the start of the block's task, through what it and earlier blocks had the room of.
  void back_through_earlier(const Occupancy& last) {
    const TaskId task = last.task;
    const TimePoint started = times(task).started;
    for (const Occupancy* block = &last; block->started > started;) {
      const Occupancy* const left = left_for(*block);
      if (left == nullptr || left->task != task) {
        path_.back_to(started, left == nullptr ? PathCause::kWaves : PathCause::kRoom, left == nullptr ? task : left->task);
        return;
      }
      path_.back_to(left->started, PathCause::kWaves, task, left->core);
      block = left;
    }
  }

  /// Its blocks on cores; empty where these were not observed.
  std::span<const Occupancy> placed_blocks(TaskId task) const {
    const std::span<const Occupancy> blocks = blocks_.of(task);
    return blocks.empty() || blocks.front().core == kNoCore ? std::span<const Occupancy>{} : blocks;
  }

  /// When a rank was on its device, with or without room.
  TimePoint came(TaskId rank) const { return is_present(times(rank).received) ? times(rank).received : times(rank).started; }

  /// Back to where the last rank came: what held it held all. Returns that rank. Where nothing of that was seen, back to where the one
  /// before it came, and so on.
  TaskId back_through_collective(TaskId rank) {
    std::vector<TaskId> ranks;
    for (const TaskId other : collectives_[static_cast<std::size_t>(graph_[rank].args[1])]) {
      if (was_seen(times(other))) ranks.push_back(other);
    }
    const TaskId begun = std::ranges::max(ranks, {}, [this](TaskId other) { return times(other).started; });
    path_.back_to(times(begun).started, PathCause::kCollective, rank, times(rank).core);
    std::ranges::stable_sort(ranks, std::greater{}, [this](TaskId other) { return came(other); });
    if (came(ranks.front()) < path_.now()) path_.back_to(came(ranks.front()), PathCause::kRoom, holder(begun, came(ranks.front())));
    for (std::size_t i = 0;; ++i) {
      const TaskId last = ranks[i];
      visited_[index(last)] = true;
      if (i + 1 == ranks.size()) return last;
      path_.late(came(ranks[i + 1]), last);
      if (is_present(times(last).dispatched) || last_before(last).task) return last;
      path_.back_to(came(ranks[i + 1]), PathCause::kSkew, last);
    }
  }

  /// Whether no later blocks hide in its body: of a grid that is larger than the device, where blocks were not observed.
  bool is_seen_whole(TaskId task) const { return static_cast<std::size_t>(graph_.traits(task).blocks) <= timeline_.core_count(); }

  void back_to_start(const PathStep& step, TimePoint started, bool whole) {
    const CoreId core = times(step.task).core;
    const Duration read = reads_.empty() ? Duration{0} : reads_[index(step.task)];
    if (!alone_.empty())
      path_.back_to(started + read + alone_[index(step.task)], whole ? beyond_alone(read) : PathCause::kWaves, step.task, core);
    path_.back_to(started + read, step.body, step.task, core);
    path_.back_to(started, reading_as(step.body), step.task, core);
  }

  /// The block that left the core as this one came; where several did, one of its own task, and where none did just then, the last before.
  const Occupancy* left_for(const Occupancy& block) const {
    const std::vector<std::uint32_t>& leaving = in_order_of_leaving(block.core);
    const auto at = [this](std::uint32_t position) -> const Occupancy& { return blocks_.all()[position]; };
    const Occupancy* left = nullptr;
    for (auto next = std::ranges::upper_bound(leaving, block.started, {}, [&](std::uint32_t position) { return at(position).ended; });
         next != leaving.begin();) {
      const Occupancy& other = at(*--next);
      if (left != nullptr && other.ended < left->ended) break;
      if (other.started < block.started && (left == nullptr || left->task != block.task)) left = &other;
    }
    return left;
  }

  /// The blocks on a core; of those that left at once in the order of their start.
  const std::vector<std::uint32_t>& in_order_of_leaving(CoreId core) const {
    leaving_.resize(timeline_.body_cores().size());
    std::vector<std::uint32_t>& leaving = leaving_[index(core)];
    if (leaving.empty()) {
      const std::span<const std::uint32_t> blocks = blocks_.on(core);
      leaving.assign(blocks.begin(), blocks.end());
      std::ranges::stable_sort(leaving, {}, [this](std::uint32_t position) { return blocks_.all()[position].ended; });
    }
    return leaving;
  }

  /// What had ended last by `time`, of all that ran, if that was after `after`.
  std::optional<TaskId> ended_last(TimePoint after, TimePoint time) const {
    const auto ended = [this](TaskId task) { return times(task).ended; };
    const auto later = std::ranges::upper_bound(by_end_, time, {}, ended);
    if (later == by_end_.begin() || ended(*std::prev(later)) <= after) return std::nullopt;
    return *std::prev(later);
  }

  std::optional<PathStep> before_start(TaskId task) {
    const TaskTimes& seen = times(task);
    const bool kernel = graph_[task].operation == Operation::kKernel;
    const Before before = last_before(task);
    const TimePoint earliest = std::max(before.time, launched(task));
    const auto engine = same_engine_before(task);
    if (engine && times(*engine).ended > earliest) {
      path_.back_to(times(*engine).ended, PathCause::kStart, task, seen.core);
      return PathStep{*engine, PathCause::kCopyEngine};
    }
    if (is_present(seen.received)) {
      if (const Duration prologue = graph_.traits(task).prologue; ahead_ && prologue > Duration{0})
        path_.back_to(std::max(seen.received, path_.now() - prologue), PathCause::kStart, task, seen.core);
      if (seen.received < path_.now()) path_.back_to(seen.received, PathCause::kRoom, holder(task, seen.received));
    } else if (kernel) {
      const std::span<const Occupancy> blocks = placed_blocks(task);
      const Occupancy* const left = blocks.empty() ? nullptr : left_for(first(blocks));
      if (left != nullptr && left->task != task && left->ended > earliest) path_.back_to(earliest, PathCause::kRoom, left->task);
    }
    if (const auto head = queues_.behind(task, path_.now(), before.time)) path_.back_to(earliest, PathCause::kHardwareQueue, *head);
    if (!before.task || launched(task) > before.time) return program_ != nullptr ? before_call(task) : before_launch(task);
    path_.back_to(before.time, before.gap, task, seen.core);
    return PathStep{*before.task, needs(task, *before.task) ? PathCause::kBody : PathCause::kStream};
  }

  /// What lies between the end of what a task needs and its coming.
  PathCause news(TaskId from, TaskId to) const {
    return timeline_.crosses_devices(from, to) ? PathCause::kTransfer : PathCause::kNotification;
  }

  static const Occupancy& first(std::span<const Occupancy> blocks) { return *std::ranges::min_element(blocks, {}, &Occupancy::started); }

  /// The task that had the room that the kernel waited for from `since` on.
  TaskId holder(TaskId task, TimePoint since) const {
    const std::span<const Occupancy> blocks = placed_blocks(task);
    if (!blocks.empty()) {
      const Occupancy* const left = left_for(first(blocks));
      if (left != nullptr && left->task != task && left->ended > since) return left->task;
    }
    return ended_last(since, times(task).started).value_or(task);
  }

  /// Within a graph the device hands copies and host functions on by itself.
  TimePoint launched(TaskId task) const {
    if (in_graph_ && graph_[task].operation != Operation::kKernel && graph_.in_degree(task) > 0) return TimePoint{};
    const TimePoint dispatched = times(task).dispatched;
    return is_present(dispatched) ? std::min(dispatched, times(task).started) : TimePoint{};
  }

  /// What ended last of its predecessors, of its stream, and of its communicator.
  struct Before {
    std::optional<TaskId> task;
    TimePoint time{};
    PathCause gap{};
  };
  Before last_before(TaskId task) const {
    Before last;
    const auto consider = [&](TaskId other, PathCause gap) {
      if (!was_seen(times(other)) || times(other).ended > times(task).started) return;
      if (!last.task || times(other).ended > last.time) last = {other, times(other).ended, gap};
    };
    for (const TaskId predecessor : graph_.predecessors(task)) consider(predecessor, news(predecessor, task));
    if (const auto before = queues_.before_in_stream(task)) consider(*before, PathCause::kStart);
    for_collectives_of_its_group(task, [&](TaskId other) { consider(other, PathCause::kNotification); });
    return last;
  }

  /// The ranks on its device of the other collectives of a rank's group, which has one communicator (models/program/stream_plan.hpp).
  template <class Visit>
  void for_collectives_of_its_group(TaskId rank, Visit visit) const {
    if (!is_collective(graph_[rank].operation)) return;
    const auto device = [this](TaskId other) { return graph_[other].device; };
    const std::vector<TaskId>& own = collectives_[static_cast<std::size_t>(graph_[rank].args[1])];
    const auto place = std::ranges::find(own, rank) - own.begin();
    for (const std::vector<TaskId>& ranks : collectives_) {
      if (&ranks != &own && std::ranges::equal(ranks, own, {}, device, device)) visit(ranks[static_cast<std::size_t>(place)]);
    }
  }

  /// The transfer of the same kind that ended last before this one started.
  std::optional<TaskId> same_engine_before(TaskId task) const {
    const auto transfers = transfers_.find(graph_[task].operation);
    if (transfers == transfers_.end()) return std::nullopt;
    const std::vector<TaskId>& by_end = transfers->second;
    auto later = std::ranges::upper_bound(by_end, times(task).started, {}, [this](TaskId other) { return times(other).ended; });
    if (later != by_end.begin() && *std::prev(later) == task) --later;
    return later == by_end.begin() ? std::nullopt : std::optional(*std::prev(later));
  }

  void find_calls() {
    turns_ = host_turns(*program_, timeline_.host_steps);
    if (turns_.any()) {
      lent_ = with_lent_ranges(*program_, turns_);
      program_ = &lent_;
    }
    steps_.resize(program_->threads.size());
    call_of_.resize(timeline_.tasks.size());
    for (const HostStep& step : timeline_.host_steps) {
      const HostCall& call = program_->threads[step.thread].calls[step.call];
      for (std::uint32_t i = 0; i < call.tasks; ++i) call_of_[index(call.first) + i] = {step.thread, step.call};
      steps_[step.thread].push_back(&step);
    }
  }

  void find_launches(const HostProgram* program) {
    if (program != nullptr) {
      shares_ = host_shares(*program, timeline_.tasks.size());
      names_.resize(timeline_.tasks.size());
      for (const auto& at : program->order) {
        const HostCall& call = program->call(at);
        if (call.kind == HostCallKind::kLaunch && call.tasks > 0 && !call.graph) names_[index(call.first)] = call.name;
      }
    }
    for (std::size_t i = 0; i < timeline_.tasks.size(); ++i) {
      if (is_present(timeline_.tasks[i].dispatched)) by_launch_.push_back(task_id(i));
    }
    std::ranges::stable_sort(by_launch_, {}, [this](TaskId task) { return times(task).dispatched; });
  }

  /// When the call began that launched the task.
  TimePoint call_began(TaskId task) const { return times(task).dispatched - shares_[index(task)].launch.value_or(Duration{0}); }

  /// Back through the launches of a time in which the host was busy, each with what a captured program's host does before it: its own time,
  /// and calls.
  void back_through_launches(const Span& busy) {
    auto next = std::ranges::upper_bound(by_launch_, path_.now(), {}, [this](TaskId task) { return times(task).dispatched; });
    const bool under_way = shares_.empty() ? path_.now() < busy.end : next != by_launch_.end() && call_began(*next) < path_.now();
    if (next != by_launch_.end() && under_way) ++next;  // its task started before the call was over
    while (next != by_launch_.begin() && path_.now() > busy.begin) {
      const TaskId task = *--next;
      if (times(task).dispatched < busy.begin) return;
      path_.back_to(times(task).dispatched, of_design_, task);
      if (shares_.empty()) {
        const TimePoint before = next == by_launch_.begin() ? busy.begin : times(*std::prev(next)).dispatched;
        path_.back_to(std::max(busy.begin, before), is_allocation(graph_[task].operation) ? PathCause::kHostCall : of_design_, task);
        continue;
      }
      const HostShare& share = shares_[index(task)];
      const TimePoint at = std::max(busy.begin, call_began(task));
      path_.back_to(at, PathCause::kHostCall, task, kNoCore, names_[index(task)]);
      back_through_own(std::max(busy.begin, at - share.own), share.within, share.ranges, task);
    }
  }

  /// Back to `begin` through own time of the host, of which calls and the program's ranges have these parts.
  void back_through_own(TimePoint begin, std::span<const NamedTime> within, std::span<const NamedTime> ranges, TaskId task) {
    for (const NamedTime& one : within)
      path_.back_to(std::max(begin, path_.now() - one.time), PathCause::kHostCall, task, kNoCore, one.name);
    for (const NamedTime& one : ranges)
      path_.back_to(std::max(begin, path_.now() - one.time), PathCause::kHostOwn, task, kNoCore, one.name);
    path_.back_to(begin, PathCause::kHostOwn, task);
  }

  /// Back through the thread that launched the task: its calls, what they waited for, and its own time.
  std::optional<PathStep> before_call(TaskId task) {
    path_.back_to(launched(task), PathCause::kLaunch, task);
    auto [thread, launching] = call_of_[index(task)];
    for (std::size_t number = launching + 1; number-- > 0 && path_.now() > begin_;) {
      const HostStep& step = *steps_[thread][number];
      const HostCall& call = program_->threads[thread].calls[step.call];
      path_.back_to(step.waited, is_sync(call.kind) ? PathCause::kHostSync : PathCause::kHostCall, task, kNoCore, call.name);
      if (step.waited > step.began && path_.now() > step.began) {
        const auto until = ended_last(step.began, path_.now());
        if (until && needs(task, *until)) {
          path_.back_to(times(*until).ended, PathCause::kHostSync, *until, kNoCore, call.name);
          return PathStep{*until};
        }
        back_to_blocked(step.began, until.value_or(task), PathCause::kHostSync, call.name);
      }
      path_.back_to(step.began, PathCause::kHostCall, task, kNoCore, call.name);
      const std::optional<HostTurn>& turn = turns_.of_call[thread][step.call];
      back_through_own(step.own + (turn ? turn->waited : Duration{0}), call.within, call.ranges, task);
      if (!turn) continue;
      thread = turn->thread;  // which it waited for
      number = turn->last + 1;
    }
    return std::nullopt;
  }

  /// Back through the host's work, and what it was blocked by.
  std::optional<PathStep> before_launch(TaskId task) {
    path_.back_to(launched(task), PathCause::kLaunch, task);
    const std::span<const Span> busy = timeline_.dispatchers.empty() ? std::span<const Span>{} : timeline_.dispatchers.front();
    auto next = std::ranges::lower_bound(busy, path_.now(), {}, &Span::begin);
    while (next != busy.begin() && path_.now() > begin_) {
      const Span& span = *--next;
      if (span.end < path_.now()) {
        const auto until = ended_last(span.end, path_.now());
        if (until && needs(task, *until)) {
          path_.back_to(times(*until).ended, news(*until, task), task);
          return PathStep{*until};
        }
        back_to_blocked(span.end, until.value_or(task));
      }
      back_through_launches(span);
      path_.back_to(span.begin, of_design_, task);
    }
    return std::nullopt;
  }

  /// The host was blocked since then, and continued when `last` had ended: by what preceded it in its stream while that ran.
  void back_to_blocked(TimePoint since, TaskId last, PathCause cause = PathCause::kHostBlocked, std::uint32_t call = 0) {
    TaskId holder = last;
    while (path_.now() > std::max(since, begin_)) {
      path_.back_to(std::max(since, times(holder).started), cause, holder, kNoCore, call);
      const std::optional<TaskId> before = queues_.before_in_stream(holder);
      if (!before) break;
      holder = *before;
    }
    path_.back_to(since, cause, last, kNoCore, call);
  }

  const TaskGraph& graph_;
  const Timeline& timeline_;
  std::span<const Duration> alone_;
  std::span<const Duration> reads_;
  const HostProgram* program_;  ///< null where the timeline does not say what its host did
  bool in_graph_;
  bool ahead_;                                    ///< kernels with a prologue begin behind it
  PathCause of_design_;                           ///< the host in calls that the design makes
  std::vector<std::vector<TaskId>> collectives_;  ///< by number: their ranks
  std::map<int, std::vector<TaskId>> meetings_;   ///< by TaskTraits::co_resident: tasks that were seen
  OccupancyIndex blocks_;
  KernelQueues queues_;
  std::vector<bool> visited_;                                ///< by TaskId
  std::vector<TaskId> by_end_;                               ///< all that ran
  std::map<Operation, std::vector<TaskId>> transfers_;       ///< those of by_end_ that are transfers, by kind
  mutable std::vector<std::vector<std::uint32_t>> leaving_;  ///< by CoreId: in_order_of_leaving(), where it was asked for
  TimePoint begin_;                                          ///< of the last run of the graph
  HostTurns turns_;
  HostProgram lent_;                                              ///< the program, where its threads wait for each other
  std::vector<std::vector<const HostStep*>> steps_;               ///< by thread of the program, and call
  std::vector<std::pair<std::uint32_t, std::uint32_t>> call_of_;  ///< by TaskId: thread and call
  std::vector<HostShare> shares_;                                 ///< by TaskId: of a program that is launched another way; else empty
  std::vector<std::uint32_t> names_;                              ///< likewise: of the call that launched it; 0 for a graph's nodes
  std::vector<TaskId> by_launch_;                                 ///< likewise all that were launched, in that order
  PathBuilder path_;
};

}  // namespace

ObservedPath kernel_path(const TaskGraph& graph, const Design& design, const Timeline& timeline, std::span<const Duration> alone,
                         std::span<const Duration> reads, const HostProgram* program) {
  return KernelWalk(graph, design, timeline, alone, reads, program).take();
}

}  // namespace tasktwin
