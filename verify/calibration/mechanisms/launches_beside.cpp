#include "verify/calibration/mechanisms/launches_beside.hpp"

#include <fmt/format.h>

#include "verify/calibration/probes/kernel_launches.hpp"
#include "verify/calibration/probes/micro_graphs.hpp"

namespace tasktwin::verify {

using mechanism::DynamicParallelism;

namespace {

using namespace std::chrono_literals;

/// By how much longer launches of one kernel took than alone, by how many other warps were launching when they began.
void observe(const TaskGraph& graph, const Timeline& timeline, double alone, Groups<Slope>& longer) {
  const std::vector<Launch> all = launches_of(graph, timeline);
  for (const Launch& launch : all) {
    const std::int64_t others = launching_at(all, launch.span.begin) - 1;
    if (launch.single && others > 0) longer[{static_cast<double>(others)}].push_back(ns(launch.span.end - launch.span.begin) - alone);
  }
}

}  // namespace

/// Stencils, and chains that do not wait for each other, of that many columns that some or most launches are in flight at a time.
void calibrate_launches_beside(Probes& probes, const Design& design, DeviceLaunches& found) {
  Groups<Slope> longer;
  for (const int columns : {30, 60, 120}) {
    for (const Duration body : {2us, 20us}) {
      for (const TaskGraph& graph : {stencil_behind_one(24, columns, body), predicated_chains_graph(columns, 20, body, 1, body)}) {
        observe(graph, probes.run("blocks that launch kernels", graph, design, 3).timeline, found.launches.launch.count(), longer);
      }
    }
  }
  Fit<Slope> fit;
  for (const auto& [others, mean] : longer.means()) {
    probes.keep_sample(&Machine::dynamic_parallelism, &DynamicParallelism::beside, fmt::format("{} others, longer by", others.slope), mean);
    fit.observe(others, mean);
  }
  found.launches.set(
      &DynamicParallelism::beside, fit.solve().slope,
      "launch begun to launch done in stencils and chains of 30 to 120 columns, by the warps that are launching, least squares, slope");
}

}  // namespace tasktwin::verify
