#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace tasktwin {

/// What a kernel can do with the memory that a parameter points to.
enum class ParameterUse {
  kNone,      ///< it is no pointer; what a structure or a number holds is not known
  kReadOnly,  ///< a pointer to what is const
  kReadWrite  ///< any other pointer
};

/// By parameter, from a demangled name such as "axpy(float const*, float*, float)"; empty where the name has no parameters.
std::vector<ParameterUse> parameter_uses(std::string_view demangled);

/// What a kernel does with the pointers within its parameters that are structures: with the first in the order of memory, and with others.
struct StructureUse {
  ParameterUse first;
  ParameterUse others;
};

/// Of a kernel of PyTorch's whose structures are known; nullopt for any other.
std::optional<StructureUse> structure_use(std::string_view demangled);

}  // namespace tasktwin
