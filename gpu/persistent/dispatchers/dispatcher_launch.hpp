#pragma once

#include "gpu/persistent/dispatchers/central_dispatcher_kernel.hpp"

namespace tasktwin::gpu {

/// What a kernel is made to note.
enum class Notes {
  kNone,
  kRounds,  ///< of dispatchers, without phases
  kAll,     ///< whatever the run asks for
};

struct PlainDispatchers;
struct FifoDispatchers;
struct HomeDispatchers;

/// Runs workers and dispatchers of that kind, each of which owns up to 32 · kPasses cores. Compiling one takes long, so that each kind and
/// number of passes has a .cu of its own that instantiates it (dispatcher_block.cuh defines it).
template <class Warps, Notes kNotes, int kPasses>
void launch_dispatchers(const PersistentRun& run, const CentralDispatcher& central, cudaStream_t stream);

}  // namespace tasktwin::gpu
