#include <algorithm>

#include "models/cost/body_cost.hpp"
#include "models/cost/footprint.hpp"
#include "models/rules/pages.hpp"
#include "verify/calibration/bodies/simulated_steps.hpp"
#include "verify/calibration/probes/decode_probes.hpp"
#include "verify/calibration/probes/kernel_phases.hpp"

namespace tasktwin::verify {

/// A time of its own, independent of its neighbours; longer where its weights come from memory, as those of each layer do but once a run.
CalibratedKernel calibrate_norms(Probes& probes, const Machine& known) {
  constexpr int kFewLayers = 4;
  KernelPhases phases;
  const BodyProbe probe = norm_probe(kFewLayers, 96);
  const BodyTimes seen = measure_bodies(probes, known, probe);
  const BodyProbe from_memory = behind_keys_and_values(norm_probe(kDecodeLayers, 2 * kDecodeLayers));
  const BodyTimes uncached_ones = measure_bodies(probes, known, from_memory);
  phases.add(seen, measure_publishing(probes, known, probe));
  phases.add_cold(uncached_ones);
  phases.add_launched(probes, known, probe, seen.warm);
  Fit<Line> steps;
  const auto observe = [&steps](const BodyProbe& of, double warm) {
    steps.observe({.intercept = 1, .slope = static_cast<double>(reading_steps(of.tasks.front(), of.problem))}, warm);
  };
  observe(probe, seen.warm);
  for (const int hidden : {1024, 3072, 4096}) {
    const BodyProbe other = norm_width_probe(hidden);
    observe(other, measure_bodies(probes, known, other).warm);
  }
  const Line<Estimate> found = steps.solve();
  KernelCost cost{.overhead = Nanoseconds{found.intercept}, .step = Nanoseconds{found.slope}};
  cost.uncached = Nanoseconds{uncached_ones.warm - seen.warm};
  return {Kernel::kRmsNorm, phases.in(cost), "started to ended of bodies one after the other, of states of 1024 to 4096, least squares"};
}

namespace {

/// Bodies that read little take as long as their latencies: what the two smallest have in common is overhead.
void set_floor(KernelCost& cost) {
  std::ranges::sort(cost.arithmetic, {}, &KernelCost::Point::flops);
  const KernelCost::Point& least = cost.arithmetic[0];
  const KernelCost::Point& next = cost.arithmetic[1];
  const double floor = std::clamp(least.ns - least.flops * (next.ns - least.ns) / (next.flops - least.flops), 0.0, least.ns);
  cost.overhead = Nanoseconds{floor};
  for (KernelCost::Point& point : cost.arithmetic) point.ns = std::max(0.0, point.ns - floor);
}

void set_spread(KernelCost& cost, const Fit<Line>& spreads) {
  const Line<Estimate> found = spreads.solve();
  cost.spread = Nanoseconds{found.intercept};
  cost.varies = found.slope;
}

}  // namespace

/// By their size: they are bound by arithmetic and latencies, in no straight line.
CalibratedKernel calibrate_merges(Probes& probes, const Machine& known) {
  KernelCost cost{.pass = kWholeCoreThreads};
  KernelPhases phases;
  Fit<Line> spreads;
  for (const int slices : {4, 16, 64}) {
    const BodyProbe probe = merge_probe(slices);
    const BodyTimes seen = measure_bodies(probes, known, probe);
    cost.arithmetic.push_back({static_cast<double>(probe.tasks.front().cost.flops.count), seen.warm});
    spreads.observe({.intercept = 1, .slope = seen.warm}, seen.spread);
    phases.add(seen, measure_publishing(probes, known, probe));
    phases.add_launched(probes, known, probe, seen.warm);
    phases.add_cold(measure_bodies(probes, known, uncached(probe)));
  }
  set_floor(cost);
  set_spread(cost, spreads);
  return {Kernel::kAttentionMerge, phases.in(cost), "bodies over 4 to 64 slices in waves of 8, mean; pass: threads of a body"};
}

/// Likewise; longer where keys and values come from memory. Of what first bodies took longer the least is their code's: those of some sizes
/// wait for something else as well (on six H200s up to 6 or 8 us with 64, 8 or 4 slices, 2.9 to 3.7 with 32; in decode steps, where what
/// they read is as new to the bodies of every layer, code takes 1.9 to 2.3).
CalibratedKernel calibrate_attention(Probes& probes, const Machine& known) {
  KernelCost cost{.pass = rules::kPassHeads};
  KernelPhases phases;
  Fit<Line> spreads;
  std::vector<double> colds;
  for (const int slices : {64, 32, 8, 4}) {
    const BodyProbe probe = cached_attention_probe(slices);
    const BodyTimes seen = measure_bodies(probes, known, probe);
    const BodyProbe from_memory = attention_probe(slices);
    const BodyTimes uncached_ones = measure_bodies(probes, known, from_memory);
    cost.arithmetic.push_back({.flops = static_cast<double>(probe.tasks.front().cost.flops.count),
                               .ns = seen.warm,
                               .uncached_ns = std::max(0.0, uncached_ones.warm - seen.warm)});
    colds.push_back(seen.cold);
    spreads.observe({.intercept = 1, .slope = seen.warm}, seen.spread);
    phases.add(seen, measure_publishing(probes, known, probe));
    phases.add_cold(uncached_ones);
    if (slices != 32) continue;  // what is the same for all sizes is measured on one
    phases.add_launched(probes, known, from_memory, uncached_ones.warm);
  }
  set_floor(cost);
  set_spread(cost, spreads);
  cost = phases.in(cost);
  cost.cold = Nanoseconds{std::ranges::min(colds)};
  return {Kernel::kAttention, cost,
          "bodies over 64 to 1024 positions in waves of 128, their keys and values cached and not, mean; of first ones the least; pass: "
          "query heads of one"};
}

}  // namespace tasktwin::verify
