#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gpu/rerun/saved_memory.hpp"
#include "gpu/rerun/tape/program_memory.hpp"
#include "gpu/rerun/tape/tape.hpp"

namespace tasktwin::gpu::rerun {

/// The memory that operations may change, and which operation names which of it.
struct TouchedMemory {
  std::vector<Region> regions{};  ///< by address, none in another
  struct Use {
    std::uint64_t address;
    int operation;
  };
  std::vector<Use> uses{};  ///< by address, and by operation where they are alike

  /// The last operation that names memory at or below `address` in its region, as near to it as any does; −1 where none does.
  int named_by(const Region& region, std::uint64_t address) const;
};

/// All device memory that the program has allocated on the tape's context, since kernels follow pointers in memory too, and what else
/// pointers among arguments point to. Refuses, in the tape, memory of other processes, managed memory, and what was freed.
TouchedMemory touched_memory(Tape& tape, const ProgramMemory& memory);

}  // namespace tasktwin::gpu::rerun
