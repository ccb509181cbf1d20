#include <cmath>

#include "verify/calibration/calibration.hpp"
#include "verify/calibration/fit.hpp"
#include "verify/calibration/micro_graphs.hpp"

namespace tasktwin::verify {

using namespace std::chrono_literals;

void calibrate_control_cores(Calibration& calibration) {
  const Design design = named_design("central-dispatcher");
  const double lanes = calibration.machine().control_cores.lanes;
  const TaskGraph chain = chain_graph(2000, 1000ns);
  const gpu::Measurement lonely = calibration.run("a dispatcher with little to do", chain, design, 3);

  std::vector<double> sweeps;
  ObservationGroups takings;
  ObservationGroups handings;
  const auto batches = [lanes](int items) { return std::ceil(items / lanes); };
  const auto observe = [&](const gpu::Measurement& measurement) {
    for (const gpu::DispatchRound& round : measurement.dispatch_rounds) {
      sweeps.push_back(static_cast<double>(round.sweep.count()));
      if (round.completions > 0) {
        takings[{batches(round.completions), batches(round.edges), batches(round.released)}].push_back(
            static_cast<double>(round.resolve.count()));
      }
      if (round.handed_over > 0) handings[{1.0, batches(round.handed_over)}].push_back(static_cast<double>(round.hand_over.count()));
    }
  };
  observe(lonely);
  for (const int leaves : {32, 128}) observe(calibration.run("a dispatcher with bursts", stars_graph(40, leaves, 1000ns), design, 1));
  observe(calibration.run("a dispatcher with a stencil", stencil_graph(20, 256, 1000ns), design, 1));
  observe(calibration.run("a saturated dispatcher", independent_graph(5000, spin_task(500ns)), design, 1));

  const double sweep = trimmed_mean(sweeps);
  calibration.set("poll_ns", sweep, "sweeps of dispatcher warps over their cores");
  calibration.set("poll_per_core_ns", 0, "a warp's lanes poll side by side");
  const std::vector<Estimate> taking = fit_constants(group_means(takings));
  calibration.set("complete_ns", taking[0], "dispatcher rounds by 32 completions, 32 edges and 32 tasks made ready, least squares");
  calibration.set("resolve_ns", taking[1], "dispatcher rounds by 32 completions, 32 edges and 32 tasks made ready, least squares");
  calibration.set("enqueue_ns", taking[2], "dispatcher rounds by 32 completions, 32 edges and 32 tasks made ready, least squares");
  const std::vector<Estimate> handing = fit_constants(group_means(handings));
  calibration.set("hand_over_ns", handing[0], "dispatcher rounds by 32 hand-overs, least squares, intercept");
  calibration.set("dispatch_ns", handing[1], "dispatcher rounds by 32 hand-overs, least squares, slope");

  // A completion that becomes visible at a random moment of an idle sweep waits half a sweep, is read by the next, and is
  // then taken in and resolved before its successor counts as ready.
  std::vector<double> waits;
  for (std::size_t i = 1; i < chain.size(); ++i) {
    waits.push_back(static_cast<double>((lonely.timeline.tasks[i].ready - lonely.timeline.tasks[i - 1].published).count()));
  }
  calibration.set("completion_hop_ns", trimmed_mean(waits) - 1.5 * sweep - taking[0] - taking[1] - taking[2],
                  "published to successor ready along a chain, less the dispatcher's own steps");
}

}  // namespace tasktwin::verify
