#include "models/design.hpp"
#include "verify/calibration/calibration.hpp"
#include "verify/calibration/micro_graphs.hpp"
#include "verify/calibration/refinement.hpp"

namespace tasktwin::verify {

namespace {

using namespace std::chrono_literals;

/// Seeds of their own: no scenario has them.
constexpr std::uint64_t kSeed = 0xca11'b4a7e;

/// What every persistent design runs: a lonely chain, more tasks than cores, bursts, and layers that are narrow, wide, short and long.
std::vector<Trial> trials_of(const Design& design) {
  std::vector<Trial> trials;
  const auto add = [&](std::string graph, TaskGraph tasks, int workers = 0) {
    trials.push_back({std::move(graph), std::move(tasks), design, workers});
  };
  add("a chain of 400", chain_graph(400, 1000ns));
  add("6000 tasks of 1.5 us", independent_graph(6000, spin_task(1500ns)));
  add("2500 tasks of 4 us", independent_graph(2500, spin_task(4000ns)));
  add("12 stars of 90 leaves", stars_graph(12, 90, 1500ns));
  add("16 x 48 tasks with 2 predecessors", layered_graph({16, 48, 2, 700ns, 2500ns, kSeed}));
  add("16 x 120 tasks with 1 predecessor", layered_graph({16, 120, 1, 1500ns, 1500ns, kSeed + 1}));
  add("14 x 120 tasks with 3 predecessors", layered_graph({14, 120, 3, 800ns, 800ns, kSeed + 2}));
  add("10 x 220 tasks with 4 predecessors", layered_graph({10, 220, 4, 1000ns, 6000ns, kSeed + 3}));
  add("8 x 90 tasks with 12 predecessors", layered_graph({8, 90, 12, 3000ns, 5000ns, kSeed + 4}));
  add("14 x 30 tasks with 3 predecessors", layered_graph({14, 30, 3, 1000ns, 2000ns, kSeed + 5}), 24);
  add("12 x 90 tasks with 2 predecessors", layered_graph({12, 90, 2, 1500ns, 3000ns, kSeed + 6}), 60);
  return trials;
}

Design told_by_flags() {
  Design design = named_design("static-queues");
  design.name = "static-queues with flags";
  design.notification = Notification::kFlag;
  return design;
}

}  // namespace

/// Each family builds on the ones before it.
void refine_scheduling(Calibration& calibration) {
  refine(calibration,
         {"start_ns", "retire_ns", "list_read_ns", "look_ns", "release_ns", "release_per_successor_ns", "counter_hop_ns",
          "counter_hop_spread_ns"},
         trials_of(named_design("static-queues")));
  refine(calibration, {"flag_hop_ns"}, trials_of(told_by_flags()));
  refine(calibration, {"hand_off_ns", "barrier_ns", "barrier_per_core_ns"}, trials_of(named_design("layer-barrier")));
  refine(calibration, {"push_ns", "push_per_successor_ns", "queue_hop_ns"}, trials_of(named_design("shared-queue")));
  refine(calibration,
         {"mailbox_hop_ns", "publish_ns", "poll_ns", "complete_ns", "resolve_ns", "enqueue_ns", "hand_over_ns", "claim_ns", "dispatch_ns"},
         trials_of(named_design("central-dispatcher")));
}

}  // namespace tasktwin::verify
