#pragma once

#include <span>
#include <string_view>

namespace tasktwin::gpu {

/// A source of kernels, compiled by nvcc to LTO code in which bodies are open (TASKTWIN_OPEN_BODIES); named as its file without .cu.
struct LtoUnit {
  std::string_view name;
  std::span<const char> code;  ///< a fat binary
};

/// Contract: there is one of that name.
const LtoUnit& lto_unit(std::string_view name);

/// The lowest compute capability that they are made for, such as 90: the code links for that and later ones.
int lto_capability();

}  // namespace tasktwin::gpu
