#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/executor.hpp"
#include "gpu/probes/launch_probes.hpp"
#include "verify/bench/launch_costs/launch_shapes.hpp"

namespace tasktwin::verify {

/// What launches the graphs: the GPU; in tests the simulator.
struct LaunchBackend {
  std::function<gpu::GraphCallTimes(const TaskGraph&)> graph_calls;
  std::function<gpu::Measurement(const TaskGraph&, const Machine&, const Design&, const gpu::RunOptions&)> run;
};

LaunchBackend gpu_launch_backend();

/// What launching one graph costs, on one side.
struct LaunchCosts {
  gpu::GraphCallTimes graph;
  double streams_ns = 0;  ///< the host's calls that put the same kernels into 32 streams, with events
};

struct LaunchCostRow {
  std::string_view shape;
  int size = 0;  ///< of kLaunchSizes
  std::size_t edges = 0;
  LaunchCosts measured{};
  LaunchCosts predicted{};
  std::int64_t ordering_violations = 0;  ///< over a check run as a graph and one in streams
  std::string fault{};                   ///< why nothing was measured; else empty

  bool right() const { return fault.empty() && ordering_violations == 0; }
};

/// Rows by shape, then size. `progress` shows what is being launched. A row that fails is kept with its fault.
std::vector<LaunchCostRow> measure_launch_costs(const Machine& machine, const LaunchBackend& backend,
                                                const std::function<void(const std::string&)>& progress);

/// A column of the table, in nanoseconds.
struct LaunchQuantity {
  std::string_view name;  ///< in files, where "_us" follows
  std::string_view meaning;
  double (*of)(const LaunchCosts&);
  bool predicted = true;  ///< whether the simulator knows it
};

std::span<const LaunchQuantity> launch_quantities();

}  // namespace tasktwin::verify
