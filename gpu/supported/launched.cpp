#include "gpu/device/hardware_queues.hpp"
#include "gpu/operations/operation_support.hpp"
#include "gpu/supported/supported.hpp"
#include "models/runtimes/runtimes.hpp"

namespace tasktwin::gpu {

std::optional<std::string> why_no_streams(const TaskGraph& graph, const Machine& /*machine*/, const Design& design) {
  if (auto why = runtime_of(design).streams() ? why_no_hardware_queues(design.hardware_queues) : std::nullopt) return why;
  if (auto why = why_no_sets(graph, design)) return why;
  return why_no_operation(graph, design);
}

}  // namespace tasktwin::gpu
