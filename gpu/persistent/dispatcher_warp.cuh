#pragma once

#include "gpu/persistent/dispatcher_tables.cuh"
#include "gpu/persistent/worker.cuh"

namespace tasktwin::gpu {

/// One control core: a warp that in turn sweeps over its cores, takes in completions, releases successors and hands
/// tasks over, a lane an item. It owns up to 32 cores a pass.
template <class Ready, int kPasses>
class DispatcherWarp {
 public:
  __device__ DispatcherWarp(const PersistentRun& run, const CentralDispatcher& central, DispatcherState& state, const Tables& tables,
                            std::uint32_t self, const Ready& ready)
      : run_(run), central_(central), state_(state), tables_(tables), self_(self), ready_(ready) {
#pragma unroll
    for (int pass = 0; pass < kPasses; ++pass) idle_ += __popc(__ballot_sync(kAllLanes, owns(pass)));
  }

  __device__ __forceinline__ void loop() {
    for (int idle = 1;;) {
      iteration_ = {};
      if (run_.phases) iteration_.begin = global_timer();
      const bool completions = sweep();
      if (run_.phases) iteration_.swept = global_timer();
      if (completions) take_in();
      if (run_.phases) iteration_.resolved = global_timer();
      take_ready();
      if (__any_sync(kAllLanes, has_unsent())) {
        send_all();
      } else if (!completions) {
        if (all_completed()) break;
        if (run_.backoff_ns > 0) __nanosleep(run_.backoff_ns);
        if (++idle % kPollsPerAbortCheck == 0 && __any_sync(kAllLanes, aborted(run_))) break;
        continue;
      }
      log_iteration();
    }
#pragma unroll
    for (int pass = 0; pass < kPasses; ++pass) {
      if (owns(pass)) send(pass, given_[pass], kStopTask);
    }
  }

 private:
  __device__ __forceinline__ std::uint32_t worker_of(int pass) const { return self_ + central_.dispatchers * (lane_id() + 32 * pass); }
  __device__ __forceinline__ bool owns(int pass) const { return worker_of(pass) < run_.workers; }

  /// Asked by whoever has nothing to do; that is early enough to count what the warp has taken in.
  __device__ __forceinline__ bool all_completed() {
    const std::uint32_t counted = __reduce_add_sync(kAllLanes, uncounted_);
    if (lane_id() == 0 && counted > 0) BlockWord(state_.completed).fetch_add(counted, kRelaxed);
    uncounted_ = 0;
    __syncwarp();
    const std::uint32_t count = lane_id() < 2 ? BlockWord(lane_id() == 0 ? state_.completed : state_.known).load(kRelaxed) : 0;
    return __shfl_sync(kAllLanes, count, 0) == __shfl_sync(kAllLanes, count, 1);
  }

  /// Reads every owned worker's completion count. True if any has moved.
  __device__ __forceinline__ bool sweep() {
    bool any = false;
#pragma unroll
    for (int pass = 0; pass < kPasses; ++pass) {
      fresh_[pass] = 0;
      if (owns(pass)) {
        fresh_[pass] = DeviceWord(run_.completions[completion_word(worker_of(pass), central_.dispatchers)]).load(kAcquire) - seen_[pass];
      }
      any |= fresh_[pass] > 0;
    }
    return __any_sync(kAllLanes, any);
  }

  __device__ __forceinline__ void take_in() {
    asm volatile("cp.async.wait_all;" ::: "memory");
#pragma unroll
    for (int pass = 0; pass < kPasses; ++pass) {
      uncounted_ += fresh_[pass];
      if (run_.phases) iteration_.completions += fresh_[pass];  // of this lane, until it is logged
      pass_over_leaves(pass);
      while (__any_sync(kAllLanes, fresh_[pass] > 0)) {
        const bool mine = fresh_[pass] > 0;
        const std::uint32_t slot = in_flight(pass, seen_[pass]);
        if (mine) count_in(pass, slot);
        resolve(pass, mine, tables_.edges[slot]);
        pass_over_leaves(pass);
      }
    }
  }

  __device__ __forceinline__ void count_in(int pass, std::uint32_t slot) {
    ++seen_[pass];
    --fresh_[pass];
    if (central_.least_loaded) load_[pass] -= central_.tasks[tables_.places[slot]].expected_ns;
  }

