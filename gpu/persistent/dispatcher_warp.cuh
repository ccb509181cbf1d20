#pragma once

#include "gpu/persistent/central_dispatcher_kernel.hpp"
#include "gpu/persistent/worker.cuh"

namespace tasktwin::gpu {

inline constexpr std::uint32_t kAllLanes = ~0u;

/// What the dispatcher's warps share. The large tables lie in shared memory where they fit.
struct DispatcherState {
  std::uint32_t head;
  std::uint32_t tail;
  std::uint32_t completed;
  std::uint32_t idle_cores;  ///< with nothing outstanding
  std::uint32_t in_flight[kMostWorkers * kMailboxEntries];
};

struct Tables {
  std::uint32_t* counters;
  std::uint32_t* ready;
  const std::uint32_t* successor_offsets;
  const std::uint32_t* successors;
};

/// One control core: a warp that in turn sweeps over its cores, takes in completions, releases successors and hands
/// tasks over, a lane an item. It owns up to 32 cores a pass.
template <int kPasses>
class DispatcherWarp {
 public:
  __device__ DispatcherWarp(const PersistentRun& run, const CentralDispatcher& central, DispatcherState& state, const Tables& tables,
                            std::uint32_t self)
      : run_(run), central_(central), state_(state), tables_(tables), self_(self) {}

  __device__ void loop() {
    for (int idle = 1; together(state_.completed) != run_.task_count;) {
      iteration_ = {};
      if (run_.phases) iteration_.begin = global_timer();
      const bool completions = sweep();
      if (run_.phases) iteration_.swept = global_timer();
      if (completions) take_in();
      if (run_.phases) iteration_.resolved = global_timer();
      hand_over();
      if (iteration_.completions + iteration_.handed_over > 0) {
        log_iteration();
      } else if (++idle % kPollsPerAbortCheck == 0 && abort_requested()) {
        break;
      }
    }
#pragma unroll
    for (int pass = 0; pass < kPasses; ++pass) {
      if (worker_of(pass) >= run_.workers) continue;
      note(pass, kStopTask);
      send(pass, sent_[pass] - 1);
    }
  }

 private:
  __device__ std::uint32_t worker_of(int pass) const { return self_ + central_.dispatchers * (lane_id() + 32 * pass); }

  /// A word that all lanes must agree on: read by one of them.
  __device__ static std::uint32_t together(std::uint32_t& word) {
    return __shfl_sync(kAllLanes, lane_id() == 0 ? BlockWord(word).load(kAcquire) : 0u, 0);
  }

  __device__ bool abort_requested() const { return __any_sync(kAllLanes, lane_id() == 0 && aborted(run_)); }

  /// Reads every owned worker's completion count. True if any has moved.
  __device__ bool sweep() {
    bool any = false;
#pragma unroll
    for (int pass = 0; pass < kPasses; ++pass) {
      const std::uint32_t worker = worker_of(pass);
      fresh_[pass] = worker < run_.workers ? DeviceWord(run_.completions[worker * kLineWords]).load(kAcquire) - seen_[pass] : 0;
      any |= fresh_[pass] > 0;
    }
    return __any_sync(kAllLanes, any);
  }

  __device__ void take_in() {
    std::uint32_t newly_idle = 0;
#pragma unroll
    for (int pass = 0; pass < kPasses; ++pass) {
      while (__any_sync(kAllLanes, fresh_[pass] > 0)) {
        const bool mine = fresh_[pass] > 0;
        std::uint32_t first = 0;
        std::uint32_t count = 0;
        if (mine) {
          const std::uint32_t task = in_flight(pass, seen_[pass]);
          first = tables_.successor_offsets[task];
          count = tables_.successor_offsets[task + 1] - first;
          ++seen_[pass];
          --fresh_[pass];
        }
        iteration_.completions += __popc(__ballot_sync(kAllLanes, mine));
        newly_idle += __popc(__ballot_sync(kAllLanes, mine && sent_[pass] == seen_[pass]));
        if (__any_sync(kAllLanes, count > 0)) release_successors(first, count);
      }
    }
    __syncwarp();
    if (lane_id() != 0) return;
    if (newly_idle > 0) BlockWord(state_.idle_cores).fetch_add(newly_idle, kRelaxed);
    BlockWord(state_.completed).fetch_add(iteration_.completions, kAcqRel);
  }

