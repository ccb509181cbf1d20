#pragma once

#include <algorithm>
#include <string>

#include "gpu/persistent/dispatcher_kernels/mailbox_link.cuh"
#include "gpu/persistent/dispatchers/dispatcher_launch.hpp"
#include "gpu/persistent/dispatchers/dispatcher_warp.cuh"
#include "gpu/persistent/launch/launch.cuh"
#include "gpu/persistent/workers/worker.cuh"

namespace tasktwin::gpu {

/// Of every block: what the dispatcher's tables may take beside the static part, where a block can have that.
inline constexpr std::size_t kDispatcherBytes = 220 * 1024;
static_assert(kDispatcherBytes >= kBodySharedBytes);

/// Shared memory as it is given away, front to back.
class Room {
 public:
  __device__ Room(std::byte* begin, std::uint32_t words) : next_(reinterpret_cast<std::uint32_t*>(begin)), words_(words) {}

  __device__ std::uint32_t words() const { return words_; }

  __device__ std::uint32_t* take(std::uint32_t words) {
    std::uint32_t* const taken = next_;
    next_ += words;
    words_ -= words;
    return taken;
  }

  /// A copy of `words` words where there is room, else themselves; the whole block calls it.
  template <class Word>
  __device__ Word* place(Word* from, std::uint32_t words) {
    if (words > words_) return from;
    std::uint32_t* const to = take(words);
    for (std::uint32_t i = threadIdx.x; i < words; i += blockDim.x) to[i] = from[i];
    return to;
  }

 private:
  std::uint32_t* next_;
  std::uint32_t words_;
};

/// How many words each of the dispatchers' tables takes.
struct TableWords {
  std::uint32_t rounds;
  std::uint32_t edges;
  std::uint32_t places;
  std::uint32_t counters;
  std::uint32_t wide;  ///< of either
  std::uint32_t ready;
  std::uint32_t successors;

  __host__ __device__ TableWords(const PersistentRun& run, const CentralDispatcher& central) {
    const std::uint32_t slots = run.workers * (central.slot_mask + 1);
    rounds = run.time_rounds ? central.dispatchers * kTimedRounds * kWordsOf<DispatchIteration> : 0;
    edges = slots * kWordsOf<TaskEdges>;
    places = slots;
    counters = central.byte_counters ? (run.task_count + 3) / 4 : run.task_count;
    wide = central.wide.to_hand ? run.task_count : 0;
    ready = central.homes.count * central.ready_words;
    successors = central.edge_count;
  }

