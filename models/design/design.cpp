#include "models/design/design.hpp"

#include <algorithm>

#include "models/base/error.hpp"

namespace tasktwin {

namespace {

std::vector<CoreType> cores_of(std::span<const CoreGroup> groups) {
  std::vector<CoreType> cores;
  for (const CoreGroup& group : groups) cores.insert(cores.end(), static_cast<std::size_t>(std::max(0, group.count)), group.type);
  return cores;
}

}  // namespace

int orchestrator_count(const Design& design) { return design.graph_build == GraphBuild::kDevice ? design.orchestrators : 0; }

int dispatcher_count(const Design& design, const Machine& machine) {
  if (design.release != Release::kDispatcher) return 0;
  if (design.dispatchers > 0) return design.dispatchers;
  return std::max(0, machine.control_cores.count - design.resolvers - orchestrator_count(design));
}

std::vector<CoreType> worker_cores(const Design& design, const Machine& machine) {
  std::vector<CoreGroup> groups = machine.compute_cores;
  const bool uses_control_cores =
      design.driver != Driver::kHostDispatcher &&
      (design.release == Release::kDispatcher || orchestrator_count(design) > 0 || design.fallback == Fallback::kTask);
  if (uses_control_cores && machine.control_cores.count > 0 && !groups.empty()) {
    std::ranges::max_element(groups, {}, &CoreGroup::count)->count -= machine.control_cores.occupied_cores;
  }
  const std::vector<CoreType> cores = cores_of(groups);
  std::vector<CoreType> workers;
  for (int worker = 0; worker < design.workers_per_core; ++worker) workers.insert(workers.end(), cores.begin(), cores.end());
  return workers;
}

std::vector<CoreType> compute_cores(const Machine& machine) { return cores_of(machine.compute_cores); }

std::vector<CoreType> on_all_devices(const std::vector<CoreType>& cores, const Machine& machine) {
  std::vector<CoreType> all;
  for (int device = 0; device < machine.devices.count(); ++device) all.insert(all.end(), cores.begin(), cores.end());
  return all;
}

}  // namespace tasktwin
