#include "models/memory_ports.hpp"

#include <algorithm>
#include <array>
#include <map>

namespace tasktwin {

MemoryPorts::MemoryPorts(const Machine& machine, std::span<const CoreType> cores) : of(cores.size(), 0) {
  std::array<std::span<const int>, kCoreTypeCount> told;
  for (const CoreGroup& group : machine.compute_cores) told[static_cast<std::size_t>(group.type)] = group.memory_ports;
  if (std::ranges::all_of(told, [](std::span<const int> ports) { return ports.empty(); })) return;
  std::map<int, std::uint32_t> numbers;
  std::array<std::size_t, kCoreTypeCount> seen{};
  for (std::size_t i = 0; i < cores.size(); ++i) {
    const auto type = static_cast<std::size_t>(cores[i]);
    const std::size_t place = seen[type]++;
    if (place >= told[type].size()) {
      of[i] = static_cast<std::uint32_t>(count++);
      continue;
    }
    const auto [number, is_new] = numbers.try_emplace(told[type][place], static_cast<std::uint32_t>(count));
    if (is_new) ++count;
    of[i] = number->second;
  }
}

}  // namespace tasktwin
