#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "models/machine.hpp"

namespace tasktwin {

/// By which ports the cores reach the memory, numbered from 0.
struct MemoryPorts {
  std::vector<std::uint32_t> of;  ///< by CoreId; 0 where there are none
  std::size_t count = 0;

  /// `cores`: the type of each, by CoreId. None where the machine tells none; a type that is told none, beside one that
  /// is, has a port for each of its cores.
  MemoryPorts(const Machine& machine, std::span<const CoreType> cores);
};

}  // namespace tasktwin
