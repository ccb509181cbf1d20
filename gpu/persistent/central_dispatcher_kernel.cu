#include "gpu/persistent/central_dispatcher_kernel.hpp"

#include <algorithm>

#include "gpu/persistent/dispatcher_warp.cuh"
#include "gpu/persistent/launch.cuh"
#include "gpu/persistent/polling.cuh"
#include "gpu/persistent/task_batch.cuh"

namespace tasktwin::gpu {

namespace {

/// Of every block: what the dispatcher's tables may take beside the static part, within Hopper's 227 KiB.
constexpr std::size_t kSharedBytes = 220 * 1024;

/// A worker's end of its mailbox: all tasks that stand in it are taken at one look.
class MailboxLink {
 public:
  __device__ MailboxLink(const PersistentRun& run, const CentralDispatcher& central, std::uint32_t worker)
      : run_(run),
        central_(central),
        mailbox_(central.mailboxes + worker * kMailboxEntries),
        completions_(run.completions + completion_word(worker, central.dispatchers)) {}

  __device__ bool fetch(std::uint32_t n, WorkerSlot& slot) {
    if (given_ == taken_ && !look(n)) return false;
    if (given_ == tasks_) return false;  // the stop entry
    batch_.put(given_from_ + given_++, slot.task);
    if (lane_id() == 0) slot.dispatched = 0;  // the dispatcher stamps it
    if (given_ == tasks_) expect_successors(slot.task.edges);
    return true;
  }

  /// Asks for the row of successors that the dispatcher will need and memory traffic may have displaced.
  __device__ void prepare(const DeviceTask& task) const {
    if (task.edges.successor_count <= kHeadSuccessors) return;
    for (std::uint32_t i = lane_id() * kLineWords; i < task.edges.successor_count; i += 32 * kLineWords) {
      asm volatile("prefetch.global.L2 [%0];" ::"l"(run_.successors + task.edges.first_successor + i));
    }
  }

  __device__ void publish(std::uint32_t, std::uint32_t n) const {
    if (lane_id() == 0) DeviceWord(*completions_).store(n + 1, kRelease);
  }

 private:
  /// Reads ahead what the next task is most likely to be: a successor that comes straight back.
  __device__ void expect_successors(const TaskEdges& edges) {
    expected_ = min(edges.successor_count, kHeadSuccessors);
    expects_ = lane_id() < expected_ ? edges.head[lane_id()] : 0;
    if (expected_ > 0) successors_.load(central_.tasks, expects_, expected_);
  }

  /// Waits for the n-th entry, and takes what stands behind it too. False if the run has been called off.
  __device__ bool look(std::uint32_t n) {
    const std::uint32_t entries = min(run_.mailbox_depth, TaskBatch::kCapacity);
    DeviceWord64 entry(mailbox_[(n + lane_id()) & central_.slot_mask]);
    std::uint32_t place = 0;
    const auto read = [&] { return lane_id() < entries ? entry.load(kAcquire) : 0; };
    const auto seen = [&](std::uint64_t word) {
      place = static_cast<std::uint32_t>(word);
      const std::uint32_t here = __ballot_sync(kAllLanes, lane_id() < entries && word >> 32 == n + lane_id() + 1);
      taken_ = static_cast<std::uint32_t>(__ffs(static_cast<int>(~here))) - 1;
      return taken_ > 0;
    };
    if (!poll(run_, read, seen)) return false;
    const std::uint32_t stops = __ballot_sync(kAllLanes, lane_id() < taken_ && place == kStopTask);
    tasks_ = stops == 0 ? taken_ : static_cast<std::uint32_t>(__ffs(static_cast<int>(stops))) - 1;
    given_ = 0;
    const std::uint32_t first = __shfl_sync(kAllLanes, place, 0);
    const std::uint32_t expected = __ballot_sync(kAllLanes, lane_id() < expected_ && expects_ == first);
    if (tasks_ == 1 && expected != 0) {
      given_from_ = static_cast<std::uint32_t>(__ffs(static_cast<int>(expected))) - 1;
      batch_ = successors_;
    } else {
      given_from_ = 0;
      batch_.load(central_.tasks, place, tasks_);
    }
    return true;
  }