  /// Takes in completions of tasks that have no successors, a lane for itself.
  __device__ __forceinline__ void pass_over_leaves(int pass) {
#pragma unroll 1
    while (fresh_[pass] > 0) {
      const std::uint32_t slot = in_flight(pass, seen_[pass]);
      if (tables_.edges[slot].successor_count > 0) break;
      count_in(pass, slot);
    }
    __syncwarp();
  }

  /// Decrements the counters of the successors of a task a lane. What becomes ready goes straight to the core whose
  /// completion did it, if that is idle and nobody waits before it; the rest is queued.
  __device__ __forceinline__ void resolve(int pass, bool mine, const TaskEdges& edges) {
    const std::uint32_t count = mine ? edges.successor_count : 0;
    std::uint32_t heads[kHeadSuccessors];
#pragma unroll
    for (std::uint32_t i = 0; i < kHeadSuccessors; ++i) heads[i] = i < count ? edges.head[i] : 0;
    std::uint32_t ready = tables_.counters.decrement(heads, count);
    cuda::atomic_thread_fence(cuda::memory_order_acq_rel, cuda::thread_scope_block);
    if (run_.phases) note_ready(heads, ready);
    if (queue_empty_ && ready != 0 && outstanding(pass) == 0) give(pass, lowest(heads, ready));
    if (__any_sync(kAllLanes, ready != 0)) pass_on(pass, heads, ready);
    const bool more = count > kHeadSuccessors;
    if (__any_sync(kAllLanes, more)) {
      resolve_rows(more ? edges.first_successor + kHeadSuccessors : 0, more ? count - kHeadSuccessors : 0);
    }
    if (run_.phases) iteration_.edges += __reduce_add_sync(kAllLanes, min(count, kHeadSuccessors));
  }

  /// Takes the lowest of the tasks that `which` names out of it.
  __device__ __forceinline__ static std::uint32_t lowest(const std::uint32_t (&places)[kHeadSuccessors], std::uint32_t& which) {
    const std::uint32_t place = which & 1u ? places[0] : which & 2u ? places[1] : which & 4u ? places[2] : places[3];
    which &= which - 1;
    return place;
  }

  /// What the lanes have left goes to the warp's other idle cores while nobody waits before it, and into the queue.
  __device__ __forceinline__ void pass_on(int pass, std::uint32_t (&places)[kHeadSuccessors], std::uint32_t which) {
    if (queue_empty_) {
      std::uint32_t* const staged = state_.staged[self_];
      const bool idle = owns(pass) && outstanding(pass) == 0;
      const std::uint32_t givers = __ballot_sync(kAllLanes, which != 0);
      const std::uint32_t takers = __ballot_sync(kAllLanes, idle);
      const std::uint32_t pairs = min(__popc(givers), __popc(takers));
      if (which != 0 && rank_in(givers) < pairs) staged[rank_in(givers)] = lowest(places, which);
      __syncwarp();
      if (idle && rank_in(takers) < pairs) give(pass, staged[rank_in(takers)]);
      if (!__any_sync(kAllLanes, which != 0)) return;
      queue_empty_ = false;
    }
#pragma unroll
    for (std::uint32_t i = 0; i < kHeadSuccessors; ++i) places[i] = which >> i & 1u ? places[i] : kStopTask;
    ready_.push(places);
  }

  /// Each lane brings the rest of a row of successors; the warp walks all rows together, 32 edges at a time.
  __device__ __forceinline__ void resolve_rows(std::uint32_t first, std::uint32_t count) {
    std::uint32_t through = count;
#pragma unroll
    for (int step = 1; step < 32; step *= 2) {
      const std::uint32_t below = __shfl_up_sync(kAllLanes, through, step);
      if (lane_id() >= static_cast<std::uint32_t>(step)) through += below;
    }
    const std::uint32_t total = __shfl_sync(kAllLanes, through, 31);
    const std::uint32_t begin = through - count;
    iteration_.edges += total;
#pragma unroll 1
    for (std::uint32_t base = 0; base < total; base += 32) {
      const std::uint32_t edge = base + lane_id();
      std::uint32_t owner = 0;
#pragma unroll
      for (std::uint32_t step = 16; step > 0; step /= 2) {
        if (__shfl_sync(kAllLanes, begin, owner + step) <= edge) owner += step;
      }
      const std::uint32_t row = __shfl_sync(kAllLanes, first, owner);
      const std::uint32_t row_begin = __shfl_sync(kAllLanes, begin, owner);
      std::uint32_t ready[1] = {kStopTask};
      if (edge < total) {
        const std::uint32_t successor = tables_.successors[row + (edge - row_begin)];
        if (tables_.counters.decrement(successor)) ready[0] = successor;
        if (run_.phases && ready[0] != kStopTask) stamp_ready(successor);
      }
      cuda::atomic_thread_fence(cuda::memory_order_acq_rel, cuda::thread_scope_block);
      ready_.push(ready);
    }
  }

