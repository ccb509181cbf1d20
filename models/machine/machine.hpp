#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/graph/kernel.hpp"
#include "models/machine/fields/provenance.hpp"
#include "models/machine/fields/section.hpp"
#include "models/machine/kernel_cost.hpp"
#include "models/machine/limits.hpp"
#include "models/machine/mechanisms/allocators.hpp"
#include "models/machine/mechanisms/barriers.hpp"
#include "models/machine/mechanisms/collectives.hpp"
#include "models/machine/mechanisms/conditional_nodes.hpp"
#include "models/machine/mechanisms/control_loop.hpp"
#include "models/machine/mechanisms/copies.hpp"
#include "models/machine/mechanisms/device_graph_launch.hpp"
#include "models/machine/mechanisms/devices.hpp"
#include "models/machine/mechanisms/distances.hpp"
#include "models/machine/mechanisms/dynamic_parallelism.hpp"
#include "models/machine/mechanisms/first_looks.hpp"
#include "models/machine/mechanisms/graph_launch.hpp"
#include "models/machine/mechanisms/group_queue.hpp"
#include "models/machine/mechanisms/host_build.hpp"
#include "models/machine/mechanisms/host_calls.hpp"
#include "models/machine/mechanisms/launched_kernels.hpp"
#include "models/machine/mechanisms/links.hpp"
#include "models/machine/mechanisms/mailboxes.hpp"
#include "models/machine/mechanisms/memory.hpp"
#include "models/machine/mechanisms/network.hpp"
#include "models/machine/mechanisms/page_loads.hpp"
#include "models/machine/mechanisms/peers.hpp"
#include "models/machine/mechanisms/ready_queues.hpp"
#include "models/machine/mechanisms/resident_cores.hpp"
#include "models/machine/mechanisms/streams.hpp"

namespace tasktwin {

/// A machine as its file has it: cores, limits, and the mechanisms that its hardware has. One that is absent is hardware that is absent.
/// Of a machine of several devices, which are all alike, this is one device; `devices`, `peers`, `network` and `collectives` say what there
/// is between them.
struct Machine {
  std::string name;
  std::string description;
  std::string file;  ///< that it was read from; empty where it was made otherwise
  MeasuredOn measured;
  std::vector<CoreGroup> compute_cores;
  ControlCores control_cores;
  CoreLimits core_limits;
  LaunchLimits launch_limits;
  MemoryLimits memory_limits;
  Devices devices;

  Section<mechanism::Memory> memory{"memory"};
  Section<mechanism::ResidentCores> resident_cores{"resident_cores"};
  Section<mechanism::PageLoads> page_loads{"page_loads"};
  Section<mechanism::FirstPoll> first_poll{"first_looks"};
  Section<mechanism::ReadyQueues> ready_queues{"ready_queues"};
  Section<mechanism::Barriers> barriers{"barriers"};
  Section<mechanism::DeviceControl> device_control{"device_control"};
  Section<mechanism::DeviceMailboxes> device_mailboxes{"device_mailboxes"};
  Section<mechanism::Distances> distances{"distances"};
  Section<mechanism::GroupQueue> group_queue{"group_queue"};
  Section<mechanism::HostBuild> host_build{"host_build"};
  Section<mechanism::HostControl> host_control{"host_control"};
  Section<mechanism::HostMailboxes> host_mailboxes{"host_mailboxes"};
  Section<mechanism::HostCalls> host_calls{"host_calls"};
  Section<mechanism::Streams> streams{"streams"};
  Section<mechanism::LaunchedKernels> launched_kernels{"launched_kernels"};
  Section<mechanism::GraphLaunch> graph_launch{"graph_launch"};
  Section<mechanism::ConditionalNodes> conditional_nodes{"conditional_nodes"};
  Section<mechanism::DeviceGraphLaunch> device_graph_launch{"device_graph_launch"};
  Section<mechanism::DynamicParallelism> dynamic_parallelism{"dynamic_parallelism"};
  Section<mechanism::Copies> copies{"copies"};
  Section<mechanism::Links> links{"links"};
  Section<mechanism::Allocators> allocators{"allocators"};
  Section<mechanism::Peers> peers{"peers"};
  Section<mechanism::Network> network{"network"};
  Section<mechanism::Collectives> collectives{"collectives"};
  std::vector<CollectiveTimes> collective_times;  ///< as they were measured; each kind, number of ranks and in_graph once

  std::vector<KernelCost> kernels = std::vector<KernelCost>(kKernelCount);  ///< by Kernel; after them those of a scenario's own kernels
  /// By a constant's key ("streams.gap_ns"), "kernels.<kernel>", "control_cores.code_scale" or "limits".
  std::map<std::string, Provenance, std::less<>> provenance;
  /// Keys of constants of its sections that its file does not state. Designs that read them are refused (check_mechanisms).
  std::set<std::string, std::less<>> unstated;
  /// By key, the name of the machine whose value a constant of its sections has. Of files of users alone: those that are shipped start from
  /// machines of the same chip.
  std::map<std::string, std::string, std::less<>> inherited;
  /// Keys of constants that its own file states as assumed. Of files of users alone.
  std::set<std::string, std::less<>> assumed;

  const KernelCost& kernel_cost(Kernel kernel) const { return kernels[static_cast<std::size_t>(kernel)]; }
  int core_count() const;
  /// Whether a task of `type` finds a core, or for `mix` a cluster.
  bool has(CoreType type) const;
  bool has_clusters() const;
};

/// A mechanism of a machine, by its name in machine files.
struct MachineSection {
  std::string_view name;
  std::string_view meaning;
  std::function<bool(const Machine&)> present;
  std::function<void(Machine&)> add;  ///< every constant at its default
  std::function<void(Machine&)> remove;
};

/// A constant of a mechanism, by its name in machine files. What loader, writer, schema, documentation, calibration and sensitivity share.
struct ConstantField {
  std::string_view section;
  std::string name;  ///< with the unit as suffix, such as "gap_ns"
  std::string key;   ///< "<section>.<name>"
  std::string_view meaning;
  Unit unit;
  Payer payer;
  std::optional<CostGroup> group;
  double min;  ///< of its range in files
  double max;
  bool may_lack;                              ///< a machine that does not state it is read as with 0
  std::function<double(const Machine&)> get;  ///< Contract, of this and `set`: the machine has the section.
  std::function<void(Machine&, double)> set;
  std::function<void(Machine&)> add_cold;            ///< adds to it what a run takes longer that finds the cache empty; empty where nothing
  std::function<Nanoseconds(const Machine&)> calls;  ///< time of the host's calls that it begins with; empty where there are none
};

/// A limit of a machine, by its name in machine files; 0 for none.
struct LimitField {
  std::string_view name;  ///< with the unit as suffix, where it has one
  std::string_view meaning;
  std::int64_t max;  ///< in files
  std::function<std::int64_t(const Machine&)> get;
  std::function<void(Machine&, std::int64_t)> set;
};

std::span<const LimitField> limit_fields();

std::span<const MachineSection> machine_sections();

/// Null where there is none of that name.
const MachineSection* find_section(std::string_view name);

/// In the order of machine_sections().
std::span<const ConstantField> constant_fields();

/// By its key; null where there is none.
const ConstantField* find_constant(std::string_view key);

/// Of those whose sections the machine has.
std::vector<const ConstantField*> constants_of(const Machine& machine);

}  // namespace tasktwin