  /// Each lane brings a row of successors; the warp walks all rows together, 32 edges at a time.
  __device__ void release_successors(std::uint32_t first, std::uint32_t count) {
    std::uint32_t through = count;
    for (int step = 1; step < 32; step *= 2) {
      const std::uint32_t before = __shfl_up_sync(kAllLanes, through, step);
      if (lane_id() >= static_cast<std::uint32_t>(step)) through += before;
    }
    const std::uint32_t total = __shfl_sync(kAllLanes, through, 31);
    const std::uint32_t begin = through - count;
    iteration_.edges += total;
    for (std::uint32_t base = 0; base < total; base += 32) {
      const std::uint32_t edge = base + lane_id();
      std::uint32_t owner = 0;
      for (std::uint32_t step = 16; step > 0; step /= 2) {
        if (__shfl_sync(kAllLanes, begin, owner + step) <= edge) owner += step;
      }
      const std::uint32_t row = __shfl_sync(kAllLanes, first, owner);
      const std::uint32_t row_begin = __shfl_sync(kAllLanes, begin, owner);
      std::uint32_t successor = 0;
      bool ready = false;
      if (edge < total) {
        successor = tables_.successors[row + (edge - row_begin)];
        ready = BlockWord(tables_.counters[successor]).fetch_sub(1, kAcqRel) == 1;
      }
      append(ready, successor);
    }
  }

  __device__ void append(bool ready, std::uint32_t task) {
    const std::uint32_t lanes = __ballot_sync(kAllLanes, ready);
    if (lanes == 0) return;
    iteration_.released += __popc(lanes);
    const int leader = __ffs(static_cast<int>(lanes)) - 1;
    std::uint32_t place = 0;
    if (lane_id() == static_cast<std::uint32_t>(leader)) place = BlockWord(state_.tail).fetch_add(__popc(lanes), kRelaxed);
    place = __shfl_sync(kAllLanes, place, leader) + __popc(lanes & ((1u << lane_id()) - 1));
    if (!ready) return;
    if (run_.phases) run_.phases[task].ready = global_timer();
    BlockWord(tables_.ready[place]).store(1 + task, kRelease);
  }

  /// Takes ready tasks for all cores with room, the emptiest first, and then writes all mailboxes behind one fence.
  __device__ void hand_over() {
    const std::uint32_t waiting = together(state_.tail) - together(state_.head);
    if (waiting == 0) return;
    std::uint32_t idle_lanes = 0;
#pragma unroll
    for (int pass = 0; pass < kPasses; ++pass) idle_lanes += __popc(__ballot_sync(kAllLanes, outstanding(pass) == 0));
    const bool fill = !central_.fill_only_when_no_core_idle || together(state_.idle_cores) == idle_lanes;
    const std::uint32_t levels = fill ? run_.mailbox_depth : 1;
    std::uint32_t wanted = 0;
    for (std::uint32_t level = 0; level < levels; ++level) {
#pragma unroll
      for (int pass = 0; pass < kPasses; ++pass) wanted += __popc(__ballot_sync(kAllLanes, outstanding(pass) <= level));
    }
    if (wanted == 0) return;
    std::uint32_t first = 0;
    const std::uint32_t got = reserve(wanted, first);
    if (got == 0) return;

    std::uint32_t before[kPasses];
    std::uint32_t given = 0;
#pragma unroll
    for (int pass = 0; pass < kPasses; ++pass) before[pass] = sent_[pass];
    for (std::uint32_t level = 0; level < levels && given < got; ++level) {
#pragma unroll
      for (int pass = 0; pass < kPasses; ++pass) {
        const std::uint32_t lanes = __ballot_sync(kAllLanes, outstanding(pass) == level);
        const std::uint32_t rank = given + __popc(lanes & ((1u << lane_id()) - 1));
        if (outstanding(pass) == level && rank < got) note(pass, await_entry(first + rank));
        given += __popc(lanes);
      }
    }
    iteration_.handed_over = got;
    if (lane_id() == 0) BlockWord(state_.idle_cores).fetch_sub(min(got, idle_lanes), kRelaxed);
    cuda::atomic_thread_fence(cuda::memory_order_acq_rel, cuda::thread_scope_device);
#pragma unroll
    for (int pass = 0; pass < kPasses; ++pass) {
      for (std::uint32_t n = before[pass]; n != sent_[pass]; ++n) send(pass, n);
    }
    __syncwarp();
  }

