#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "models/row_head.hpp"
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
  std::vector<double> leaves_taken;  // rounds that find completions, none of which has successors
  std::vector<double> heads_told;    // rounds with one completion of one to four successors, none of which becomes ready
  ObservationGroups rows_told;       // and of more, by rounds of lanes behind the first four
  ObservationGroups bursts;          // rounds with one completion of many successors, all of which do
  std::vector<double> passed_on;     // one task, made ready in the same round
  ObservationGroups claimed;         // rounds that hand over what waited in the queue, by how many
  const auto batches = [lanes](double items) { return std::ceil(items / lanes); };
  const auto observe = [&](const gpu::Measurement& measurement) {
    for (const gpu::DispatchRound& round : measurement.dispatch_rounds) {
      const auto resolving = static_cast<double>(round.resolve.count());
      const auto handing = static_cast<double>(round.hand_over.count());
      sweeps.push_back(static_cast<double>(round.sweep.count()));
      if (round.completions > 0 && round.edges == 0) leaves_taken.push_back(resolving);
      if (round.completions == 1 && round.edges >= 1 && round.edges <= kRowHead && round.released == 0) heads_told.push_back(resolving);
      if (round.completions == 1 && round.edges > kRowHead && round.released == 0)
        rows_told[{batches(round.edges - kRowHead)}].push_back(resolving);
      if (round.completions == 1 && round.edges > kRowHead && round.released == round.edges)
        bursts[{batches(round.edges - kRowHead), batches(round.released)}].push_back(resolving);
      if (round.handed_over > round.released) claimed[{1.0, batches(round.handed_over)}].push_back(handing);
    }
  };
  for (const gpu::DispatchRound& round : lonely.dispatch_rounds) {
    sweeps.push_back(static_cast<double>(round.sweep.count()));
    if (round.completions == 1 && round.edges == 1 && round.handed_over == 1)
      passed_on.push_back(static_cast<double>(round.hand_over.count()));
  }
  for (const int leaves : {32, 128}) observe(calibration.run("a dispatcher with bursts", stars_graph(40, leaves, 1000ns), design, 1));
  observe(calibration.run("a dispatcher with layers", layered_graph({20, 60, 3, 1000ns, 3000ns, 11}), design, 1));
  observe(calibration.run("a dispatcher with dense layers", layered_graph({12, 90, 40, 3000ns, 6000ns, 12}), design, 1));
  observe(calibration.run("a saturated dispatcher", independent_graph(5000, spin_task(500ns)), design, 1));

  const double sweep = trimmed_mean(sweeps);
  calibration.set("poll_ns", sweep, "sweeps of dispatcher warps over their cores");
  calibration.set("poll_per_core_ns", 0, "a warp's lanes poll side by side");
  const Estimate complete = mean_or_zero(leaves_taken);
  calibration.set("complete_ns", complete, "dispatcher rounds that find completions without successors, up to 32 side by side");
  const double told = mean_or_zero(heads_told);
  std::vector<double> resolves;
  for (const Observation& rows : group_means(rows_told)) {
    calibration.keep_sample("resolve_ns", fmt::format("one completion, {} rounds of successors behind the first four", rows.weights[0]),
                            rows.value);
    resolves.push_back((rows.value - told) / rows.weights[0]);
  }
  const double resolve = std::max(0.0, mean_or_zero(resolves).value);
  calibration.set("resolve_ns", resolve,
                  "dispatcher rounds with one completion of more than 4 successors that wait for others, less those of 1 to 4");
  std::vector<double> enqueues;
  for (const Observation& burst : group_means(bursts))
    enqueues.push_back((burst.value - told - burst.weights[0] * resolve) / burst.weights[1]);
  calibration.set("enqueue_ns", mean_or_zero(enqueues),
                  "dispatcher rounds with one completion that makes 32 or 128 tasks ready, less the other steps");
  const double once = mean_or_zero(passed_on);
  const std::vector<Estimate> claiming = fit_constants(group_means(claimed));
  const double each = claiming.empty() ? 0.0 : claiming[1].value;
  calibration.set("dispatch_ns", each, "dispatcher rounds that hand over from the queue, by 32 tasks, least squares, slope");
  calibration.set("hand_over_ns", once - each, "dispatcher rounds that hand over one task past the queue, less dispatch_ns");
  calibration.set("claim_ns", (claiming.empty() ? 0.0 : claiming[0].value) - (once - each),
                  "dispatcher rounds that hand over from the queue, least squares, intercept, less hand_over_ns");

  std::vector<double> spawns;  // rounds with one completion that makes spawned tasks known
  for (const int children : {2, 8}) {
    const gpu::Measurement tree = calibration.run("a dispatcher with spawned tasks", spawning_graph(300, children, 2us), design, 1);
    for (const gpu::DispatchRound& round : tree.dispatch_rounds) {
      if (round.completions == 1 && round.released == children)
        spawns.push_back(static_cast<double>(round.resolve.count()) - complete - calibration.get("enqueue_ns"));
    }
  }
  constexpr double kLeastSpawn = 50;  // so that refinement can move it
  calibration.set("control_spawn_ns", std::max(kLeastSpawn, mean_or_zero(spawns).value),
                  "dispatcher rounds with one completion that makes 2 or 8 spawned tasks known, less complete_ns and enqueue_ns");
  constexpr double kSomeLock = 500;  // likewise
  calibration.set("locked_queue_ns", kSomeLock, "not measured; assumed: 500");

  // A completion that becomes visible at a random moment of an idle sweep waits half a sweep, is read by the next, and is
  // then taken in and resolved before its successor counts as ready.
  std::vector<double> waits;
  for (std::size_t i = 1; i < chain.size(); ++i) {
    waits.push_back(static_cast<double>((lonely.timeline.tasks[i].ready - lonely.timeline.tasks[i - 1].published).count()));
  }
  calibration.set("completion_hop_ns", trimmed_mean(waits) - 1.5 * sweep - told,
                  "published to successor ready along a chain, less the dispatcher's own steps");
}

}  // namespace tasktwin::verify