 private:
  template <class Entry>
  static constexpr std::uint32_t kWordsOf = sizeof(Entry) / sizeof(std::uint32_t);
};

/// What of `most` words place_tables() takes, after `ring` of Warps::ring_words().
inline std::uint32_t words_taken(const TableWords& words, std::uint32_t ring, std::uint32_t most) {
  std::uint32_t taken = ring + words.rounds + words.edges + words.places;
  for (const std::uint32_t table : {words.counters, words.wide, words.wide, words.ready, words.successors}) {
    if (taken + table <= most) taken += table;
  }
  return taken;
}

__device__ inline Counters place_counters(const PersistentRun& run, const CentralDispatcher& central, std::uint32_t words, Room& room) {
  if (!central.byte_counters) return {room.place(run.counters, words), run.task_count, false};
  if (words > room.words()) return {run.counters, run.task_count, false};
  std::uint32_t* const packed = room.take(words);
  for (std::uint32_t i = threadIdx.x; i < words; i += blockDim.x) {
    packed[i] = 0;
    for (std::uint32_t place = 4 * i; place < min(4 * i + 4, run.task_count); ++place) packed[i] |= run.counters[place] << place % 4 * 8;
  }
  return {packed, run.task_count, true};
}

/// The tables that every design has, in the order of words_taken(); the whole block calls it.
__device__ inline Tables place_tables(const PersistentRun& run, const CentralDispatcher& central, Room& room) {
  Tables tables{};
  const TableWords words(run, central);
  if (run.time_rounds) tables.rounds = reinterpret_cast<DispatchIteration*>(room.take(words.rounds));
  tables.edges = reinterpret_cast<TaskEdges*>(room.take(words.edges));
  tables.places = room.take(words.places);
  tables.counters = place_counters(run, central, words.counters, room);
  if (central.wide.to_hand) {
    tables.wide.to_hand = room.place(central.wide.to_hand, words.wide);
    tables.wide.to_end = room.place(central.wide.to_end, words.wide);
  }
  tables.ready = room.place(central.ready, words.ready);
  tables.successors = room.place(run.successors, words.successors);
  return tables;
}

__device__ inline void begin_state(const PersistentRun& run, const CentralDispatcher& central, DispatcherState& state) {
  if (threadIdx.x < kMostDispatchers) state.ready[threadIdx.x] = {0, central.root_counts[threadIdx.x], 0};
  if (threadIdx.x != 0) return;
  state.completed = 0;
  state.known = central.known;
  state.handed = 0;
  state.idle_cores = run.workers;
}

template <Notes kNotes>
__device__ __forceinline__ PersistentRun as_noted(const PersistentRun& run) {
  PersistentRun known = as_watched<kNotes == Notes::kAll>(run);
  if constexpr (kNotes == Notes::kRounds) known.time_rounds = true;
  return known;
}

/// A block of dispatchers, or a worker at its mailbox. Warps are the dispatchers as one kind of design has them:
///   kUnit                                            the sources that instantiate them are called so, and by how many cores and notes
///   ring_words(central)                              what FifoReady needs
///   place_ring(central, room)                        there, or null; the whole block calls it
///   run<kPasses>(run, central, state, tables, self)  one dispatcher; its warp calls it
template <class Warps, Notes kNotes, int kPasses>
__global__ void __launch_bounds__(kWorkerThreads, 1)
    central_dispatcher(const __grid_constant__ PersistentRun run, const __grid_constant__ CentralDispatcher central) {
  extern __shared__ __align__(128) std::byte shared[];
  const PersistentRun known = as_noted<kNotes>(run);
  const std::uint32_t block = block_number();
  if (block >= run.blocks) return;
  if (block != run.workers) return run_worker(known, MailboxLink(known, central, block), block, shared);

  auto& state = *reinterpret_cast<DispatcherState*>(shared);
  Room room(shared + sizeof(DispatcherState), central.shared_words);
  std::uint64_t* const ring = Warps::place_ring(central, room);
  Tables tables = place_tables(known, central, room);
  tables.ring = ring;
  begin_state(known, central, state);
  __syncthreads();
  pass_gate(known);
  const std::uint32_t warp = threadIdx.x / 32;
  if (warp < central.dispatchers) Warps::template run<kPasses>(known, central, state, tables, warp);
  __syncthreads();
  if (aborted(known)) {  // leave what the explanation needs where the host can read it
    for (std::uint32_t i = threadIdx.x; i < run.task_count; i += blockDim.x) run.counters[i] = tables.counters[i];
  }
}

/// With as much shared memory as bodies or tables need: what is left is every multiprocessor's L1 cache, which holds what bodies have under
/// way.
template <class Warps, Notes kNotes, int kPasses>
void launch_dispatchers(const PersistentRun& run, const CentralDispatcher& central, cudaStream_t stream) {
  const std::size_t most_bytes =
      std::min(kDispatcherBytes, most_shared_bytes(reinterpret_cast<const void*>(central_dispatcher<Warps, kNotes, kPasses>)));
  const auto most_words = static_cast<std::uint32_t>((most_bytes - sizeof(DispatcherState)) / sizeof(std::uint32_t));
  PersistentRun with_dispatchers = run;
  with_dispatchers.blocks = run.workers + 1;
  CentralDispatcher sized = central;
  sized.shared_words = words_taken(TableWords(with_dispatchers, sized), Warps::ring_words(central), most_words);
  const std::size_t bytes = std::max(kBodySharedBytes, sizeof(DispatcherState) + sized.shared_words * sizeof(std::uint32_t));
  const std::string unit = std::string(Warps::kUnit) + (kPasses == 1             ? "32"
                                                        : kPasses == 2           ? "64"
                                                        : kNotes == Notes::kNone ? "256"
                                                                                 : "256_noted");
  launch_workers(central_dispatcher<Warps, kNotes, kPasses>, unit, {with_dispatchers.blocks, kWorkerThreads, bytes}, stream,
                 with_dispatchers, sized);
}

}  // namespace tasktwin::gpu
