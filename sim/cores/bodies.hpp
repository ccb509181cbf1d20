#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "models/cost/body_cost.hpp"
#include "models/machine/memory_paths.hpp"
#include "sim/cores/shared_cores.hpp"
#include "sim/engine/bandwidth_solver.hpp"
#include "sim/memory/memory_bandwidth.hpp"

namespace tasktwin::sim {

class SolverBandwidth;

/// Runs task bodies: a body that starts at s ends at max(end of its flow of bytes, s + fixed) + overhead. The core that runs one is
/// a runner, known by a number: a core, or a block of a kernel. Where blocks share cores, those of one core slow each other down
/// (SharedCores): both parts of a body then take longer, the overhead does not.
class Bodies final : public EventHandler, private MemoryBandwidth::Listener, private SharedCores::Listener {
 public:
  class Listener {
   public:
    /// `end` is now or later.
    virtual void body_ended(std::uint32_t runner, TimePoint end) = 0;

   protected:
    ~Listener() = default;
  };

  /// Where the machine states no bandwidth, bytes cost nothing (as in BodyCost::alone). `paths`: of the runners' cores.
  Bodies(Calendar& calendar, const mechanism::Memory& memory, bool any_bytes, std::size_t runners, Listener& listener,
         BandwidthSolver solver, const MemoryPaths& paths);
  ~Bodies();

  /// Whether a body that shares a core leaves it by gone(), or by itself as it ends.
  enum class Leaves : std::uint8_t { kWhenTold, kAtItsEnd };
  /// From the beginning on: some runners share cores.
  void share_cores(std::size_t cores, std::size_t runners, Leaves leaves = Leaves::kWhenTold);
  /// Whether bytes take time.
  bool draws() const { return flows_at_all_; }
  bool shares_cores() const { return cores_.has_value(); }

  /// Returns the body's end where it does not depend on other bodies; otherwise kAbsent, and the listener is called.
  /// Contract: a runner has one body at a time.
  TimePoint start(std::uint32_t runner, const BodyCost& cost, TimePoint at, std::size_t path);
  /// The same for one that shares a core; the listener is called at its end. Contract: share_cores().
  void start(std::uint32_t runner, const BodyCost& cost, TimePoint at, std::size_t path, CoreId core, const BodyShare& share);
  void gone(std::uint32_t runner, TimePoint now);

  /// `bandwidth` bytes/ns go elsewhere from `now` on; bodies share what is left. Contract: something is.
  void leave(double bandwidth, TimePoint now);

  /// Where bytes take time.
  void watch_memory(MemoryBandwidth::Watcher& watcher);

  void handle(EventKind kind, std::uint32_t subject, TimePoint now) override;

  /// What a run has changed of it. Contract: no cores are shared, and SimGrid solves nothing.
  struct State;
  State state() const;
  void resume(const State& state);
  /// It, and what it has that handles events.
  void add_handlers(std::vector<EventHandler*>& handlers);

 private:
  struct Running {
    TimePoint start{};
    BodyCost cost;
    std::size_t path = 0;
    CoreId core = kNoCore;  ///< that it shares
    BodyShare share{};
    double pace = 1;
    int parts = 0;       ///< that it has not ended of its flow and its work, where it shares its core
    bool flows = false;  ///< its flow is in flight
  };

  bool moves_bytes(const Running& body) const { return flows_at_all_ && body.cost.bytes.count > 0; }
  void begin_on_shared_core(std::uint32_t runner, TimePoint now);
  void start_flow(std::uint32_t runner, TimePoint now);
  void part_ended(std::uint32_t runner, TimePoint now);
  void work_done(std::uint32_t runner, TimePoint at) override { part_ended(runner, at); }
  void pace_changed(std::uint32_t runner, double pace, TimePoint now) override;
  void flow_ended(std::uint32_t flow, TimePoint at) override;

  Calendar& calendar_;
  Listener& listener_;
  const mechanism::Memory& memory_rates_;
  std::optional<MemoryBandwidth> memory_;
  std::unique_ptr<SolverBandwidth> solver_;  ///< in place of memory_
  bool flows_at_all_ = false;                ///< some body moves bytes, and the machine states what that costs
  std::optional<SharedCores> cores_;
  Leaves leaves_ = Leaves::kWhenTold;
  std::vector<Running> running_;  ///< by runner; empty where none moves bytes or shares a core
};

struct Bodies::State {
  std::optional<MemoryBandwidth::State> memory;
  std::vector<Running> running;
};

}  // namespace tasktwin::sim