  /// Gives ready tasks to all cores with room.
  __device__ __forceinline__ void take_ready() {
    const std::uint32_t waiting = ready_.waiting();
    queue_empty_ = waiting == 0;
    if (waiting > 0) {
      const std::uint32_t depth = fills_ahead() ? run_.mailbox_depth : 1;
      std::uint32_t room = 0;
#pragma unroll
      for (int pass = 0; pass < kPasses; ++pass) {
        if (owns(pass) && outstanding(pass) < depth) room += depth - outstanding(pass);
      }
      std::uint32_t before = room;  // what lanes below want, and this one
#pragma unroll
      for (int step = 1; step < 32; step *= 2) {
        const std::uint32_t below = __shfl_up_sync(kAllLanes, before, step);
        if (lane_id() >= static_cast<std::uint32_t>(step)) before += below;
      }
      const std::uint32_t wanted = __shfl_sync(kAllLanes, before, 31);
      const std::uint32_t got = wanted > 0 ? ready_.take(min(wanted, kMostTaken)) : 0;
      if (got == wanted && !central_.least_loaded) {
        fill_up(before - room, depth);
      } else if (got > 0) {
        give_some(got, depth);
      }
    }
    if (!counts_idle()) return;
    std::uint32_t still_idle = 0;
#pragma unroll
    for (int pass = 0; pass < kPasses; ++pass) still_idle += __popc(__ballot_sync(kAllLanes, owns(pass) && outstanding(pass) == 0));
    if (lane_id() == 0 && still_idle != idle_) BlockWord(state_.idle_cores).fetch_add(still_idle - idle_, kRelaxed);
    idle_ = still_idle;
  }

  /// Every core gets what it has room for: `first` is the number of the lane's first task among those taken.
  __device__ __forceinline__ void fill_up(std::uint32_t first, std::uint32_t depth) {
#pragma unroll
    for (int pass = 0; pass < kPasses; ++pass) {
      const std::uint32_t room = owns(pass) && outstanding(pass) < depth ? depth - outstanding(pass) : 0;
      constexpr std::uint32_t kAtOnce = 4;
#pragma unroll 1
      for (std::uint32_t i = 0; i < room; i += kAtOnce) {
        std::uint32_t places[kAtOnce];
#pragma unroll
        for (std::uint32_t k = 0; k < kAtOnce; ++k) places[k] = i + k < room ? ready_.at(first + i + k) : 0;
#pragma unroll
        for (std::uint32_t k = 0; k < kAtOnce; ++k) {
          if (i + k < room) give(pass, places[k]);
        }
      }
      first += room;
    }
    __syncwarp();
  }

  /// There is less than there is room for.
  __device__ __forceinline__ void give_some(std::uint32_t got, std::uint32_t depth) {
#pragma unroll
    for (std::uint32_t i = 0; i < kMostTaken / 32; ++i) taken_[i] = 32 * i + lane_id() < got ? ready_.at(32 * i + lane_id()) : 0;
    __syncwarp();
    if (central_.least_loaded) {
      give_to_least_loaded(got, depth);
    } else {
      give_to_emptiest(got, depth);
    }
  }

  __device__ __forceinline__ bool has_unsent() const {
    bool any = false;
#pragma unroll
    for (int pass = 0; pass < kPasses; ++pass) any |= sent_[pass] != given_[pass];
    return any;
  }

