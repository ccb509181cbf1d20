#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace tasktwin {

/// What a kernel can do with the memory that a parameter points to.
enum class ParameterUse {
  kNone,       ///< it is no pointer; what a structure or a number holds is not known
  kReadOnly,   ///< a pointer to what is const, or a tensor of PyTorch's of what is const
  kReadWrite,  ///< any other pointer or tensor
  kAnything    ///< a pointer to pointers: what these point to is touched, and nobody tells what that is
};

/// By parameter, from a demangled name such as "axpy(float const*, float*, float)"; empty where the name has no parameters.
std::vector<ParameterUse> parameter_uses(std::string_view demangled);

/// What a kernel does with the pointers among its parameters, structures or not: with the first in the order of memory, and with others.
struct StructureUse {
  ParameterUse first;
  ParameterUse others;
  std::span<const std::uint32_t> read = {};  ///< offsets, of a structure that is the only parameter, of what is read alone
  bool partly_filled = false;                ///< it has room for more pointers than it holds; what stands there by chance proves no race

  ParameterUse of(bool is_first, std::uint32_t offset) const {
    if (std::ranges::find(read, offset) != read.end()) return ParameterUse::kReadOnly;
    return is_first ? first : others;
  }
};

/// Of a kernel of PyTorch's, cuBLAS's, cuDNN's, cuFFT's or CUTLASS's whose structures are known; nullopt for any other.
std::optional<StructureUse> structure_use(std::string_view demangled);

}  // namespace tasktwin
