#include "models/machine/memory_paths.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace tasktwin {

MemoryPaths MemoryPaths::of_blocks(const Machine& machine, std::span<const CoreType> cores) {
  return {machine, cores, &CoreGroup::memory_ports, &MemoryLaw::port, machine.memory->port_bandwidth};
}

MemoryPaths MemoryPaths::of_workers(const Machine& machine, std::span<const CoreType> cores) {
  return {machine, cores, &CoreGroup::memory_queues, &MemoryLaw::queue, machine.memory->queue_bandwidth};
}

MemoryPaths::MemoryPaths(const Machine& machine, std::span<const CoreType> cores, std::vector<int> CoreGroup::*told,
                         double MemoryLaw::*limit, double bandwidth)
    : of(cores.size(), 0), law{.total = machine.memory->bandwidth, .contention = machine.memory->contention} {
  std::array<std::span<const int>, kCoreTypeCount> by_type;
  for (const CoreGroup& group : machine.compute_cores) by_type[static_cast<std::size_t>(group.type)] = group.*told;
  if (bandwidth <= 0 || std::ranges::all_of(by_type, [](std::span<const int> paths) { return paths.empty(); })) return;
  law.*limit = bandwidth;
  count = 0;
  std::vector<std::pair<int, std::uint32_t>> numbers;  // of the paths so far, sorted
  std::array<std::size_t, kCoreTypeCount> seen{};
  for (std::size_t i = 0; i < cores.size(); ++i) {
    const auto type = static_cast<std::size_t>(cores[i]);
    const std::size_t place = seen[type]++;
    if (place >= by_type[type].size()) {
      of[i] = static_cast<std::uint32_t>(count++);
      continue;
    }
    const int path = by_type[type][place];
    auto known = std::ranges::lower_bound(numbers, path, {}, &std::pair<int, std::uint32_t>::first);
    if (known == numbers.end() || known->first != path) known = numbers.insert(known, {path, static_cast<std::uint32_t>(count++)});
    of[i] = known->second;
  }
}

}  // namespace tasktwin
