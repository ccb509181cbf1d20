#include "verify/calibration/body_times.hpp"

#include <algorithm>

#include "sim/simulator.hpp"
#include "verify/calibration/assumed_counts.hpp"
#include "verify/calibration/kernel_launches.hpp"

namespace tasktwin::verify {

namespace {

constexpr int kLaunchedRepeats = 3;
constexpr std::size_t kLanes = assumed::kDynamicParallelism.lanes;

/// Of each wave those bodies that its warp launches last.
std::vector<TaskId> launched_last(const std::vector<TaskId>& own, const BodyProbe& probe) {
  const auto width = static_cast<std::size_t>(probe.width);
  const std::size_t before = (width - 1) / kLanes * kLanes;
  std::vector<TaskId> last;
  for (std::size_t i = 0; i < own.size(); ++i) {
    if (i % width >= before) last.push_back(own[i]);
  }
  return last;
}

}  // namespace

double measure_launched(Probes& probes, const mechanism::LaunchedKernels& kernels, const BodyProbe& probe, double warm,
                        const char* design) {
  const TaskGraph graph = graph_of(probe);
  std::vector<TaskId> own = own_tasks(graph, probe);
  Timeline timeline = probes.run("launching " + std::string(kernel_of(probe)), graph, named_design(design), kLaunchedRepeats).timeline;
  if (named_design(design).driver == Driver::kDynamicParallelism) {  // what any body takes longer then is counted already
    own = launched_last(own, probe);
    const std::vector<Launch> launches = launches_of(graph, timeline);
    const Duration busy = round_ns(kernels.body_busy);
    for (const TaskId task : own) {
      TaskTimes& times = timeline.tasks[index(task)];
      if (launching_at(launches, times.started) > 0) times.ended -= busy;
    }
  }
  const double longer = warm_time(timeline, own) - warm - kernels.body.count();
  keep_body_sample(probes, probe, std::string("; under ") + design + ", longer by", longer);
  return std::max(0.0, longer);
}

namespace {

/// What bodies that a warp launches first take longer than those of their wave that it launches afterwards.
double first_less_rest(const Timeline& timeline, const std::vector<TaskId>& own, std::size_t width) {
  std::vector<double> first;
  std::vector<double> rest;
  for (std::size_t i = width; i < own.size(); ++i) {  // the first wave's code is cold
    const TaskTimes& times = timeline.tasks[index(own[i])];
    (i % width < kLanes ? first : rest).push_back(ns(times.ended - times.started));
  }
  return trimmed_mean(first).value - trimmed_mean(rest).value;
}

}  // namespace

double measure_stall(const Probes& probes, const Machine& known, const BodyProbe& probe) {
  const TaskGraph graph = graph_of(probe);
  const Design design = named_design("dynamic-parallelism");
  const std::vector<TaskId> own = own_tasks(graph, probe);
  const auto width = static_cast<std::size_t>(probe.width);
  return first_less_rest(probes.run("launches beside bodies", graph, design, kBodyRepeats).timeline, own, width) -
         first_less_rest(sim::simulate(graph, known, design).timeline, own, width);
}

}  // namespace tasktwin::verify
