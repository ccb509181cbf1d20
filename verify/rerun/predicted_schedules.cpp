#include "verify/rerun/predicted_schedules.hpp"

#include <algorithm>

#include "gpu/rerun/order/schedules.hpp"
#include "models/base/error.hpp"
#include "models/graph/graph_copy.hpp"
#include "models/runtimes/runtimes.hpp"
#include "scenarios/load/assemble.hpp"
#include "verify/predict/admission.hpp"
#include "verify/predict/prediction.hpp"

namespace tasktwin::verify {

namespace {

using gpu::rerun::Schedule;

/// Its tasks one behind the other, in the order of issue.
TaskGraph chain_of(const TaskGraph& graph) {
  TaskGraphBuilder builder;
  copy_tasks(builder, graph);
  for (std::size_t i = 1; i < graph.size(); ++i) builder.add_edge(task_id(i - 1), task_id(i));
  return std::move(builder).build();
}

int streams_of(const scenarios::Scenario& scenario) {
  return static_cast<int>(std::clamp<std::uint32_t>(scenario.program->streams, 1, kMaxStreams));
}

Design design_of(const Schedule& schedule, const scenarios::Scenario& scenario) {
  if (schedule.way == Schedule::Way::kChain || schedule.way == Schedule::Way::kGraph) return named_design("cuda-graph");
  Design design = named_design("cuda-streams");
  const bool captured = schedule.way == Schedule::Way::kAsCaptured;
  design.stream_granularity = captured ? StreamGranularity::kHinted : StreamGranularity::kListScheduled;
  design.streams = captured ? streams_of(scenario) : static_cast<int>(schedule.number);
  return design;
}

PredictedSchedule predicted(const Schedule& schedule, const scenarios::Scenario& scenario, const Machine& host) {
  PredictedSchedule made{.schedule = schedule.name()};
  if (schedule.way == Schedule::Way::kCut) {
    made.why_not = "a wrong order is not predicted";
    return made;
  }
  scenarios::Scenario changed = scenario;
  changed.program.reset();  // the host launches, and does nothing else
  changed.machine.host_calls = host.host_calls;
  if (schedule.way == Schedule::Way::kChain) changed.graph = chain_of(scenario.graph);
  const Design design = design_of(schedule, scenario);
  try {
    scenarios::check_runnable(changed.graph, changed.machine, design);
    check_admission(changed, design);
    made.host = predict_makespan(changed, design, changed.seed);
    if (changed.machine.host_calls) made.host += round_ns(changed.machine.host_calls->sync_latency);
  } catch (const InputError& refused) {
    made.why_not = refused.what();
  } catch (const RunError& stands) {
    made.why_not = stands.what();
  }
  return made;
}

}  // namespace

std::vector<PredictedSchedule> predicted_schedules(const scenarios::Scenario& scenario, const Machine& host, const std::string& schedules) {
  std::vector<PredictedSchedule> all;
  for (const Schedule& schedule : gpu::rerun::parse_schedules(schedules)) all.push_back(predicted(schedule, scenario, host));
  return all;
}

}  // namespace tasktwin::verify
