#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "verify/calibration/calibration.hpp"
#include "verify/calibration/fit.hpp"
#include "verify/calibration/micro_graphs.hpp"

namespace tasktwin::verify {

using namespace std::chrono_literals;

namespace {

/// What parts of rounds took, by what they did.
struct RoundParts {
  std::vector<double> sweeps;
  std::vector<double> claims;        ///< for idle cores
  std::vector<double> claims_ahead;  ///< perhaps for others too
  std::vector<double> ends;          ///< where nothing is handed over
  ObservationGroups resolved;        ///< where completions are found, by turns of passing on, pushes, whether there are rows, and rows
  ObservationGroups handed;          ///< by tasks handed over, as many at a time as there are lanes

  void add(const std::vector<gpu::DispatchRound>& rounds, double lanes) {
    for (const gpu::DispatchRound& round : rounds) {
      sweeps.push_back(ns(round.sweep));
      if (round.serve > Duration{0}) claims.push_back(ns(round.serve));
      if (round.claimed > 0) (round.ahead ? claims_ahead : claims).push_back(ns(round.claim));
      if (round.completions > 0) {
        const double any_rows = round.rows > 0 ? 1 : 0;
        resolved[{1, double(round.turns), double(round.pushes), any_rows, double(round.rows)}].push_back(ns(round.resolve));
      }
      if (round.handed_over > 0) {
        handed[{1, std::ceil(round.handed_over / lanes)}].push_back(ns(round.hand_over));
      } else {
        ends.push_back(ns(round.hand_over));
      }
    }
  }
};

/// Relative least squares; as many zeros where nothing was observed.
template <std::size_t kCount>
std::array<Estimate, kCount> fit_groups(const ObservationGroups& groups, double less = 0) {
  std::vector<Observation> observations;
  for (const Observation& group : group_means(groups)) observations.push_back(relative(group.weights, std::max(1.0, group.value - less)));
  std::array<Estimate, kCount> found{};
  if (!observations.empty()) std::ranges::copy(fit_constants(observations), found.begin());
  return found;
}

}  // namespace

void calibrate_control_cores(Calibration& calibration) {
  const Design design = named_design("central-dispatcher");
  const double lanes = calibration.machine().control_cores.lanes;
  RoundParts parts;
  const auto observe = [&](std::string_view what, const TaskGraph& graph) { parts.add(calibration.rounds(what, graph, design), lanes); };
  for (const int leaves : {32, 128}) observe("dispatchers with bursts", stars_graph(40, leaves, 1000ns));
  observe("dispatchers with layers", layered_graph({20, 60, 3, 1000ns, 3000ns, 11}));
  observe("dispatchers with wide layers", layered_graph({20, 110, 2, 1000ns, 2000ns, 13}));
  observe("dispatchers with dense layers", layered_graph({12, 90, 40, 3000ns, 6000ns, 12}));
  observe("saturated dispatchers", independent_graph(5000, spin_task(500ns)));
  for (const Observation& group : group_means(parts.resolved)) {
    calibration.keep_sample(
        "device_control.resolve_ns",
        fmt::format("rounds that find completions; {} turns, {} pushes, {} rows", group.weights[1], group.weights[2], group.weights[4]),
        group.value);
  }
  for (const Observation& group : group_means(parts.handed))
    calibration.keep_sample("device_control.dispatch_ns", fmt::format("rounds that hand over {} x {} tasks", group.weights[1], lanes),
                            group.value);
  const std::string timed = ", without stamps";

  calibration.set("device_control.poll_ns", mean_or_zero(parts.sweeps), "sweeps of dispatcher warps over their cores" + timed);
  calibration.set("device_control.poll_per_core_ns", 0, "a warp's lanes poll side by side");
  const auto [complete, pass_on, enqueue, walk, resolve] = fit_groups<5>(parts.resolved);
  const std::string resolved =
      "dispatcher rounds that find completions, by turns, pushes and rows of successors, least relative squares" + timed;
  calibration.set("device_control.complete_ns", complete, resolved);
  calibration.set("device_control.pass_on_ns", pass_on, resolved);
  calibration.set("device_control.enqueue_ns", enqueue, resolved);
  calibration.set("device_control.walk_ns", walk, resolved);
  calibration.set("device_control.resolve_ns", resolve, resolved);
  const Estimate claim = mean_or_zero(parts.claims);
  calibration.set("device_control.claim_ns", claim, "dispatchers taking from the queue for idle cores" + timed);
  calibration.set("device_control.claim_ahead_ns", mean_or_zero(parts.claims_ahead) - claim,
                  "likewise for all cores with room, less claim_ns" + timed);
  const Estimate round = mean_or_zero(parts.ends);
  calibration.set("device_control.round_ns", round, "ends of dispatcher rounds that hand over nothing" + timed);
  const auto [hand_over, dispatch] = fit_groups<2>(parts.handed, round);
  const std::string handed = "dispatchers handing over, by 32 tasks, least relative squares, less round_ns" + timed;
  calibration.set("device_control.hand_over_ns", hand_over, handed);
  calibration.set("device_control.dispatch_ns", dispatch, handed);

  std::vector<double> spawns;  // rounds with one completion that makes spawned tasks known
  for (const int children : {2, 8}) {
    for (const gpu::DispatchRound& one : calibration.rounds("dispatchers with spawned tasks", spawning_graph(300, children, 2us), design)) {
      if (one.completions == 1 && one.released == children) spawns.push_back(ns(one.resolve) - complete - enqueue);
    }
  }
  constexpr double kLeastSpawn = 50;  // so that refinement can move it
  calibration.set("device_control.spawn_ns", std::max(kLeastSpawn, mean_or_zero(spawns).value),
                  "dispatcher rounds with one completion that makes 2 or 8 spawned tasks known, less complete_ns and enqueue_ns" + timed);
  constexpr double kSomeLock = 500;  // likewise
  calibration.set("device_control.locked_queue_ns", kSomeLock, "not measured; assumed: 500");

  // A completion that becomes visible at a random moment of an idle sweep waits half a sweep, is read by the next, and is
  // then taken in and resolved before its successor counts as ready.
  const TaskGraph chain = chain_graph(2000, 1000ns);
  const gpu::Measurement lonely = calibration.run("a dispatcher with little to do", chain, design, 3);
  RoundParts stamped;
  stamped.add(lonely.dispatch_rounds, lanes);
  std::vector<double> waits;
  for (std::size_t i = 1; i < chain.size(); ++i) {
    waits.push_back(ns(lonely.timeline.tasks[i].ready - lonely.timeline.tasks[i - 1].published));
  }
  calibration.set("device_mailboxes.completion_hop_ns",
                  mean_or_zero(waits) - 1.5 * mean_or_zero(stamped.sweeps) - fit_groups<5>(stamped.resolved).front(),
                  "published to successor ready along a chain, less the dispatcher's own steps");
}

}  // namespace tasktwin::verify
