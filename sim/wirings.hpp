#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "models/design.hpp"
#include "models/timeline.hpp"
#include "sim/bandwidth_solver.hpp"
#include "sim/body_costs.hpp"
#include "sim/calendar.hpp"

namespace tasktwin::sim {

/// What a wiring's parts are built from.
struct WiringInputs {
  const TaskGraph& graph;
  const Machine& machine;  ///< as the design meets it: machine_as_run
  const Design& design;
  const BodyCosts& costs;
  std::span<const Duration> durations;  ///< expected, by TaskId
  const Timeline* replayed;             ///< what placement `replay` follows, by TaskId of `graph`; null otherwise
  std::uint64_t seed;                   ///< of what is drawn before the run: random orders
  std::uint64_t chance;                 ///< seed of what is drawn as it goes
  bool record_steps;
  BandwidthSolver bandwidth_solver;
  Calendar& calendar;
  Timeline& timeline;  ///< filled as the run goes; tasks and cores are there from the beginning
};

/// The parts of the simulator joined into one design.
class Wiring {
 public:
  virtual ~Wiring() = default;
  /// Schedules the first events. Contract: once, after Calendar::begin_run.
  virtual void begin() = 0;
  /// Why the run did not come to its end, in a sentence; empty if it did, or if nobody knows.
  virtual std::string failure() const { return {}; }
};

/// What the cores of a Timeline are under `design`: its worker cores, or its streams.
std::vector<CoreType> timeline_cores(const TaskGraph& graph, const Machine& machine, const Design& design);

/// Throws InputError if no wiring has the design's driver, release and ready queue.
void check_wired(const Design& design);

/// From the cores' being there to the begin of the run as the design's wiring has it; uncached_first_look counts as it stands.
/// Contract: check_wired has passed.
Nanoseconds first_look(const Design& design, const Constants& constants);

/// What a kernel's bodies take longer, or with sign -1 less, by what their cores do beside them: beyond what they do under frozen lists.
struct Beside {
  Nanoseconds KernelCost::*time = nullptr;  ///< null where that makes no difference
  int sign = 1;
};

/// In the design's wiring. Contract: check_wired has passed.
Beside beside_bodies(const Design& design);

/// Contract: check_wired has passed.
std::unique_ptr<Wiring> make_wiring(const WiringInputs& inputs);

/// Successors that the device keeps with a graph's node (inferred from an H200: behind a node with seven the next one comes later by
/// graph_fetch).
inline constexpr std::size_t kNodeSuccessors = 6;

/// How many threads of a warp launch kernels side by side, and how many warps of one block.
inline constexpr std::size_t kWarpLaunches = 32;
inline constexpr std::size_t kBlockWarps = 8;

/// How many times a graph of so many nodes with predecessors is twice as large as one whose data stay near the host's core, for the calls
/// that launch it. (On the host of an H200 such a node takes the call 7 ns in a graph of 364 nodes, 28 in one of 2600 and 43 in one of
/// 10545.)
inline double graph_doublings(std::size_t inner) {
  constexpr double kNear = 256;
  return inner > 0 ? std::max(0.0, std::log2(static_cast<double>(inner) / kNear)) : 0;
}

// The wirings, one file each in sim/wirings/.
std::unique_ptr<Wiring> make_cuda_streams(const WiringInputs& inputs);
std::unique_ptr<Wiring> make_cuda_graph(const WiringInputs& inputs);
std::unique_ptr<Wiring> make_device_graph_launch(const WiringInputs& inputs);
std::unique_ptr<Wiring> make_dynamic_parallelism(const WiringInputs& inputs);
std::unique_ptr<Wiring> make_host_dispatcher(const WiringInputs& inputs);
std::unique_ptr<Wiring> make_central_dispatcher(const WiringInputs& inputs);
std::unique_ptr<Wiring> make_static_queues(const WiringInputs& inputs);
std::unique_ptr<Wiring> make_shared_queue(const WiringInputs& inputs);
std::unique_ptr<Wiring> make_work_stealing(const WiringInputs& inputs);
std::unique_ptr<Wiring> make_layer_barrier(const WiringInputs& inputs);

}  // namespace tasktwin::sim