  /// Writes all mailboxes behind one fence.
  __device__ __forceinline__ void send_all() {
    release_fence();
    std::uint32_t handed_over = 0;
#pragma unroll
    for (int pass = 0; pass < kPasses; ++pass) {
      handed_over += given_[pass] - sent_[pass];
      constexpr std::uint32_t kAtOnce = 4;
#pragma unroll 1
      for (; sent_[pass] != given_[pass]; sent_[pass] += min(kAtOnce, given_[pass] - sent_[pass])) {
        std::uint32_t places[kAtOnce];
        const std::uint32_t left = given_[pass] - sent_[pass];
#pragma unroll
        for (std::uint32_t k = 0; k < kAtOnce; ++k) places[k] = k < left ? tables_.places[in_flight(pass, sent_[pass] + k)] : 0;
#pragma unroll
        for (std::uint32_t k = 0; k < kAtOnce; ++k) {
          if (k < left) send(pass, sent_[pass] + k, places[k]);
        }
#pragma unroll
        for (std::uint32_t k = 0; k < kAtOnce; ++k) {
          if (k < left) fetch_edges(in_flight(pass, sent_[pass] + k), places[k]);
        }
      }
    }
    __syncwarp();
    if (run_.phases || central_.fill == Fill::kNotInTail) {
      iteration_.handed_over = __reduce_add_sync(kAllLanes, handed_over);
      if (lane_id() == 0) BlockWord(state_.handed).fetch_add(iteration_.handed_over, kRelaxed);
    }
  }

  __device__ __forceinline__ bool counts_idle() const { return central_.fill == Fill::kWhenNoCoreIdle && run_.mailbox_depth > 1; }

  /// Own idle cores are served first anyway; the others' counts are as their warps last left them.
  __device__ __forceinline__ bool fills_ahead() {
    if (central_.fill == Fill::kAlways || run_.mailbox_depth == 1) return true;
    std::uint32_t word = 0;
    if (lane_id() == 0) word = BlockWord(central_.fill == Fill::kWhenNoCoreIdle ? state_.idle_cores : state_.handed).load(kRelaxed);
    word = __shfl_sync(kAllLanes, word, 0);
    return central_.fill == Fill::kWhenNoCoreIdle ? word == idle_ : run_.task_count - word > run_.workers;
  }

  /// Tasks given to the lane's core of that pass and not yet completed. Contract: owns(pass).
  __device__ __forceinline__ std::uint32_t outstanding(int pass) const { return given_[pass] - seen_[pass]; }

  /// The i-th of the tasks taken from the ready queue; all lanes ask, each for its own.
  __device__ __forceinline__ std::uint32_t taken(std::uint32_t i) const {
    const std::uint32_t low = __shfl_sync(kAllLanes, taken_[0], i);
    const std::uint32_t high = __shfl_sync(kAllLanes, taken_[1], i);
    return i < 32 ? low : high;
  }

  /// One after the other to the cores that hold the fewest.
  __device__ __forceinline__ void give_to_emptiest(std::uint32_t got, std::uint32_t depth) {
    std::uint32_t given = 0;
    std::uint32_t fewest = depth;
#pragma unroll
    for (int pass = 0; pass < kPasses; ++pass) fewest = min(fewest, owns(pass) ? outstanding(pass) : depth);
#pragma unroll 1
    for (std::uint32_t level = __reduce_min_sync(kAllLanes, fewest); level < depth && given < got; ++level) {
#pragma unroll
      for (int pass = 0; pass < kPasses; ++pass) {
        const bool has_room = owns(pass) && outstanding(pass) == level;
        const std::uint32_t lanes = __ballot_sync(kAllLanes, has_room);
        const std::uint32_t rank = given + rank_in(lanes);
        const std::uint32_t place = taken(rank);
        if (has_room && rank < got) give(pass, place);
        given += __popc(lanes);
      }
    }
  }

  /// One after the other to the core with room that has the least expected work; of equals to the first.
  __device__ __forceinline__ void give_to_least_loaded(std::uint32_t got, std::uint32_t depth) {
    for (std::uint32_t i = 0; i < got; ++i) {
      const std::uint32_t place = taken(i);
      std::uint32_t best = kStopTask;
      int best_pass = 0;
#pragma unroll
      for (int pass = 0; pass < kPasses; ++pass) {
        const bool has_room = owns(pass) && outstanding(pass) < depth;
        const std::uint32_t least = __reduce_min_sync(kAllLanes, has_room ? load_[pass] : kStopTask);
        if (least >= best) continue;
        best = least;
        best_pass = pass;
      }
#pragma unroll
      for (int pass = 0; pass < kPasses; ++pass) {
        if (pass != best_pass) continue;
        const std::uint32_t lanes = __ballot_sync(kAllLanes, owns(pass) && outstanding(pass) < depth && load_[pass] == best);
        if (lane_id() != static_cast<std::uint32_t>(__ffs(static_cast<int>(lanes))) - 1) continue;
        load_[pass] += central_.tasks[place].expected_ns;
        give(pass, place);
      }
      __syncwarp();
    }
  }

