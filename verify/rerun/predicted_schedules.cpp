#include "verify/rerun/predicted_schedules.hpp"

#include <algorithm>

#include "gpu/rerun/order/schedules.hpp"
#include "models/base/error.hpp"
#include "models/cost/rerun.hpp"
#include "models/graph/graph_copy.hpp"
#include "models/runtimes/runtimes.hpp"
#include "scenarios/load/assemble.hpp"
#include "verify/predict/admission.hpp"
#include "verify/predict/prediction.hpp"

namespace tasktwin::verify {

namespace {

using gpu::rerun::Schedule;

/// Its tasks one after the other, in the order of issue.
TaskGraph chain_of(const TaskGraph& graph) {
  TaskGraphBuilder builder;
  copy_tasks(builder, graph);
  for (std::size_t i = 1; i < graph.size(); ++i) builder.add_edge(task_id(i - 1), task_id(i));
  return std::move(builder).build();
}

/// With kernels that hold the device while their blocks run, and no longer: where they wait for each other's room, what a profiler's time
/// has before and after goes on beside the next one.
TaskGraph with_time_of_blocks(const TaskGraph& graph) {
  TaskGraphBuilder builder;
  copy_tasks(builder, graph, [](TaskId /*id*/, Task& task, TaskTraits& traits) {
    if (task.operation == Operation::kKernel) task.cost.time -= std::min(task.cost.time, around_blocks(traits.blocks));
  });
  copy_edges(builder, graph);
  return std::move(builder).build();
}

/// Those of `host` between blocks, which are longer than between a profiler's times of kernels, without what only this project's kernels
/// have. A capture of kernels one by one shows none.
void set_gaps(Machine& machine, const Machine& host) {
  const Nanoseconds own = host.launched_kernels ? host.launched_kernels->around : Nanoseconds{0};
  const auto gap = [own](Nanoseconds of_own_kernels) { return std::max(Nanoseconds{0}, of_own_kernels - own); };
  if (machine.streams && host.streams) {
    machine.streams->gap = gap(host.streams->gap);
    machine.streams->event_gap = gap(host.streams->event_gap);
  }
  if (machine.graph_launch && host.graph_launch) machine.graph_launch->gap = gap(host.graph_launch->gap);
}

/// From the first begin on.
std::vector<std::pair<double, double>> operation_times(const Timeline& timeline) {
  std::vector<std::pair<double, double>> times;
  TimePoint first = TimePoint::max();
  for (const TaskTimes& task : timeline.tasks) {
    if (is_present(task.started)) first = std::min(first, task.started);
  }
  const auto us = [first](TimePoint time) { return static_cast<double>(to_ns(time - first)) / 1e3; };
  for (const TaskTimes& task : timeline.tasks) {
    const bool known = is_present(task.started) && is_present(task.ended);
    times.emplace_back(known ? us(task.started) : -1, known ? us(task.ended) : -1);
  }
  return times;
}

class SchedulePrediction {
 public:
  explicit SchedulePrediction(const SchedulesToPredict& asked) : asked_(asked) {}

  PredictedSchedule of(const Schedule& schedule) const {
    PredictedSchedule made{.schedule = schedule.name()};
    try {
      scenarios::Scenario changed = asked_.scenario;
      changed.program.reset();            // the host launches, and does nothing else
      changed.imported->profiled = true;  // so that kernels take what they took there, and nothing of this project's own
      changed.machine.host_calls = asked_.host.host_calls;
      changed.graph = with_time_of_blocks(graph_of(schedule));
      set_gaps(changed.machine, asked_.host);
      const Design design = design_of(schedule);
      scenarios::check_runnable(changed.graph, changed.machine, design);
      check_admission(changed, design);
      made.host = predict_makespan(changed, design, changed.seed);
      if (asked_.times) made.operations_us = operation_times(predict(changed, design, changed.seed).timeline);
      if (changed.machine.host_calls) made.host += round_ns(changed.machine.host_calls->sync_latency);
    } catch (const InputError& refused) {
      made.why_not = refused.what();
    } catch (const RunError& stands) {
      made.why_not = stands.what();
    }
    return made;
  }

 private:
  TaskGraph graph_of(const Schedule& schedule) const {
    switch (schedule.way) {
      case Schedule::Way::kAsCaptured:
      case Schedule::Way::kGraph:
      case Schedule::Way::kProgrammatic:
        break;
      case Schedule::Way::kChain:
        return chain_of(asked_.scenario.graph);
      case Schedule::Way::kCut:
        throw InputError("a wrong order is not predicted");
      case Schedule::Way::kDependences:
        if (!asked_.needed) throw InputError("what its operations need is not known");
        return *asked_.needed;
      case Schedule::Way::kStreams:
        return asked_.needed ? *asked_.needed : asked_.scenario.graph;
      case Schedule::Way::kPlan:
        return planned_graph(asked_.scenario.graph, plan_of(schedule));
    }
    return asked_.scenario.graph;
  }

  const gpu::rerun::Plan& plan_of(const Schedule& schedule) const {
    if (schedule.number > asked_.plans.size()) throw InputError("there is no such plan");
    return asked_.plans[schedule.number - 1].plan;
  }

  Design design_of(const Schedule& schedule) const {
    const auto streams = [](StreamGranularity granularity, std::size_t count) {
      Design design = named_design("cuda-streams");
      design.stream_granularity = granularity;
      design.streams = static_cast<int>(count);
      return design;
    };
    switch (schedule.way) {
      case Schedule::Way::kAsCaptured:
        return streams(StreamGranularity::kHinted, std::clamp<std::size_t>(asked_.scenario.program->streams, 1, kMaxStreams));
      case Schedule::Way::kStreams:
        return streams(StreamGranularity::kListScheduled, schedule.number);
      case Schedule::Way::kPlan:
        return planned_design(plan_of(schedule));
      case Schedule::Way::kProgrammatic: {
        Design design = named_design("cuda-graph");
        design.programmatic_launch = ProgrammaticLaunch::kOn;
        return design;
      }
      default:
        break;
    }
    return named_design("cuda-graph");
  }

  const SchedulesToPredict& asked_;
};

}  // namespace

std::vector<PredictedSchedule> predicted_schedules(const SchedulesToPredict& asked) {
  const SchedulePrediction prediction(asked);
  std::vector<PredictedSchedule> all;
  for (const Schedule& schedule : gpu::rerun::parse_schedules(asked.schedules)) all.push_back(prediction.of(schedule));
  return all;
}

}  // namespace tasktwin::verify
