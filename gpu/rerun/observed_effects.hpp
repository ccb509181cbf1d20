#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include <cuda.h>

#include "gpu/rerun/tape/program_memory.hpp"
#include "gpu/rerun/tape/tape.hpp"
#include "gpu/rerun/touched_memory.hpp"

namespace tasktwin::gpu::rerun {

/// Finds what kernels do with what their arguments point to: a kernel runs from the same memory several times, and each time what another
/// of its pointers points to holds zeros. What is no longer zeros afterwards is written; where all is then as without zeros, it is only
/// written. The rest counts as read. Memory from a pointer up to the next that any kernel has is looked at, on the device alone.
/// Memory that holds addresses is not zeroed, and counts as read and written.
class EffectObserver {
 public:
  /// Contract: these outlive it, and the tape's context is current. Throws CudaError.
  EffectObserver(const Tape& tape, const ProgramMemory& memory, const TouchedMemory& touched);
  ~EffectObserver();
  EffectObserver(const EffectObserver&) = delete;
  EffectObserver& operator=(const EffectObserver&) = delete;

  struct Effect {
    int parameter = 0;  ///< from 0
    int offset = 0;     ///< in it
    std::string_view word = "read_write";
  };
  /// Of each pointer among the kernel's arguments: read, write or read_write. `run` runs it and waits for it; memory is afterwards as after
  /// one run. Throws CudaError.
  std::vector<Effect> observe(std::size_t operation, const std::function<void()>& run);

 private:
  /// Memory that a pointer points to, and copies of it.
  struct Extent {
    std::uint64_t begin = 0;
    std::size_t bytes = 0;
    CUdeviceptr before = 0;  ///< as it was
    CUdeviceptr after = 0;   ///< as a run left it
    bool changed = false;
    bool tried = false;  ///< with zeros
    bool written = false, overwritten = false;
  };

  std::vector<ArgumentWord> pointers_of(const Operation& operation) const;
  Extent extent_of(std::uint64_t address) const;
  std::vector<Extent> extents_of(const std::vector<ArgumentWord>& pointers);
  bool holds_addresses(const Extent& extent) const;
  void restore(const std::vector<Extent>& extents);
  void try_with_zeros(std::vector<Extent>& extents, Extent& one, const std::function<void()>& run);
  bool differs(CUdeviceptr left, CUdeviceptr right, std::size_t bytes);
  CUdeviceptr take(std::size_t bytes);
  void copy(CUdeviceptr to, CUdeviceptr from, std::size_t bytes);

  const Tape& tape_;
  const ProgramMemory& memory_;
  const TouchedMemory& touched_;
  CUmodule module_ = nullptr;
  CUfunction differing_ = nullptr;
  CUdeviceptr counts_ = 0, zeros_ = 0;
  std::size_t counts_bytes_ = 0, zeros_bytes_ = 0;
  std::vector<CUdeviceptr> taken_;  ///< for the kernel that is looked at
};

}  // namespace tasktwin::gpu::rerun
