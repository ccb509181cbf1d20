#pragma once

#include "gpu/persistent/dispatcher_warp.cuh"
#include "gpu/persistent/launch.cuh"
#include "gpu/persistent/mailbox_link.cuh"
#include "gpu/persistent/worker.cuh"

namespace tasktwin::gpu {

/// Of every block: what the dispatcher's tables may take beside the static part, within Hopper's 227 KiB.
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

__device__ inline Counters place_counters(const PersistentRun& run, const CentralDispatcher& central, Room& room) {
  const std::uint32_t words = (run.task_count + 3) / 4;
  if (!central.byte_counters) return {room.place(run.counters, run.task_count), run.task_count, false};
  if (words > room.words()) return {run.counters, run.task_count, false};
  std::uint32_t* const packed = room.take(words);
  for (std::uint32_t i = threadIdx.x; i < words; i += blockDim.x) {
    packed[i] = 0;
    for (std::uint32_t place = 4 * i; place < min(4 * i + 4, run.task_count); ++place) packed[i] |= run.counters[place] << place % 4 * 8;
  }
  return {packed, run.task_count, true};
}

/// The tables that every design has; the whole block calls it.
__device__ inline Tables place_tables(const PersistentRun& run, const CentralDispatcher& central, Room& room) {
  Tables tables{};
  if (run.time_rounds) {
    constexpr std::uint32_t kWords = kTimedRounds * sizeof(DispatchIteration) / sizeof(std::uint32_t);
    tables.rounds = reinterpret_cast<DispatchIteration*>(room.take(central.dispatchers * kWords));
  }
  const std::uint32_t slots = run.workers * (central.slot_mask + 1);
  tables.edges = reinterpret_cast<TaskEdges*>(room.take(slots * sizeof(TaskEdges) / sizeof(std::uint32_t)));
  tables.places = room.take(slots);
  tables.counters = place_counters(run, central, room);
  if (central.wide.to_hand) {
    tables.wide.to_hand = room.place(central.wide.to_hand, run.task_count);
    tables.wide.to_end = room.place(central.wide.to_end, run.task_count);
  }
  tables.ready = room.place(central.ready, central.homes.count * central.ready_words);
  tables.successors = room.place(run.successors, central.edge_count);
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

/// What a kernel is made to note.
enum class Notes {
  kNone,
  kRounds,  ///< of dispatchers, without phases
  kAll,     ///< whatever the run asks for
};

template <Notes kNotes>
__device__ __forceinline__ PersistentRun as_noted(const PersistentRun& run) {
  PersistentRun known = as_watched<kNotes == Notes::kAll>(run);
  if constexpr (kNotes == Notes::kRounds) known.time_rounds = true;
  return known;
}

/// A block of dispatchers, or a worker at its mailbox. Warps are the dispatchers as one kind of design has them:
///   place_ring(central, room)                        what FifoReady needs, or null; the whole block calls it
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

/// Launches the kernel that `kernel_of(cores a dispatcher owns at most)` names, with as much shared memory as there is.
template <class KernelOf>
void launch_dispatcher_block(const PersistentRun& run, const CentralDispatcher& central, cudaStream_t stream, KernelOf&& kernel_of) {
  CentralDispatcher sized = central;
  sized.shared_words = static_cast<std::uint32_t>((kDispatcherBytes - sizeof(DispatcherState)) / sizeof(std::uint32_t));
  const auto kernel = kernel_of((run.workers + central.dispatchers - 1) / central.dispatchers);
  PersistentRun with_dispatchers = run;
  with_dispatchers.blocks = run.workers + 1;
  launch_resident(kernel, {with_dispatchers.blocks, kWorkerThreads, kDispatcherBytes}, stream, with_dispatchers, sized);
}

}  // namespace tasktwin::gpu
