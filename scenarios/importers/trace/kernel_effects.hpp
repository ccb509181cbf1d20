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

/// A pointer's place among a kernel's parameters.
struct PointerPlace {
  std::int64_t parameter = 0;  ///< from 0
  std::int64_t offset = 0;     ///< in it, in bytes
  friend bool operator==(const PointerPlace&, const PointerPlace&) = default;
};

/// What kernels of some names do with what they point to.
struct KernelEffect {
  std::string kernel;                   ///< pattern of names with their parameters (models/base/name_pattern.hpp)
  std::vector<PointerEffect> pointers;  ///< of each pointer among the parameters, in their order, or of those at `places`
  std::vector<PointerPlace> places;     ///< of each, its place; empty where they are all there are
  std::vector<std::uint64_t> bytes;     ///< of each, from the pointer on; 0, or none: its whole allocation
  SourceLocation where;
};

/// Reads a file with a list `effects`, of which each has `kernel`, `pointers` (read, write, read_write, none) and may have `bytes` and
/// `at`. Throws InputError with file:line:column.
std::vector<KernelEffect> read_kernel_effects(const std::string& path);

}  // namespace tasktwin::scenarios
