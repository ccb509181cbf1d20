#pragma once

#include "gpu/cuda/shared_pointer.cuh"
#include "gpu/persistent/dispatchers/dispatcher_tables.cuh"
#include "gpu/persistent/gated_dispatcher/gated_dispatcher_kernel.hpp"
#include "gpu/persistent/workers/worker_slots.cuh"

namespace tasktwin::gpu {

/// Where the tables of a gated dispatcher lie: in shared memory, or where the host has them.
struct GatedTables {
  std::uint32_t* counters;  ///< by place: predecessors not done
  std::uint32_t* unhanded;
  std::uint32_t* ready;
  std::uint32_t* candidates;
  std::uint64_t* staged;
  std::uint32_t* handed;  ///< workers that have got tasks, ready, or whose doorbell has been rung; always in shared memory
  TaskEdges* edges;       ///< by worker: of the task that it has; likewise
};

/// One control core that hands tasks over early: when no task is ready for it, an idle worker gets one all of whose predecessors have been
/// handed over and do not wait for a doorbell themselves. The warp that takes in the last of their completions rings the doorbell. A lane
/// has up to kPasses workers. Whole warps call.
template <int kPasses>
class GatedWarp {
 public:
  __device__ GatedWarp(const PersistentRun& run, const GatedDispatcher& gated, const GatedTables& tables)
      : run_(run), gated_(gated), tables_(tables), ready_end_(gated.root_count) {}

  __device__ void dispatch() {
    for (int idle = 1; completed_ < run_.task_count;) {
      ask();
      asm volatile("cp.async.wait_all;" ::: "memory");
      __syncwarp();
      count_handed();
      const bool heard = hear();
      if (heard) take_in();
      const bool takes = take_ready();
      const bool stages = ready_next_ == ready_end_ && stage();
      const bool sends = takes || stages;
      if (sends) send_all();
      if (heard || sends) continue;
      if (run_.backoff_ns > 0) __nanosleep(run_.backoff_ns);
      if (++idle % kPollsPerAbortCheck == 0 && __any_sync(kAllLanes, aborted(run_))) break;
    }
#pragma unroll
    for (int pass = 0; pass < kPasses; ++pass) {
      if (owns(pass)) send(pass, given_[pass] + 1, kStopTask);
    }
  }

 private:
  __device__ std::uint32_t worker(int pass) const { return 32 * pass + lane_id(); }
  __device__ bool owns(int pass) const { return worker(pass) < run_.workers; }
  __device__ bool is_idle(int pass) const { return owns(pass) && given_[pass] == seen_[pass]; }

  /// Begins to look at the completions of all busy workers,
  __device__ void ask() {
#pragma unroll
    for (int pass = 0; pass < kPasses; ++pass) {
      const bool busy = owns(pass) && given_[pass] != seen_[pass];
      heard_[pass] = load_if(busy, run_.completions[completion_word(owns(pass) ? worker(pass) : 0, 1)], seen_[pass]);
    }
  }

  /// and waits for them; what those tasks have done is acquired.
  __device__ bool hear() {
    bool any = false;
#pragma unroll
    for (int pass = 0; pass < kPasses; ++pass) any |= heard_[pass] != seen_[pass];
    if (!__any_sync(kAllLanes, any)) return false;
    acquire_fence();
    return true;
  }

  __device__ void take_in() {
#pragma unroll 1
    for (int pass = 0; pass < kPasses; ++pass) {
      const bool fresh = has_fresh(pass);
      const std::uint32_t lanes = __ballot_sync(kAllLanes, fresh);
      if (lanes == 0) continue;
      completed_ += __popc(lanes);
      count_in(pass);
      for_successors(fresh, tables_.edges[fresh ? worker(pass) : 0], [this](bool is_one, std::uint32_t place) {
        make_ready(is_one && BlockWord(tables_.counters[place]).fetch_sub(1, kRelaxed) == 1, place);
      });
    }
  }

