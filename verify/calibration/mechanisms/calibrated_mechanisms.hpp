#pragma once

#include <vector>

#include "verify/calibration/fit/assumed_counts.hpp"
#include "verify/calibration/fit/calibrated.hpp"
#include "verify/calibration/probes/probes.hpp"

namespace tasktwin::verify {

/// The mechanisms, each from micro-benchmarks alone and from the mechanisms that its measurement includes, which are its parameters. Those
/// that are fitted by simulations of the whole machine are in simulated_steps.hpp.

/// How the cores come to the memory, and what each way carries. What bodies draw of it is simulated_steps.hpp's.
struct MemoryPaths {
  Calibrated<mechanism::Memory> memory{&Machine::memory};
  std::vector<int> ports;   ///< as CoreGroup has them
  std::vector<int> queues;  ///< likewise
  std::vector<int> groups;  ///< likewise, of clusters

  void into(Machine& machine) const;
};
MemoryPaths calibrate_memory_paths(Probes& probes);

/// Stars give releases, pushes and the hops after them, and lists the times of the next entry and of a body.
struct CoreSteps {
  Calibrated<mechanism::ResidentCores> cores{&Machine::resident_cores, assumed::kResidentCores};
  Estimate pushed_hop;  ///< ReadyQueues::hop
  double body_ns = 0;   ///< a task that spins for 1 us received to ended

  void into(Machine& machine) const { cores.into(machine); }
};
CoreSteps calibrate_resident_cores(Probes& probes, const mechanism::Memory& memory);

/// What releasing and pushing that many successors takes.
double pushing_ns(const mechanism::ResidentCores& cores, double successors);

Calibrated<mechanism::Barriers> calibrate_barriers(Probes& probes, const mechanism::Memory& memory, const CoreSteps& steps);
/// `known`: the bodies' costs with the rest.
Calibrated<mechanism::PageLoads> calibrate_page_loads(Probes& probes, const Machine& known);
/// KernelCost::paged of kernels that read rows.
std::vector<CalibratedKernel> calibrate_paged_rows(Probes& probes, const Machine& known);
/// What precedes the first tasks where cores stay resident, beyond what simulations of `known` say.
Calibrated<mechanism::FirstPoll> calibrate_first_poll(Probes& probes, const Machine& known);
Calibrated<mechanism::ReadyQueues> calibrate_ready_queues(Probes& probes, const CoreSteps& steps);
Calibrated<mechanism::DeviceMailboxes> calibrate_device_mailboxes(Probes& probes);
Calibrated<mechanism::DeviceControl> calibrate_device_control(Probes& probes, const mechanism::Memory& memory,
                                                              const mechanism::ResidentCores& cores);
Calibrated<mechanism::HostControl> calibrate_host_control(Probes& probes);
Calibrated<mechanism::HostMailboxes> calibrate_host_mailboxes(Probes& probes, const mechanism::ControlLoop& host_control);

/// Launches, records and waits of streams; of calibrate_host_calls() what differs most from host to host.
inline constexpr int kPasses = 9;
inline constexpr int kQuickPasses = 3;
Calibrated<mechanism::HostCalls> calibrate_host_launches(Probes& probes, int passes = kPasses);
Calibrated<mechanism::HostCalls> calibrate_host_calls(Probes& probes);
Calibrated<mechanism::Streams> calibrate_streams(Probes& probes, const mechanism::HostCalls& calls);
/// How much longer looks at waiting queues take behind kernels that read. Contract: `known` states the rest of streams, and memory.
Calibrated<mechanism::Streams> calibrate_queues_behind_readers(Probes& probes, const Machine& known);
Calibrated<mechanism::GraphLaunch> calibrate_graph_launch(Probes& probes);
/// LaunchedKernels::around.
Calibrated<mechanism::LaunchedKernels> calibrate_around(Probes& probes, const mechanism::Streams& streams,
                                                        const mechanism::GraphLaunch& graphs);
Calibrated<mechanism::ConditionalNodes> calibrate_conditional_nodes(Probes& probes, const mechanism::GraphLaunch& graphs);

/// Chains and stencils of kernels that launch kernels give the times of their launches and of the kernels.
struct DeviceLaunches {
  Calibrated<mechanism::DynamicParallelism> launches{&Machine::dynamic_parallelism};
  Calibrated<mechanism::LaunchedKernels> kernels{&Machine::launched_kernels};

  void into(Machine& machine) const {
    launches.into(machine);
    kernels.into(machine);
  }
};
DeviceLaunches calibrate_device_launches(Probes& probes, const mechanism::Streams& streams);
Calibrated<mechanism::DeviceGraphLaunch> calibrate_device_graph_launch(Probes& probes);

/// Copies of several sizes give the times of engines and links.
struct Transfers {
  Calibrated<mechanism::Copies> copies{&Machine::copies};
  Calibrated<mechanism::Links> links{&Machine::links};

  void into(Machine& machine) const {
    copies.into(machine);
    links.into(machine);
  }
};
/// All but what copies take up of the memory (calibrate_copy_traffic()), and links to another device.
Transfers calibrate_transfers(Probes& probes, const mechanism::Streams& streams);
Calibrated<mechanism::Allocators> calibrate_allocators(Probes& probes);

/// The links between the devices of one host, given the constants of one device.
struct BetweenDevices {
  Calibrated<mechanism::Peers> peers{&Machine::peers};
  Calibrated<mechanism::Collectives> collectives{&Machine::collectives};
  std::vector<CollectiveTimes> times;

  void into(Machine& machine) const;
};
/// `machine`: with its streams, graphs and copies, and several devices in one node.
BetweenDevices calibrate_between_devices(Probes& probes, const Machine& machine);

}  // namespace tasktwin::verify
