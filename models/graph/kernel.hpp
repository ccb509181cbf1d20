#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "models/base/names.hpp"

namespace tasktwin {

/// What a task's body does. The meaning of its arguments (Task::args) is next to each.
enum class Kernel : std::uint8_t {
  kEmpty,      ///< nothing: joins many predecessors to many successors
  kSpin,       ///< occupies the core for exactly cost.time
  kFma,        ///< cost.flops of dependent FP32 multiply-adds
  kStream,     ///< reads cost.bytes from device memory, from a region no recent task has read
  kPotrf,      ///< Cholesky of tile (k, k); args {k, k, k, tile_size}
  kTrsm,       ///< tile (i, k) ← tile (i, k) · L(k, k)⁻ᵀ; args {i, k, k, tile_size}
  kSyrk,       ///< tile (i, i) ← tile (i, i) − L(i, k) L(i, k)ᵀ; args {i, i, k, tile_size}
  kGemm,       ///< tile (i, j) ← tile (i, j) − L(i, k) L(j, k)ᵀ; args {i, j, k, tile_size}
  kRmsNorm,    ///< args {layer, which, 0, 0}: which 0 before attention, 1 before the MLP; the last norm has layer = layers
  kQkv,        ///< rows of [Wq; Wk; Wv] times the normed state; args {layer, first_row, rows, 0}
  kAttention,  ///< rope, and softmax attention of one KV head's query group over a slice; args {layer, kv_head, first_position, positions}
  kAttentionMerge,  ///< joins the slices of one KV head; args {layer, kv_head, slices, 0}
  kProject,         ///< rows of Wo times the attention output, plus the residual; args {layer, first_row, rows, 0}
  kGateUp,          ///< silu(rows of Wgate · x) · (rows of Wup · x); args {layer, first_row, rows, 0}
  kDown,            ///< rows of Wdown times the MLP state, plus the residual; args {layer, first_row, rows, 0}
  kHead,            ///< rows of the vocabulary matrix times the normed state; args {0, first_row, rows, 0}
};

/// What a body keeps in its block's shared memory (body_shared_bytes).
enum class SharedUse : std::uint8_t {
  kNothing,    ///< or what there is room for
  kSums,       ///< a number of each warp
  kVector,     ///< that rows are multiplied with
  kTiles,      ///< two tiles and a row of one
  kAttention,  ///< queries, and what each warp has found
};

/// Inputs of a task that no task of its graph writes (constant_bytes).
enum class ConstantInputs : std::uint8_t {
  kNone,
  kBytes,  ///< all that it reads
  kNorm,   ///< the weights of a norm
  kCache,  ///< keys and values of earlier positions
  kRows,   ///< rows of a matrix
};

/// What each of a kernel's tasks must state.
enum class StatedCost : std::uint8_t {
  kNothing,  ///< its bytes and FLOPs follow from its arguments, or it has none
  kTime,     ///< cost.time
  kFlops,    ///< cost.flops
  kBytes,    ///< cost.bytes
};

/// A kernel of the project, as the catalogue of kernels has it. A scenario's own kernels follow these:
/// models/graph/own_kernels.hpp.
struct KernelEntry {
  Kernel kernel;
  std::string_view name;
  bool any_block = false;  ///< runs in blocks of any number of threads and any shared memory; the others compute numbers with
                           ///< kWholeCoreThreads and all of kWholeCoreSharedBytes
  bool matrix = false;     ///< does arithmetic on tiles that it keeps, as a matrix core does, and moves few bytes for it
  bool memory = true;      ///< reads or writes global memory beyond its arguments
  SharedUse shared_bytes = SharedUse::kNothing;
  ConstantInputs constant_inputs = ConstantInputs::kNone;
  StatedCost states = StatedCost::kNothing;
  std::string_view meaning = {};  ///< what its body does, where a scenario may give any task this kernel, since it computes no numbers
};

/// By Kernel.
inline constexpr std::array kKernelEntries{
    KernelEntry{
        .kernel = Kernel::kEmpty, .name = "empty", .any_block = true, .memory = false, .meaning = "nothing: joins many tasks to many"},
    KernelEntry{.kernel = Kernel::kSpin,
                .name = "spin",
                .any_block = true,
                .memory = false,
                .states = StatedCost::kTime,
                .meaning = "occupies its core for that long"},
    KernelEntry{.kernel = Kernel::kFma,
                .name = "fma",
                .any_block = true,
                .matrix = true,
                .memory = false,
                .states = StatedCost::kFlops,
                .meaning = "dependent FP32 multiply-adds, as long as the machine's cost says"},
    KernelEntry{.kernel = Kernel::kStream,
                .name = "stream",
                .any_block = true,
                .constant_inputs = ConstantInputs::kBytes,
                .states = StatedCost::kBytes,
                .meaning = "reads bytes from device memory, and competes for its bandwidth"},
    KernelEntry{.kernel = Kernel::kPotrf, .name = "potrf", .matrix = true, .shared_bytes = SharedUse::kTiles},
    KernelEntry{.kernel = Kernel::kTrsm, .name = "trsm", .matrix = true, .shared_bytes = SharedUse::kTiles},
    KernelEntry{.kernel = Kernel::kSyrk, .name = "syrk", .matrix = true, .shared_bytes = SharedUse::kTiles},
    KernelEntry{.kernel = Kernel::kGemm, .name = "gemm", .matrix = true, .shared_bytes = SharedUse::kTiles},
    KernelEntry{.kernel = Kernel::kRmsNorm, .name = "rms_norm", .shared_bytes = SharedUse::kSums, .constant_inputs = ConstantInputs::kNorm},
    KernelEntry{.kernel = Kernel::kQkv, .name = "qkv", .shared_bytes = SharedUse::kVector, .constant_inputs = ConstantInputs::kRows},
    KernelEntry{.kernel = Kernel::kAttention,
                .name = "attention",
                .shared_bytes = SharedUse::kAttention,
                .constant_inputs = ConstantInputs::kCache},
    KernelEntry{.kernel = Kernel::kAttentionMerge, .name = "attention_merge"},
    KernelEntry{
        .kernel = Kernel::kProject, .name = "project", .shared_bytes = SharedUse::kVector, .constant_inputs = ConstantInputs::kRows},
    KernelEntry{.kernel = Kernel::kGateUp, .name = "gate_up", .shared_bytes = SharedUse::kVector, .constant_inputs = ConstantInputs::kRows},
    KernelEntry{.kernel = Kernel::kDown, .name = "down", .shared_bytes = SharedUse::kVector, .constant_inputs = ConstantInputs::kRows},
    KernelEntry{.kernel = Kernel::kHead, .name = "head", .shared_bytes = SharedUse::kVector, .constant_inputs = ConstantInputs::kRows},
};
inline constexpr std::size_t kKernelCount = kKernelEntries.size();

template <>
struct Words<Kernel> {
  static constexpr auto entries = [] {
    std::array<std::pair<Kernel, std::string_view>, kKernelCount> words{};
    for (std::size_t i = 0; i < kKernelCount; ++i) words[i] = {kKernelEntries[i].kernel, kKernelEntries[i].name};
    return words;
  }();
};

/// The entry of a scenario's own kernel where nothing else is known: it runs in the blocks that the scenario states.
inline constexpr KernelEntry kOwnKernelEntry{.kernel = static_cast<Kernel>(kKernelCount), .name = "", .any_block = true};

constexpr const KernelEntry& kernel_entry(Kernel kernel) {
  const auto number = static_cast<std::size_t>(kernel);
  return number < kKernelCount ? kKernelEntries[number] : kOwnKernelEntry;
}

constexpr bool runs_in_any_block(Kernel kernel) { return kernel_entry(kernel).any_block; }
constexpr bool reads_rows(Kernel kernel) { return kernel_entry(kernel).constant_inputs == ConstantInputs::kRows; }
constexpr bool is_matrix_kernel(Kernel kernel) { return kernel_entry(kernel).matrix; }
/// Whether it computes no numbers, so that any task may have it, or be left out.
constexpr bool is_synthetic(Kernel kernel) { return !kernel_entry(kernel).meaning.empty(); }
constexpr bool uses_memory(Kernel kernel) { return kernel_entry(kernel).memory; }

}  // namespace tasktwin