  // By pass, in loops that are not unrolled.
  __device__ bool has_fresh(int at) const {
    bool fresh = false;
#pragma unroll
    for (int pass = 0; pass < kPasses; ++pass) fresh |= pass == at && heard_[pass] != seen_[pass];
    return fresh;
  }
  __device__ void count_in(int at) {
#pragma unroll
    for (int pass = 0; pass < kPasses; ++pass) seen_[pass] = pass == at ? heard_[pass] : seen_[pass];
  }

  /// Calls f(is_one, successor) with one of each lane's row at a time.
  template <class F>
  __device__ void for_successors(bool has_row, const TaskEdges& edges, F&& f) {
    const std::uint32_t count = has_row ? edges.successor_count : 0;
    for (std::uint32_t i = 0; __any_sync(kAllLanes, i < count); ++i) {
      const bool is_one = i < count;
      std::uint32_t place = 0;
      if (is_one) place = i < kHeadSuccessors ? edges.head[i] : run_.successors[edges.first_successor + i];
      f(is_one, place);
    }
  }

  /// A lane's task, if it `is_ready`: its doorbell is rung where it waits for that, else it stands in the queue.
  __device__ void make_ready(bool is_ready, std::uint32_t place) {
    if (!__any_sync(kAllLanes, is_ready)) return;
    if (is_ready && run_.phases) run_.phases[place].ready = global_timer();
    const std::uint64_t staged = is_ready ? tables_.staged[place] : 0;
    append(is_ready && staged == 0, place, tables_.ready, ready_end_);
    const std::uint32_t rung = __ballot_sync(kAllLanes, staged != 0);
    if (rung == 0) return;
    release_fence();  // what has been acquired from those that it has waited for
    const std::uint32_t of = static_cast<std::uint32_t>(staged) - 1;
    if (staged != 0) DeviceWord64(gated_.mailboxes[of * kMailboxEntries + kDoorbell]).store(staged >> 32, kRelaxed);
    held_ -= __popc(rung);
    append(staged != 0, of, tables_.handed, handed_end_);
  }

  __device__ static void append(bool adds, std::uint32_t one, std::uint32_t* list, std::uint32_t& end) {
    const std::uint32_t lanes = __ballot_sync(kAllLanes, adds);
    if (adds) list[end + rank_in(lanes)] = one;
    end += __popc(lanes);
    __syncwarp();
  }

  /// One to each idle worker, as far as there are ready tasks.
  __device__ bool take_ready() {
    const std::uint32_t before = ready_next_;
#pragma unroll
    for (int pass = 0; pass < kPasses; ++pass) {
      if (ready_next_ == ready_end_) break;
      const std::uint32_t lanes = __ballot_sync(kAllLanes, is_idle(pass));
      const std::uint32_t taken = min(ready_end_ - ready_next_, static_cast<std::uint32_t>(__popc(lanes)));
      const bool takes = is_idle(pass) && rank_in(lanes) < taken;
      if (takes) give(pass, tables_.ready[ready_next_ + rank_in(lanes)]);
      append(takes, worker(pass), tables_.handed, handed_end_);
      ready_next_ += taken;
    }
    return ready_next_ != before;
  }

