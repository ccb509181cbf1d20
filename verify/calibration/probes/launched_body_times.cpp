#include "models/runtimes/runtimes.hpp"
#include "verify/calibration/probes/body_times.hpp"

#include <algorithm>

namespace tasktwin::verify {

namespace {

constexpr int kLaunchedRepeats = 3;

}  // namespace

double measure_launched(Probes& probes, const mechanism::LaunchedKernels& kernels, const BodyProbe& probe, double warm) {
  const TaskGraph graph = graph_of(probe);
  const Timeline timeline =
      probes.run("launching " + std::string(kernel_of(probe)), graph, named_design("cuda-graph"), kLaunchedRepeats).timeline;
  const double longer = warm_time(timeline, own_tasks(graph, probe)) - warm - kernels.body.count();
  keep_body_sample(probes, probe, "; in a graph, longer by", longer);
  return std::max(0.0, longer);
}

}  // namespace tasktwin::verify
