#include "verify/calibration/probes/readings.hpp"

#include <algorithm>

#include "models/cost/body_cost.hpp"
#include "verify/calibration/probes/decode_probes.hpp"

namespace tasktwin::verify {

namespace {

/// The first of them in waves of `width`.
BodyProbe narrower(BodyProbe probe, int width) {
  constexpr std::size_t kBodies = 144;
  probe.tasks.resize(std::min(probe.tasks.size(), kBodies));
  probe.width = width;
  return probe;
}

}  // namespace

Readings read(Probes& probes, const Machine& known, const std::vector<BodyProbe>& sizes, const std::vector<int>& widths) {
  Readings readings;
  const auto keep = [&readings](const BodyProbe& probe, const BodyTimes& seen) {
    readings.probes.push_back(probe);
    readings.warm.push_back(seen.warm);
  };
  for (const BodyProbe& probe : sizes) {
    for (const int width : widths) {
      const BodyProbe few = narrower(probe, width);
      const BodyTimes seen = measure_bodies(probes, known, few);
      keep(few, seen);
      readings.phases.add_cold(seen);
    }
    const BodyTimes together = measure_bodies(probes, known, probe);
    keep(probe, together);
    readings.spreads.observe({.intercept = 1, .slope = together.warm}, together.spread);
    readings.phases.add(together, measure_publishing(probes, known, probe));
  }
  return readings;
}

void read_lengths(Probes& probes, const Machine& known, const std::vector<BodyProbe>& lengths, Readings& readings) {
  constexpr int kFew = 16;
  for (const BodyProbe& length : lengths) {
    for (const BodyProbe& probe : {narrower(length, kFew), length}) {
      readings.warm.push_back(measure_bodies(probes, known, probe).warm);
      readings.probes.push_back(probe);
    }
  }
}

ReadSteps<Estimate> Readings::steps() const {
  Fit<ReadSteps> fit;
  for (std::size_t i = 0; i < probes.size(); ++i) {
    const Task& task = probes[i].tasks.front();
    const auto bytes = static_cast<double>(task.cost.bytes.count);
    const bool few = probes[i].width < kWaveWidth / 2;
    fit.observe({.overhead = 1,
                 .byte_of_few = few ? bytes : 0.0,
                 .byte_of_all = few ? 0.0 : bytes,
                 .row = static_cast<double>(matrix_rows(task)),
                 .step = static_cast<double>(reading_steps(task, probes[i].problem))},
                warm[i]);
  }
  return fit.solve();
}

std::vector<TaskGraph> graphs_of(const std::vector<BodyProbe>& probes) {
  std::vector<TaskGraph> graphs;
  for (const BodyProbe& probe : probes) graphs.push_back(graph_of(probe));
  return graphs;
}

void add_targets(const Readings& readings, const std::vector<TaskGraph>& graphs, std::vector<Target>& targets) {
  for (std::size_t i = 0; i < graphs.size(); ++i) {
    targets.push_back(
        {[&graph = graphs[i], &probe = readings.probes[i]](const Machine& now) { return simulate_bodies(now, graph, probe).warm; },
         readings.warm[i]});
  }
}

}  // namespace tasktwin::verify