  const PersistentRun& run_;
  const CentralDispatcher& central_;
  std::uint64_t* mailbox_;
  std::uint32_t* completions_;
  TaskBatch batch_;
  std::uint32_t taken_ = 0;       ///< entries of the last look
  std::uint32_t tasks_ = 0;       ///< tasks among them; a stop entry may follow
  std::uint32_t given_ = 0;       ///< handed on to the bodies
  std::uint32_t given_from_ = 0;  ///< where in `batch_` they begin
  TaskBatch successors_;          ///< of the last task taken
  std::uint32_t expected_ = 0;    ///< so many of them are on their way;
  std::uint32_t expects_ = 0;     ///< lane i: the place of the i-th
};

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

__device__ Counters place_counters(const PersistentRun& run, const CentralDispatcher& central, Room& room) {
  const std::uint32_t words = (run.task_count + 3) / 4;
  if (!central.byte_counters || words > room.words()) return {run.counters, false};
  std::uint32_t* const packed = room.take(words);
  for (std::uint32_t i = threadIdx.x; i < words; i += blockDim.x) {
    packed[i] = 0;
    for (std::uint32_t place = 4 * i; place < min(4 * i + 4, run.task_count); ++place) packed[i] |= run.counters[place] << place % 4 * 8;
  }
  return {packed, true};
}

template <int kPasses>
__device__ __forceinline__ void run_dispatcher(const PersistentRun& run, const CentralDispatcher& central, DispatcherState& state,
                                               const Tables& tables, std::uint32_t self) {
  switch (central.ready_kind) {
    case ReadyKind::kFifo: {
      const FifoReady ready(state.ready, tables.ring, tables.ready, central.root_count);
      return DispatcherWarp<FifoReady, kPasses>(run, central, state, tables, self, ready).loop();
    }
    case ReadyKind::kLifo: {
      const LifoReady ready(state.ready, tables.ready, state.staged[self]);
      return DispatcherWarp<LifoReady, kPasses>(run, central, state, tables, self, ready).loop();
    }
    case ReadyKind::kRanked: {
      const RankedReady ready(state.ready, tables.ready, run.task_count, state.staged[self]);
      return DispatcherWarp<RankedReady, kPasses>(run, central, state, tables, self, ready).loop();
    }
  }
}

template <int kPasses>
__device__ __forceinline__ void run_dispatchers(const PersistentRun& run, const CentralDispatcher& central, std::byte* shared) {
  auto& state = *reinterpret_cast<DispatcherState*>(shared);
  Room room(shared + sizeof(DispatcherState), central.shared_words);
  const std::uint32_t slots = run.workers * (central.slot_mask + 1);
  Tables tables{};
  if (central.ready_kind == ReadyKind::kFifo) {
    tables.ring = reinterpret_cast<std::uint64_t*>(room.take(2 * FifoReady::kEntries));
    for (std::uint32_t i = threadIdx.x; i < FifoReady::kEntries; i += blockDim.x) tables.ring[i] = 0;
  }
  tables.edges = reinterpret_cast<TaskEdges*>(room.take(slots * sizeof(TaskEdges) / sizeof(std::uint32_t)));
  tables.places = room.take(slots);
  tables.counters = place_counters(run, central, room);
  tables.ready = room.place(central.ready, central.ready_words);
  tables.successors = room.place(run.successors, central.edge_count);
  if (threadIdx.x == 0) {
    state.ready = {0, central.root_count, 0};
    state.completed = 0;
    state.known = run.task_count;
    state.handed = 0;
    state.idle_cores = run.workers;
  }
  __syncthreads();
  pass_gate(run);
  const std::uint32_t warp = threadIdx.x / 32;
  if (warp < central.dispatchers) run_dispatcher<kPasses>(run, central, state, tables, warp);
  __syncthreads();
  if (aborted(run)) {  // leave what the explanation needs where the host can read it
    for (std::uint32_t i = threadIdx.x; i < run.task_count; i += blockDim.x) run.counters[i] = tables.counters[i];
  }
}

template <bool kWatched, int kPasses>
__global__ void __launch_bounds__(kWorkerThreads, 1)
    central_dispatcher(const __grid_constant__ PersistentRun run, const __grid_constant__ CentralDispatcher central) {
  extern __shared__ __align__(128) std::byte shared[];
  const PersistentRun known = as_watched<kWatched>(run);
  if (blockIdx.x == run.workers) {
    run_dispatchers<kPasses>(known, central, shared);
  } else {
    run_worker(known, MailboxLink(known, central, blockIdx.x), blockIdx.x, shared);
  }
}

template <bool kWatched>
auto kernel_of(std::uint32_t cores_of_a_dispatcher) {
  if (cores_of_a_dispatcher <= 32) return central_dispatcher<kWatched, 1>;
  if (cores_of_a_dispatcher <= 64) return central_dispatcher<kWatched, 2>;
  return central_dispatcher<kWatched, kMostWorkers / 32>;
}

}  // namespace

std::vector<std::uint32_t> initial_ready_words(ReadyKind kind, std::uint32_t tasks, std::span<const std::uint32_t> roots) {
  std::vector<std::uint32_t> words(kind == ReadyKind::kRanked ? RankedReady::words(tasks) : tasks);
  if (kind == ReadyKind::kFifo) {
    std::ranges::transform(roots, words.begin(), [](std::uint32_t root) { return 1 + root; });
  } else if (kind == ReadyKind::kLifo) {
    std::ranges::copy(roots, words.begin());
  } else {
    for (const std::uint32_t root : roots) {
      words[root / 32] |= 1u << root % 32;
      words[RankedReady::summary_at(tasks) + root / 1024] |= 1u << root / 32 % 32;
    }
  }
  return words;
}

void launch_central_dispatcher(const PersistentRun& run, const CentralDispatcher& central, cudaStream_t stream) {
  static_assert(kSharedBytes >= kBodySharedBytes);
  CentralDispatcher sized = central;
  sized.shared_words = static_cast<std::uint32_t>((kSharedBytes - sizeof(DispatcherState)) / sizeof(std::uint32_t));
  const std::uint32_t owned = (run.workers + central.dispatchers - 1) / central.dispatchers;
  const auto kernel = watched(run) ? kernel_of<true>(owned) : kernel_of<false>(owned);
  launch_resident(kernel, {run.workers + 1, kWorkerThreads, kSharedBytes}, stream, run, sized);
}

}  // namespace tasktwin::gpu
