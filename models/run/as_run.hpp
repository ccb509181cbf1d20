#pragma once

#include <utility>
#include <vector>

#include "models/design/design.hpp"
#include "models/machine/machine.hpp"

namespace tasktwin {

/// The conditions of a run in addition to the machine.
struct RunConditions {
  double host_pace = 1;       ///< how many times as long the host's own code takes as the machine says (host_slowdown)
  bool cache_empty = false;   ///< the run finds the cache empty (finds_cache_empty)
  bool given_bodies = false;  ///< bodies' times are given, with all that the first ones and launched ones take longer
};

/// A machine as a design meets it in a run: the pace of the host and of the control cores' code, the state of the cache and what the design
/// makes bodies take are applied. The simulator sees nothing else. It is no Machine, so that none is met twice, or in a run before it is
/// met; the loops and mailboxes of device and host are those of the design. Contract: the machine has what the design needs
/// (check_design).
class AsRun {
  Machine met_;

 public:
  AsRun(Machine met, const mechanism::ControlLoop& control_loop, const mechanism::Mailboxes& control_mailboxes)
      : met_(std::move(met)), control(control_loop), mailboxes(control_mailboxes) {}
  ~AsRun() = default;
  AsRun(const AsRun&) = delete;
  AsRun& operator=(const AsRun&) = delete;

  /// For functions that a machine is as good for, met or not: of its cores, and of what bodies and transfers take.
  const Machine& constants() const { return met_; }
  const KernelCost& kernel_cost(Kernel kernel) const { return met_.kernel_cost(kernel); }

  const mechanism::ControlLoop control;  ///< of the design's control cores, on the device or threads of the host; unused under one without
  const mechanism::Mailboxes mailboxes;  ///< between them and the compute cores

  const std::vector<CoreGroup>& compute_cores = met_.compute_cores;
  const ControlCores& control_cores = met_.control_cores;
  const CoreLimits& core_limits = met_.core_limits;
  const LaunchLimits& launch_limits = met_.launch_limits;
  const MemoryLimits& memory_limits = met_.memory_limits;
  const Devices& devices = met_.devices;
  const std::vector<KernelCost>& kernels = met_.kernels;

  const Section<mechanism::Memory>& memory = met_.memory;
  const Section<mechanism::ResidentCores>& resident_cores = met_.resident_cores;
  const Section<mechanism::PageLoads>& page_loads = met_.page_loads;
  const Section<mechanism::FirstPoll>& first_poll = met_.first_poll;
  const Section<mechanism::ReadyQueues>& ready_queues = met_.ready_queues;
  const Section<mechanism::Barriers>& barriers = met_.barriers;
  const Section<mechanism::Distances>& distances = met_.distances;
  const Section<mechanism::GroupQueue>& group_queue = met_.group_queue;
  const Section<mechanism::HostBuild>& host_build = met_.host_build;
  const Section<mechanism::HostCalls>& host_calls = met_.host_calls;
  const Section<mechanism::Streams>& streams = met_.streams;
  const Section<mechanism::LaunchedKernels>& launched_kernels = met_.launched_kernels;
  const Section<mechanism::GraphLaunch>& graph_launch = met_.graph_launch;
  const Section<mechanism::ConditionalNodes>& conditional_nodes = met_.conditional_nodes;
  const Section<mechanism::DeviceGraphLaunch>& device_graph_launch = met_.device_graph_launch;
  const Section<mechanism::DynamicParallelism>& dynamic_parallelism = met_.dynamic_parallelism;
  const Section<mechanism::Copies>& copies = met_.copies;
  const Section<mechanism::Links>& links = met_.links;
  const Section<mechanism::Allocators>& allocators = met_.allocators;
  const Section<mechanism::Peers>& peers = met_.peers;
  const Section<mechanism::Network>& network = met_.network;
  const Section<mechanism::Collectives>& collectives = met_.collectives;
};

AsRun as_run(const Design& design, const Machine& machine, const RunConditions& conditions = {});

/// How many times as long the host's calls under `design` took as `machine` says, at a time when what its constant
/// host_calls.reference_launch or graph_launch.reference_launch is about took `host_call`: other processes on the host change it
/// from second to second. 1 where one of the two times is 0, and for designs of which the host makes next to no calls.
double host_slowdown(const Design& design, const Machine& machine, Nanoseconds host_call);

}  // namespace tasktwin
