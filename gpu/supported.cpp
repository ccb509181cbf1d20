#include "gpu/supported.hpp"

#include <algorithm>

#include "gpu/executor.hpp"
#include "gpu/task_support.hpp"

namespace tasktwin::gpu {

std::span<const Supported* const> all_supported() {
  static constexpr const Supported* kAll[] = {
      &kCudaStreamsSupported,    &kCudaGraphSupported,         &kDeviceGraphLaunchSupported, &kDynamicParallelismSupported,
      &kHostDispatcherSupported, &kCentralDispatcherSupported,
      &kHybridSupported,  // before static queues, which ask for less
      &kStaticQueuesSupported,   &kSharedQueueSupported,       &kWorkStealingSupported,      &kLayerBarrierSupported,
  };
  return kAll;
}

const Supported* find_supported(const Design& design) {
  const auto all = all_supported();
  const auto found = std::ranges::find_if(all, [&design](const Supported* one) { return one->matches(design); });
  return found == all.end() ? nullptr : *found;
}

std::optional<std::string> why_unsupported(const TaskGraph& graph, const Machine& machine, const Design& design) {
  const Supported* const supported = find_supported(design);
  if (supported == nullptr) {
    return "no GPU executor has driver '" + std::string(to_word(design.driver)) + "' with release '" +
           std::string(to_word(design.release)) + "' and placement '" + std::string(to_word(design.placement)) + "'";
  }
  if (std::ranges::any_of(machine.compute_cores, [](const CoreGroup& group) { return group.type != CoreType::kSm && group.count > 0; })) {
    return "machine '" + machine.name + "' has compute cores other than 'sm'";
  }
  const bool kernels = design.driver == Driver::kStreams || design.driver == Driver::kCudaGraph;
  if (auto why = why_no_task(graph, {.blocks = true, .spawned = true, .numbered_blocks = kernels, .operations = kernels}))
    return why;  // what none runs
  return supported->why_not(graph, machine, design);
}

}  // namespace tasktwin::gpu
