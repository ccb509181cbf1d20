#pragma once

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
  kAnything,   ///< a pointer to pointers: what these point to is touched, and nobody tells what that is
  kHandle      ///< a number that may be a texture or a surface, whose memory nobody tells
};

/// By parameter, from a demangled name such as "axpy(float const*, float*, float)"; empty where the name has no parameters.
std::vector<ParameterUse> parameter_uses(std::string_view demangled);

/// A word among a kernel's parameters.
struct ParameterWord {
  std::uint32_t parameter = 0;
  std::uint32_t offset = 0;  ///< in bytes, within the parameter
};

/// What a kernel does with the pointers among its parameters, structures or not: with the first in the order of memory, and with others.
struct StructureUse {
  ParameterUse first;
  ParameterUse others;
  std::span<const std::uint32_t> read = {};     ///< offsets, of a structure that is the only parameter, of what is read alone
  std::span<const std::uint32_t> written = {};  ///< offsets of what is written, first or not; where no pointer stands there all may be
  std::uint32_t from = 0;                       ///< operands stand from this offset on; what is before it is there by chance
  std::optional<std::uint32_t> array = {};      ///< the parameter that holds the operands; other pointers are a functor's own
  bool partly_filled = false;                   ///< it has room for more pointers than it holds; what stands there by chance proves no race
};

/// What is done with a pointer, and whether it is an operand at all: where it may not be it is taken to be written, but proves no race.
struct PointerUse {
  ParameterUse use = ParameterUse::kReadWrite;
  bool operand = false;
};

/// By pointer, as they stand in the order of memory.
std::vector<PointerUse> pointer_uses(const StructureUse& structure, std::span<const ParameterWord> pointers);

/// Of a kernel of PyTorch's, cuBLAS's, cuDNN's, cuFFT's or CUTLASS's whose structures are known; nullopt for any other.
std::optional<StructureUse> structure_use(std::string_view demangled);

/// Of a kernel of NCCL's the offset in its parameter from which on its work may stand. Where no pointer stands there the work is in memory,
/// and the kernel touches what that says. 0 for any other kernel.
std::uint32_t collective_work(std::string_view demangled);

}  // namespace tasktwin
