#include "gpu/persistent/dispatchers/central_dispatcher_kernel.hpp"

#include <algorithm>
#include <bit>

#include "gpu/persistent/dispatchers/dispatcher_launch.hpp"
#include "gpu/persistent/queues/ready_words.hpp"

namespace tasktwin::gpu {

namespace {

constexpr int kMostPasses = kMostWorkers / 32;

using Launch = void(const PersistentRun& run, const CentralDispatcher& central, cudaStream_t stream);

template <class Warps, int kPasses>
Launch* noting(Notes notes) {
  return notes == Notes::kNone ? launch_dispatchers<Warps, Notes::kNone, kPasses> : launch_dispatchers<Warps, Notes::kAll, kPasses>;
}

/// Calibration times rounds of dispatchers with few cores and the order fifo: only these have a kernel that notes nothing else.
Launch* plain_dispatchers(Notes notes, ReadyKind kind, std::uint32_t cores) {
  if (cores > 64) return noting<PlainDispatchers, kMostPasses>(notes);
  if (cores > 32) return noting<PlainDispatchers, 2>(notes);
  if (notes == Notes::kRounds && kind == ReadyKind::kFifo) return launch_dispatchers<FifoDispatchers, Notes::kRounds, 1>;
  return noting<PlainDispatchers, 1>(notes);
}

Launch* home_dispatchers(Notes notes, std::uint32_t cores) {
  return cores > 32 ? noting<HomeDispatchers, kMostPasses>(notes) : noting<HomeDispatchers, 1>(notes);
}

}  // namespace

std::vector<std::uint32_t> initial_ready_words(bool plain, ReadyKind kind, std::uint32_t tasks, std::span<const std::uint32_t> roots) {
  std::vector<std::uint32_t> words(kind == ReadyKind::kRanked ? rank_words(tasks) : plain ? tasks : std::bit_ceil(tasks));
  if (kind == ReadyKind::kFifo && plain) {
    std::ranges::transform(roots, words.begin(), [](std::uint32_t root) { return 1 + root; });
  } else if (kind != ReadyKind::kRanked) {
    std::ranges::copy(roots, words.begin());
  } else {
    for (const std::uint32_t root : roots) {
      words[root / 32] |= 1u << root % 32;
      words[rank_summary_at(tasks) + root / 1024] |= 1u << root / 32 % 32;
    }
  }
  return words;
}

void launch_central_dispatcher(const PersistentRun& run, const CentralDispatcher& central, cudaStream_t stream) {
  const std::uint32_t cores = (run.workers + central.dispatchers - 1) / central.dispatchers;
  const Notes notes = watched(run) ? Notes::kAll : run.time_rounds ? Notes::kRounds : Notes::kNone;
  (central.plain(run) ? plain_dispatchers(notes, central.ready_kind, cores) : home_dispatchers(notes, cores))(run, central, stream);
}

}  // namespace tasktwin::gpu