  /// Tasks handed to the lane's core of that pass and not yet completed; more than any depth where there is no such core.
  __device__ std::uint32_t outstanding(int pass) const { return worker_of(pass) < run_.workers ? sent_[pass] - seen_[pass] : ~0u; }

  /// Takes up to `wanted` entries of the ready queue, from `first` on; returns how many.
  __device__ std::uint32_t reserve(std::uint32_t wanted, std::uint32_t& first) {
    std::uint32_t got = 0;
    if (lane_id() == 0) {
      BlockWord head(state_.head);
      first = head.load(kRelaxed);
      do {
        got = min(wanted, BlockWord(state_.tail).load(kRelaxed) - first);
      } while (got > 0 && !head.compare_exchange_weak(first, first + got, kRelaxed));
    }
    first = __shfl_sync(kAllLanes, first, 0);
    return __shfl_sync(kAllLanes, got, 0);
  }

  /// The task at a reserved place; whoever reserved the place for writing is about to write it.
  __device__ std::uint32_t await_entry(std::uint32_t place) const {
    std::uint32_t found;
    while ((found = BlockWord(tables_.ready[place]).load(kAcquire)) == 0) {
    }
    return found - 1;
  }

  __device__ std::uint32_t& in_flight(int pass, std::uint32_t n) const {
    return state_.in_flight[worker_of(pass) * kMailboxEntries + n % run_.mailbox_depth];
  }

  __device__ void note(int pass, std::uint32_t task) { in_flight(pass, sent_[pass]++) = task; }

  /// Writes the n-th task of the lane's core to its mailbox.
  __device__ void send(int pass, std::uint32_t n) const {
    const std::uint32_t task = in_flight(pass, n);
    if (run_.phases && task != kStopTask) {
      run_.phases[task].dispatched = global_timer();
      run_.phases[task].dispatcher = 1 + self_;
    }
    if (task != kStopTask) prefetch_successors(task);
    DeviceWord64(central_.mailboxes[worker_of(pass) * kMailboxEntries + n % run_.mailbox_depth])
        .store(std::uint64_t{n + 1} << 32 | task, kRelaxed);
  }

  /// Asks for the row of successors that the task's completion will need.
  __device__ void prefetch_successors(std::uint32_t task) const {
    for (std::uint32_t i = tables_.successor_offsets[task]; i < tables_.successor_offsets[task + 1]; i += kLineWords) {
      prefetch(run_.successors + i);
    }
  }

  __device__ void log_iteration() {
    if (!run_.phases || lane_id() != 0 || logged_ == central_.iteration_capacity) return;
    iteration_.end = global_timer();
    central_.iterations[std::size_t{self_} * central_.iteration_capacity + logged_++] = iteration_;
    central_.iteration_counts[self_] = logged_;
  }

  const PersistentRun& run_;
  const CentralDispatcher& central_;
  DispatcherState& state_;
  const Tables& tables_;
  std::uint32_t self_;
  std::uint32_t sent_[kPasses] = {};   ///< by pass: tasks handed to the lane's core of that pass
  std::uint32_t seen_[kPasses] = {};   ///< completions of it taken in
  std::uint32_t fresh_[kPasses] = {};  ///< completions of it still to take in
  DispatchIteration iteration_ = {};
  std::uint32_t logged_ = 0;
};

}  // namespace tasktwin::gpu
