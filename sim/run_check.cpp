#include "sim/run_check.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "models/base/internal_error.hpp"
#include "models/cost/body_cost.hpp"
#include "models/runtimes/runtimes.hpp"
#include "sim/cores/core.hpp"

namespace tasktwin::sim {

namespace {

class RunCheck {
 public:
  RunCheck(const TaskGraph& graph, const Machine& machine, const Design& design, std::uint64_t seed, const Timeline& timeline)
      : graph_(graph),
        machine_(machine),
        design_(design),
        seed_(seed),
        tasks_(timeline.tasks),
        kernels_(!runtime_of(design).resident()),
        // Under dynamic parallelism a task is published only when those that it made ready are launched.
        publishes_(!runtime_of(design).of_host() && runtime_of(design).id != RuntimeId::kDynamicParallelism),
        batch_(runtime_of(design).fetching() ? PublishCost::kRowsAtHand * static_cast<std::size_t>(machine.resident_cores->lanes) : 0) {}

  void tasks() const {
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      const TaskTimes& times = tasks_[i];
      if (!all_in_order(task_id(i), times) && (is_present(times.started) || is_present(times.ended))) one(task_id(i), times);
    }
  }

  void whole(const Timeline& timeline) const {
    const TimePoint end = TimePoint{} + timeline.makespan();
    if (timeline.makespan() < Duration{0}) fail("the makespan is " + ns(end));
    if (is_present(timeline.stopped) && timeline.stopped < end) fail("workers stop at " + ns(timeline.stopped) + before_end(end));
    if (is_present(timeline.seen) && timeline.seen < end) fail("the last completion is seen at " + ns(timeline.seen) + before_end(end));
    for (const BlockTimes& block : timeline.blocks) {
      if (!is_present(block.started)) continue;
      if (block.started < TimePoint{} || block.ended < block.started)
        fail("a block of " + named(block.task) + " runs from " + ns(block.started) + " to " + ns(block.ended));
    }
  }

 private:
  /// More than one() asks of it, in less time: of most tasks every phase is known.
  bool all_in_order(TaskId task, const TaskTimes& times) const {
    TimePoint before{};  // nothing of the task is before it
    for (const TaskId predecessor : graph_.predecessors(task))
      before = std::max({before, tasks_[index(predecessor)].ended, tasks_[index(predecessor)].published});
    return before <= times.ready && times.ready <= times.started && TimePoint{} <= times.dispatched && times.dispatched <= times.received &&
           times.received <= times.started && times.started <= times.ended && times.ended <= times.published;
  }

  void one(TaskId task, const TaskTimes& times) const {
    if (times.started < TimePoint{} || times.ended < times.started) out_of_order(task, "starts", times.started, "ends", times.ended);
    for (const TimePoint phase : {times.ready, times.dispatched, times.received}) {
      if (phase < TimePoint{} && is_present(phase)) fail(named(task) + " has a phase at " + ns(phase));
    }
    if (!kernels_) {
      if (is_present(times.published) && times.published < times.ended)
        out_of_order(task, "ends", times.ended, "is published", times.published);
      if (times.ready > times.started) out_of_order(task, "is ready", times.ready, "starts", times.started);
      if (times.dispatched > times.started) out_of_order(task, "is handed over", times.dispatched, "starts", times.started);
      // Of a task on several cores the first may have its part before the last has been handed over.
      const bool received = times.dispatched <= times.received && times.received <= times.started;
      if (!received && is_present(times.received) && width(graph_, machine_, task) == 1)
        fail(named(task) + " is handed over at " + ns(times.dispatched) + ", received at " + ns(times.received) + " and starts at " +
             ns(times.started));
    }
    for (const TaskId before : graph_.predecessors(task)) {
      const TaskTimes& predecessor = tasks_[index(before)];
      if (predecessor.ended > times.started)
        broken(before, task, "starts at " + ns(times.started) + ", before that has ended at " + ns(predecessor.ended));
      if (publishes_ && predecessor.published > times.ready && !in_batches(before))
        broken(before, task,
               "is ready at " + ns(times.ready) + ", before the completion of that is written at " + ns(predecessor.published));
      if (!kernels_ && predecessor.ended > times.ready)
        broken(before, task, "is ready at " + ns(times.ready) + ", before that has ended at " + ns(predecessor.ended));
    }
  }

  /// Whether a worker tells successors in several batches, the first of which are ready before it has told all.
  bool in_batches(TaskId task) const { return batch_ > 0 && graph_.out_degree(task) > batch_; }

  static std::string ns(TimePoint time) { return is_present(time) ? std::to_string(to_ns(time)) + " ns" : "no time"; }
  static std::string before_end(TimePoint end) { return ", before the last task's end at " + ns(end); }
  std::string named(TaskId task) const { return "task '" + std::string(graph_.name(task)) + "'"; }

  [[noreturn]] void out_of_order(TaskId task, std::string_view first, TimePoint at, std::string_view then, TimePoint later) const {
    fail(named(task) + " " + std::string(first) + " at " + ns(at) + " and " + std::string(then) + " at " + ns(later));
  }
  [[noreturn]] void broken(TaskId before, TaskId task, const std::string& how) const {
    fail("the edge from " + named(before) + " is broken: " + named(task) + " " + how);
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw InternalError("design '" + design_.name + "', seed " + std::to_string(seed_) + ": " + what);
  }

  const TaskGraph& graph_;
  const Machine& machine_;
  const Design& design_;
  std::uint64_t seed_;
  const std::vector<TaskTimes>& tasks_;
  bool kernels_;
  bool publishes_;
  std::size_t batch_;  ///< successors that a worker tells together; 0 where none tells them
};

}  // namespace

void check_run(const TaskGraph& graph, const Machine& machine, const Design& design, std::uint64_t seed, const Timeline& timeline) {
  const RunCheck check(graph, machine, design, seed, timeline);
  check.tasks();
  check.whole(timeline);
}

}  // namespace tasktwin::sim
