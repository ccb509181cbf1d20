#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "models/machine/machine.hpp"
#include "models/machine/memory_share.hpp"

namespace tasktwin {

/// The paths by which cores reach the memory, numbered from 0: cores of one path are limited together, before the memory limits
/// all. Where the machine states none, all share one without a limit; a type without one, next to a type with one, has a path
/// for each of its cores.
struct MemoryPaths {
  std::vector<std::uint32_t> of;  ///< by CoreId
  std::size_t count = 1;
  MemoryLaw law;

  /// Of cores that blocks of kernels take in their order: by CoreGroup::memory_ports. `cores`: the type of each, by CoreId.
  static MemoryPaths of_blocks(const Machine& machine, std::span<const CoreType> cores);
  /// Of cores with resident workers, each on the path of its own number: by CoreGroup::memory_queues.
  static MemoryPaths of_workers(const Machine& machine, std::span<const CoreType> cores);

 private:
  MemoryPaths(const Machine& machine, std::span<const CoreType> cores, std::vector<int> CoreGroup::*told, double MemoryLaw::*limit,
              double bandwidth);
};

}  // namespace tasktwin
