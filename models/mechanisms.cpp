#include "models/mechanisms.hpp"

#include "models/error.hpp"

namespace tasktwin {

namespace {

using Sections = std::vector<std::string_view>;

Sections of_workers(const Design& design) {
  Sections sections{"memory", "resident_cores", "first_looks"};
  if (design.release == Release::kBarrier) sections.push_back("barriers");
  const bool lists_alone =
      design.release == Release::kBarrier ||
      (is_static(design.placement) && design.ready_queue == ReadyQueue::kPerWorker && design.stealing == Stealing::kOff);
  if (!lists_alone || design.termination == Termination::kSentinels) sections.push_back("ready_queues");
  if (orchestrator_count(design) > 0) sections.push_back("device_control");
  return sections;
}

}  // namespace

std::vector<std::string_view> mechanisms_of(const Design& design) {
  switch (design.driver) {
    case Driver::kStreams:
      return {"memory", "host_calls", "streams", "launched_kernels"};
    case Driver::kCudaGraph: {
      Sections sections{"memory", "host_calls", "graph_launch", "launched_kernels"};
      if (design.graph_predicates != GraphPredicates::kKernel) sections.push_back("conditional_nodes");
      if (design.programmatic_launch == ProgrammaticLaunch::kOn) sections.push_back("streams");
      return sections;
    }
    case Driver::kDeviceGraphLaunch:
      return {"memory", "host_calls", "device_graph_launch", "launched_kernels", "resident_cores"};
    case Driver::kDynamicParallelism:
      return {"memory", "host_calls", "dynamic_parallelism", "launched_kernels", "resident_cores"};
    case Driver::kHostDispatcher:
      return {"memory", "resident_cores", "first_looks", "ready_queues", "host_control", "host_mailboxes", "device_mailboxes"};
    case Driver::kPersistent:
      break;
  }
  if (design.release == Release::kDispatcher)
    return {"memory", "resident_cores", "first_looks", "ready_queues", "device_control", "device_mailboxes"};
  return of_workers(design);
}

void check_mechanisms(const Design& design, const Machine& machine) {
  for (const std::string_view section : mechanisms_of(design)) {
    const MachineSection& needed = *find_section(section);
    if (!needed.present(machine)) {
      throw InputError("design '" + design.name + "' needs '" + std::string(section) + "' (" + std::string(needed.meaning) +
                       "), which machine '" + machine.name + "' does not have");
    }
    const auto lacking = machine.unstated.lower_bound(std::string(section) + ".");
    if (lacking == machine.unstated.end() || !lacking->starts_with(std::string(section) + ".")) continue;
    throw InputError("machine '" + machine.name + "' does not state " + *lacking + " (" + std::string(find_constant(*lacking)->meaning) +
                     "), which design '" + design.name + "' reads; state it, or list it under " + std::string(section) +
                     ".assumed with a reason");
  }
}

}  // namespace tasktwin