  /// Candidates to workers that are idle still, as many as may wait at once.
  __device__ bool stage() {
    bool any = false;
#pragma unroll
    for (int pass = 0; pass < kPasses; ++pass) {
      std::uint32_t idle = __ballot_sync(kAllLanes, is_idle(pass));
      while (idle != 0 && candidates_next_ != candidates_end_ && held_ < gated_.limit) {
        const std::uint32_t there = min(32u, candidates_end_ - candidates_next_);
        const std::uint32_t place = lane_id() < there ? tables_.candidates[candidates_next_ + lane_id()] : 0;
        const std::uint32_t waiting =
            __ballot_sync(kAllLanes, lane_id() < there && tables_.counters[place] != 0);  // others have become ready
        const std::uint32_t room = min(static_cast<std::uint32_t>(__popc(idle)), gated_.limit - held_);
        const std::uint32_t taken = min(room, static_cast<std::uint32_t>(__popc(waiting)));
        const bool takes = is_idle(pass) && (idle >> lane_id() & 1u) != 0 && rank_in(idle) < taken;
        const std::uint32_t from = takes ? __fns(waiting, 0, static_cast<int>(rank_in(idle)) + 1) : 0;
        const std::uint32_t its = __shfl_sync(kAllLanes, place, from);
        if (takes) {
          give(pass, its | kGated);
          tables_.staged[its] = std::uint64_t{given_[pass]} << 32 | (worker(pass) + 1);
        }
        candidates_next_ += taken < static_cast<std::uint32_t>(__popc(waiting)) ? __fns(waiting, 0, static_cast<int>(taken) + 1) : there;
        held_ += taken;
        any |= taken > 0;
        idle = __ballot_sync(kAllLanes, is_idle(pass));
        __syncwarp();
      }
    }
    return any;
  }

  __device__ void give(int pass, std::uint32_t entry) {
    ++given_[pass];
    entry_[pass] = entry;
    unsent_ |= 1u << pass;
  }

  __device__ void send_all() {
    release_fence();
#pragma unroll
    for (int pass = 0; pass < kPasses; ++pass) {
      if ((unsent_ >> pass & 1u) == 0) continue;
      const std::uint32_t place = entry_[pass] & ~kGated;
      if (run_.phases) {
        run_.phases[place].dispatched = global_timer();
        run_.phases[place].dispatcher = 1;
      }
      send(pass, given_[pass], entry_[pass]);
      const auto* const from = reinterpret_cast<const std::byte*>(&run_.tasks[place].edges);
      const std::uint32_t to = shared_address(tables_.edges[worker(pass)]);
#pragma unroll
      for (std::uint32_t piece = 0; piece < sizeof(TaskEdges); piece += 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to + piece), "l"(from + piece) : "memory");
    }
    unsent_ = 0;
    __syncwarp();
  }

  __device__ void send(int pass, std::uint32_t number, std::uint32_t entry) const {
    DeviceWord64(gated_.mailboxes[worker(pass) * kMailboxEntries]).store(std::uint64_t{number} << 32 | entry, kRelaxed);
  }

  /// Those whose last predecessor has been handed over may be staged, unless they are ready.
  __device__ void count_handed() {
#pragma unroll 1
    for (std::uint32_t first = 0; first < handed_end_; first += 32) {
      const bool has_row = first + lane_id() < handed_end_;
      const std::uint32_t of = has_row ? tables_.handed[first + lane_id()] : 0;
      for_successors(has_row, tables_.edges[of], [this](bool is_one, std::uint32_t place) {
        const bool last = is_one && BlockWord(tables_.unhanded[place]).fetch_sub(1, kRelaxed) == 1;
        append(last && tables_.counters[place] != 0, place, tables_.candidates, candidates_end_);
      });
    }
    handed_end_ = 0;
  }

  const PersistentRun& run_;
  const GatedDispatcher& gated_;
  const GatedTables tables_;
  std::uint32_t given_[kPasses] = {};  ///< by pass: tasks given to the lane's worker of that pass
  std::uint32_t seen_[kPasses] = {};   ///< completions of it taken in
  std::uint32_t heard_[kPasses] = {};  ///< its completion count, as last read
  std::uint32_t entry_[kPasses] = {};  ///< the last one given
  std::uint32_t unsent_ = 0;           ///< bit p: that of pass p is to be sent
  // Alike on all lanes:
  std::uint32_t completed_ = 0;
  std::uint32_t held_ = 0;  ///< workers that wait for a doorbell
  std::uint32_t ready_next_ = 0;
  std::uint32_t ready_end_;
  std::uint32_t candidates_next_ = 0;
  std::uint32_t candidates_end_ = 0;
  std::uint32_t handed_end_ = 0;
};

}  // namespace tasktwin::gpu
