#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "gpu/supported/task_support.hpp"
#include "models/design/design.hpp"
#include "models/graph/task_graph.hpp"

namespace tasktwin::gpu {

/// An axis that an executor reads, with the values that it runs; one value alone where it has no choice.
struct AxisSupport {
  std::string_view axis;
  std::array<std::string_view, 4> values{};  ///< as files write them; the first empty for all
  std::string_view why = {};                 ///< said of others
};

/// Of mailbox_depth, where workers fetch for themselves.
inline constexpr std::string_view kWorkerSlots = "a worker that fetches for itself has a power of two of slots, and four at most";

/// Of workers_per_core, where a kernel of workers has a variant with registers for that many.
inline constexpr AxisSupport kWorkersPerCore{
    "workers_per_core", {"1", "2", "3", "4"}, "workers' kernels are compiled for four blocks a multiprocessor at most"};

/// The designs that one executor runs, and which of them, or of the tasks, it does not. Known without CUDA. To add one: a file in
/// supported/, or a place in one, and a line in the table.
struct Supported {
  bool (*matches)(const Design&);
  /// What its kernel and its part of the host read in addition to driver and release. An axis that is not listed keeps its default.
  std::span<const AxisSupport> axes;
  TaskSupport tasks;
  /// What else of a matching design, or of the tasks under it, it does not run, or nullopt; null for nothing. Contract: check_design has
  /// passed.
  std::optional<std::string> (*why_not)(const TaskGraph&, const Machine&, const Design&) = nullptr;
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

/// The first axis of `design` that the executor does not read, or not with that value, and what would be right; nullopt if there is none.
std::optional<std::string> why_no_axis(const Supported& supported, const Design& design);

}  // namespace tasktwin::gpu