  __device__ __forceinline__ std::uint32_t in_flight(int pass, std::uint32_t n) const {
    return worker_of(pass) * (central_.slot_mask + 1) + (n & central_.slot_mask);
  }

  /// Makes a task the next one that the lane's core will be sent.
  __device__ __forceinline__ void give(int pass, std::uint32_t place) { tables_.places[in_flight(pass, given_[pass]++)] = place; }

  __device__ __forceinline__ void note_ready(const std::uint32_t (&places)[kHeadSuccessors], std::uint32_t which) {
#pragma unroll
    for (std::uint32_t i = 0; i < kHeadSuccessors; ++i) {
      if (which >> i & 1u) stamp_ready(places[i]);
    }
  }

  __device__ __forceinline__ void stamp_ready(std::uint32_t place) {
    run_.phases[id_of(place)].ready = global_timer();
    ++released_;
  }

  /// Writes the n-th task of the lane's core to its mailbox.
  __device__ __forceinline__ void send(int pass, std::uint32_t n, std::uint32_t place) const {
    if (run_.phases && place != kStopTask) {
      PhaseRecord& record = run_.phases[id_of(place)];
      record.dispatched = global_timer();
      record.dispatcher = 1 + self_;
    }
    DeviceWord64(central_.mailboxes[worker_of(pass) * kMailboxEntries + (n & central_.slot_mask)])
        .store(std::uint64_t{n + 1} << 32 | place, kRelaxed);
  }

  /// Begins to copy what its completion will need.
  __device__ __forceinline__ void fetch_edges(std::uint32_t slot, std::uint32_t place) const {
    const TaskEdges* from = &central_.tasks[place].edges;
    const auto to = static_cast<std::uint32_t>(__cvta_generic_to_shared(&tables_.edges[slot]));
#pragma unroll
    for (std::uint32_t piece = 0; piece < sizeof(TaskEdges); piece += 16) {
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to + piece), "l"(reinterpret_cast<const std::byte*>(from) + piece)
                   : "memory");
    }
  }

  __device__ __forceinline__ std::uint32_t id_of(std::uint32_t place) const { return central_.ids ? central_.ids[place] : place; }

  __device__ __forceinline__ void log_iteration() {
    if (!run_.phases) return;
    const std::uint32_t released = __reduce_add_sync(kAllLanes, released_);
    iteration_.completions = __reduce_add_sync(kAllLanes, iteration_.completions);
    released_ = 0;
    if (lane_id() != 0 || logged_ == central_.iteration_capacity) return;
    iteration_.end = global_timer();
    iteration_.released = released;
    central_.iterations[std::size_t{self_} * central_.iteration_capacity + logged_++] = iteration_;
    central_.iteration_counts[self_] = logged_;
  }

  const PersistentRun& run_;
  const CentralDispatcher& central_;
  DispatcherState& state_;
  const Tables tables_;
  std::uint32_t self_;
  Ready ready_;
  static constexpr std::uint32_t kMostTaken = kStaged;
  std::uint32_t taken_[kMostTaken / 32] = {};  ///< from the ready queue; lane l has l, and 32 + l
  bool queue_empty_ = false;                   ///< when last seen
  std::uint32_t idle_ = 0;                     ///< own idle cores, as the block's count has them
  std::uint32_t given_[kPasses] = {};          ///< by pass: tasks given to the lane's core of that pass
  std::uint32_t sent_[kPasses] = {};           ///< of those written to its mailbox
  std::uint32_t seen_[kPasses] = {};           ///< completions of it taken in
  std::uint32_t fresh_[kPasses] = {};          ///< completions of it still to take in
  std::uint32_t load_[kPasses] = {};           ///< expected ns of what it holds, where that decides
  DispatchIteration iteration_ = {};
  std::uint32_t uncounted_ = 0;  ///< completions taken in by this lane, and not yet in the block's count
  std::uint32_t released_ = 0;   ///< by this lane, in this iteration
  std::uint32_t logged_ = 0;
};

}  // namespace tasktwin::gpu
