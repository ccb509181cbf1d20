#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "models/names.hpp"

namespace tasktwin {

/// What a task's body does. What its arguments (Task::args) mean stands beside each.
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

template <>
struct Words<Kernel> {
  static constexpr std::array entries{
      std::pair{Kernel::kEmpty, std::string_view{"empty"}},
      std::pair{Kernel::kSpin, std::string_view{"spin"}},
      std::pair{Kernel::kFma, std::string_view{"fma"}},
      std::pair{Kernel::kStream, std::string_view{"stream"}},
      std::pair{Kernel::kPotrf, std::string_view{"potrf"}},
      std::pair{Kernel::kTrsm, std::string_view{"trsm"}},
      std::pair{Kernel::kSyrk, std::string_view{"syrk"}},
      std::pair{Kernel::kGemm, std::string_view{"gemm"}},
      std::pair{Kernel::kRmsNorm, std::string_view{"rms_norm"}},
      std::pair{Kernel::kQkv, std::string_view{"qkv"}},
      std::pair{Kernel::kAttention, std::string_view{"attention"}},
      std::pair{Kernel::kAttentionMerge, std::string_view{"attention_merge"}},
      std::pair{Kernel::kProject, std::string_view{"project"}},
      std::pair{Kernel::kGateUp, std::string_view{"gate_up"}},
      std::pair{Kernel::kDown, std::string_view{"down"}},
      std::pair{Kernel::kHead, std::string_view{"head"}},
  };
};

/// Whether it multiplies rows of a matrix, which it reads, with a vector.
constexpr bool reads_rows(Kernel kernel) {
  return kernel == Kernel::kQkv || kernel == Kernel::kProject || kernel == Kernel::kGateUp || kernel == Kernel::kDown ||
         kernel == Kernel::kHead;
}

/// Whether it does arithmetic on tiles that it keeps, as a matrix core does, and moves few bytes for it.
constexpr bool is_matrix_kernel(Kernel kernel) { return kernel == Kernel::kFma || (kernel >= Kernel::kPotrf && kernel <= Kernel::kGemm); }

/// Whether it reads or writes global memory beyond its arguments.
constexpr bool uses_memory(Kernel kernel) { return kernel != Kernel::kEmpty && kernel != Kernel::kSpin && kernel != Kernel::kFma; }

inline constexpr std::size_t kKernelCount = Words<Kernel>::entries.size();

}  // namespace tasktwin
