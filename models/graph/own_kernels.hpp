#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/base/names.hpp"
#include "models/graph/kernel.hpp"

namespace tasktwin {

/// What a parameter of a scenario's own kernel is: a number of 32 bits, or the address of a buffer.
enum class ArgumentType : std::uint8_t { kInteger, kFloat, kBuffer };

template <>
struct Words<ArgumentType> {
  static constexpr std::array entries{
      std::pair{ArgumentType::kInteger, std::string_view{"integer"}},
      std::pair{ArgumentType::kFloat, std::string_view{"float"}},
      std::pair{ArgumentType::kBuffer, std::string_view{"buffer"}},
  };
};

/// The numbers that a buffer holds.
enum class ElementType : std::uint8_t { kHalf, kBfloat16, kFloat, kInteger, kByte };

template <>
struct Words<ElementType> {
  static constexpr std::array entries{
      std::pair{ElementType::kHalf, std::string_view{"half"}},   std::pair{ElementType::kBfloat16, std::string_view{"bfloat16"}},
      std::pair{ElementType::kFloat, std::string_view{"float"}}, std::pair{ElementType::kInteger, std::string_view{"int32"}},
      std::pair{ElementType::kByte, std::string_view{"byte"}},
  };
};

constexpr std::int64_t element_bytes(ElementType type) {
  return type == ElementType::kByte ? 1 : type == ElementType::kHalf || type == ElementType::kBfloat16 ? 2 : 4;
}

/// What a buffer holds when a run begins.
enum class BufferFill : std::uint8_t {
  kZero,
  kUniform,  ///< floating-point numbers evenly in [-scale, scale), whole ones in [0, range), drawn from the element's index and the
             ///< buffer's
  kIndex,    ///< each element's index
};

template <>
struct Words<BufferFill> {
  static constexpr std::array entries{
      std::pair{BufferFill::kZero, std::string_view{"zero"}},
      std::pair{BufferFill::kUniform, std::string_view{"uniform"}},
      std::pair{BufferFill::kIndex, std::string_view{"index"}},
  };
};

/// Device memory that a scenario's own kernels read and write.
struct OwnBuffer {
  std::string name;
  ElementType type = ElementType::kFloat;
  std::int64_t count = 0;  ///< elements
  BufferFill fill = BufferFill::kZero;
  std::int64_t range = 0;  ///< of whole numbers under `uniform`
  float scale = 1;         ///< of others

  std::int64_t bytes() const { return count * element_bytes(type); }
  friend bool operator==(const OwnBuffer&, const OwnBuffer&) = default;
};

/// A kernel that a scenario brings along: a __device__ function of a CUDA source, and how its blocks are launched.
struct OwnKernel {
  struct Parameter {
    std::string name;
    ArgumentType type = ArgumentType::kInteger;
    friend bool operator==(const Parameter&, const Parameter&) = default;
  };

  std::string name;
  std::string source;              ///< path of the .cu
  std::string source_hash;         ///< of its text
  std::string entry;               ///< the function, as docs/kernels.md says
  int threads = 256;               ///< a block
  std::int64_t shared_memory = 0;  ///< dynamic, bytes a block
  int carveout = -1;               ///< TaskTraits::carveout
  std::vector<Parameter> parameters;
  std::string stated_in;  ///< the scenario's file and
  int stated_line = 0;    ///< line, for what compilers say of a call that does not fit
  bool split = false;     ///< some of its tasks are blocks of a grid: those have kMostSplitArguments arguments, and further words
  friend bool operator==(const OwnKernel&, const OwnKernel&) = default;
};

/// 32-bit words that a task hands to its kernel: the bits of an int or a float, or the number of a buffer.
inline constexpr std::size_t kMostArguments = 13;
/// Of a kernel whose grids are split, whose last two words are which block a task is, and of how many; 0 of how many for whole grids.
inline constexpr std::size_t kMostSplitArguments = kMostArguments - 2;
using ArgumentRow = std::array<std::uint32_t, kMostArguments>;

/// Kernels are numbered in one byte: those of the project, and after them those that a scenario brings along.
inline constexpr std::size_t kMostKernels = 256;
inline constexpr std::size_t kMostOwnKernels = kMostKernels - kKernelCount;

/// What a scenario's own kernels are and work on. A task of one has Kernel own_kernel(i), and in args[0] its row of `arguments`.
struct OwnKernels {
  std::vector<OwnKernel> kernels;
  std::vector<OwnBuffer> buffers;
  std::vector<ArgumentRow> arguments;
  friend bool operator==(const OwnKernels&, const OwnKernels&) = default;
};

constexpr Kernel own_kernel(std::size_t i) { return static_cast<Kernel>(kKernelCount + i); }
constexpr bool is_own(Kernel kernel) { return static_cast<std::size_t>(kernel) >= kKernelCount; }
/// Contract: is_own.
constexpr std::size_t own_index(Kernel kernel) { return static_cast<std::size_t>(kernel) - kKernelCount; }

}  // namespace tasktwin
