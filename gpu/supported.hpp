#pragma once

#include <optional>
#include <span>
#include <string>

#include "models/design.hpp"
#include "models/task_graph.hpp"

namespace tasktwin::gpu {

/// The designs that one executor runs, and which of them, or of the tasks, it does not. Known without CUDA. To add one: a file in
/// supported/, or a place in one, and a line in the table.
struct Supported {
  bool (*matches)(const Design&);
  /// Which axis of a matching design, or which task, it does not run, or nullopt. Contract: check_design has passed.
  std::optional<std::string> (*why_not)(const TaskGraph&, const Machine&, const Design&);
};

extern const Supported kCudaStreamsSupported;
extern const Supported kCudaGraphSupported;
extern const Supported kDeviceGraphLaunchSupported;
extern const Supported kDynamicParallelismSupported;
extern const Supported kHostDispatcherSupported;
extern const Supported kCentralDispatcherSupported;
extern const Supported kHybridSupported;
extern const Supported kStaticQueuesSupported;
extern const Supported kSharedQueueSupported;
extern const Supported kWorkStealingSupported;
extern const Supported kLayerBarrierSupported;

std::span<const Supported* const> all_supported();

/// The first that matches; null where none does.
const Supported* find_supported(const Design& design);

}  // namespace tasktwin::gpu
