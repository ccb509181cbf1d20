#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/base/error.hpp"

namespace tasktwin::scenarios {

/// What is done with the memory that a pointer points to.
struct PointerEffect {
  bool read = false;
  bool write = false;
};

/// What kernels of some names do with what they point to.
struct KernelEffect {
  std::string kernel;                   ///< pattern of names with their parameters (models/base/name_pattern.hpp)
  std::vector<PointerEffect> pointers;  ///< of each pointer among the parameters, in their order
  std::vector<std::uint64_t> bytes;     ///< of each, from the pointer on; 0, or none: its whole allocation
  SourceLocation where;
};

/// Reads a file with a list `effects`, of which each has `kernel`, `pointers` (read, write, read_write, none) and may have `bytes`. Throws
/// InputError with file:line:column.
std::vector<KernelEffect> read_kernel_effects(const std::string& path);

}  // namespace tasktwin::scenarios
