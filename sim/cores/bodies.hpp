#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "models/body_cost.hpp"
#include "models/memory_paths.hpp"
#include "sim/engine/bandwidth_solver.hpp"
#include "sim/memory/memory_bandwidth.hpp"

namespace tasktwin::sim {

class SolverBandwidth;

/// Runs task bodies: a body that starts at s ends at max(end of its flow of bytes, s + fixed) + overhead. Whoever runs one is
/// a runner, known by a number: a core, or a kernel.
class Bodies final : public EventHandler, private MemoryBandwidth::Listener {
 public:
  class Listener {
   public:
    /// `end` is now or later.
    virtual void body_ended(std::uint32_t runner, TimePoint end) = 0;

   protected:
    ~Listener() = default;
  };

  /// Where the machine states no bandwidth, bytes cost nothing (as in BodyCost::alone). `paths`: of whatever runners stand on.
  Bodies(Calendar& calendar, const mechanism::Memory& memory, bool any_bytes, std::size_t runners, Listener& listener,
         BandwidthSolver solver, const MemoryPaths& paths);
  ~Bodies();

  /// Returns the body's end where it does not depend on other bodies; otherwise kAbsent, and the listener is told.
  /// Contract: a runner has one body at a time.
  TimePoint start(std::uint32_t runner, const BodyCost& cost, TimePoint at, std::size_t path);

  /// So many bytes/ns go elsewhere from `now` on; bodies share what is left. Contract: something is.
  void leave(double bandwidth, TimePoint now);

  void handle(EventKind kind, std::uint32_t subject, TimePoint now) override;

 private:
  struct Running {
    TimePoint start{};
    BodyCost cost;
    std::size_t path = 0;
  };

  void flow_ended(std::uint32_t flow, TimePoint at) override;

  Calendar& calendar_;
  Listener& listener_;
  const mechanism::Memory& memory_rates_;
  std::optional<MemoryBandwidth> memory_;
  std::unique_ptr<SolverBandwidth> solver_;  ///< in place of memory_
  std::vector<Running> running_;             ///< by runner; empty where nobody moves bytes
};

}  // namespace tasktwin::sim
