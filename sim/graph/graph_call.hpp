#pragma once

#include <cstdint>
#include <vector>

#include "sim/engine/run_context.hpp"
#include "sim/graph/graph_nodes.hpp"
#include "sim/host/host_clock.hpp"

namespace tasktwin::sim {

/// The host's part in a CUDA graph: one call a replay that hands over the roots one by one, and before each replay but the first what
/// Design::graph_update says. It never waits for the device.
class GraphCall {
 public:
  GraphCall(const WiringInputs& inputs, const GraphNodes& nodes);

  struct Root {
    std::uint32_t node = 0;
    Duration after{};  ///< the call's begin it may start, and no earlier
  };
  /// In the order in which they are handed over.
  const std::vector<Root>& roots() const { return roots_; }

  void update() { clock_.spend(update_time_); }
  /// Returns when it has begun.
  TimePoint make();

 private:
  HostClock clock_;
  Duration update_time_;
  std::vector<Root> roots_;
  Duration call_time_{};
};

}  // namespace tasktwin::sim
