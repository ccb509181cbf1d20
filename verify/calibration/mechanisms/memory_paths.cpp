#include "verify/calibration/mechanisms/calibrated_mechanisms.hpp"

namespace tasktwin::verify {

using mechanism::Memory;

void MemoryPaths::into(Machine& machine) const {
  memory.into(machine);
  const auto of_all = [&machine](const std::vector<int>& ways) {
    return ways.size() == static_cast<std::size_t>(machine.core_count()) ? ways : std::vector<int>{};
  };
  machine.compute_cores.front().memory_ports = of_all(ports);
  machine.compute_cores.front().memory_queues = of_all(queues);
  machine.compute_cores.front().cluster_groups = of_all(groups);
}

MemoryPaths calibrate_memory_paths(Probes& probes) {
  MemoryPaths access;
  Calibrated<Memory>& memory = access.memory;
  const gpu::MemoryWordTimes words = probes.ask("words of memory", &CalibrationBackend::memory_words);
  memory.set(&Memory::read_latency, words.read_latency_ns, "dependent loads past the L1 cache, one thread");
  memory.set(&Memory::atomic_latency, words.atomic_latency_ns, "dependent additions to one word, one thread");
  memory.set(&Memory::atomic_service, words.atomic_service_ns, "additions to one word by a thread of every SM");
  const gpu::MemoryPortProbe ports = probes.ask("ports to the memory", &CalibrationBackend::memory_ports);
  access.ports = ports.by_placement;
  access.groups = ports.groups_by_placement;
  memory.set(&Memory::port_bandwidth, ports.bytes_per_ns,
             "8 MiB read by each SM of sets of 16 or more that clusters share, median; their blocks as clusters and kernels place them");
  const gpu::MemoryQueueProbe queues = probes.ask("queues to the memory", &CalibrationBackend::memory_queues);
  access.queues = queues.by_multiprocessor;
  memory.set(&Memory::queue_bandwidth, queues.bytes_per_ns,
             "8 MiB read by all SMs but those of one queue, one of which reads too: its rate alone times the ratio of a full queue's "
             "bandwidth to its own, median; two SMs are in one queue if each is faster while the other is silent");
  return access;
}

}  // namespace tasktwin::verify
