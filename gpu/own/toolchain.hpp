#pragma once

#include <chrono>
#include <span>
#include <string>
#include <vector>

#include "gpu/own/own_sources.hpp"

namespace tasktwin::gpu {

/// Code as NVRTC, nvJitLink and nvcc hand it around.
using Code = std::vector<char>;

/// NVRTC and nvJitLink, loaded when first asked for: no program needs them that compiles nothing. The newest compute capability that code
/// is made for is that of the device at hand, such as 90.
class Toolchain {
 public:
  /// Loads both. Throws RunError naming the library that is missing and the packages that have it.
  static const Toolchain& get();

  /// LTO code of `source`. Throws InputError with the compiler's own messages.
  Code compile(const KernelSource& source, int capability) const;

  /// A cubin of `objects`, LTO code of which the first is nvcc's fat binary. `most_registers`: a thread may have. Throws InputError with
  /// the linker's messages, UnendedRun where it does not end within kLinkLimit: the code of a body may be too much for it.
  Code link(const std::vector<std::span<const char>>& objects, int capability, int most_registers) const;

  /// Versions of both, for what is kept from one process to the next.
  const std::string& versions() const { return versions_; }

 private:
  Toolchain();

  struct Functions;
  const Functions* functions_;
  std::string versions_;
};

inline constexpr std::chrono::seconds kLinkLimit{120};

}  // namespace tasktwin::gpu
