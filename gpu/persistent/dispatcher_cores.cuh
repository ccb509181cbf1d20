#pragma once

#include "gpu/persistent/dispatcher_log.cuh"
#include "gpu/persistent/dispatcher_tables.cuh"

namespace tasktwin::gpu {

/// Handing over: the cores of one dispatcher, up to 32 a pass, a lane each, and their mailboxes. What a core is given is sent,
/// with that of all others, behind one fence; its completion count says what it has done of it, in order.
template <int kPasses>
class DispatcherCores {
 public:
  __device__ DispatcherCores(const PersistentRun& run, const CentralDispatcher& central, const Tables& tables, std::uint32_t self)
      : run_(run), central_(central), tables_(tables), self_(self) {}

  /// Whether the lane has a core in that pass.
  __device__ __forceinline__ bool owns(int pass) const { return worker_of(pass) < run_.workers; }

  /// Tasks given to the lane's core of that pass and not yet completed. Contract: owns(pass).
  __device__ __forceinline__ std::uint32_t outstanding(int pass) const { return given_[pass] - seen_[pass]; }
  __device__ __forceinline__ bool has_room(int pass, std::uint32_t depth) const { return owns(pass) && outstanding(pass) < depth; }
  __device__ __forceinline__ bool is_idle(int pass) const { return owns(pass) && outstanding(pass) == 0; }
  /// Expected ns of what the core holds, where that decides.
  __device__ __forceinline__ std::uint32_t load(int pass) const { return load_[pass]; }

  /// Of all its cores.
  __device__ __forceinline__ std::uint32_t count_idle() const {
    std::uint32_t idle = 0;
#pragma unroll
    for (int pass = 0; pass < kPasses; ++pass) idle += __popc(__ballot_sync(kAllLanes, is_idle(pass)));
    return idle;
  }

  /// Reads every core's completion count. True if any has moved.
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

  /// What the sweep has found and the lane has not yet counted in.
  __device__ __forceinline__ std::uint32_t fresh(int pass) const { return fresh_[pass]; }
  /// Where in the tables the first of them stands. Contract, here and below: fresh(pass) > 0.
  __device__ __forceinline__ std::uint32_t first_fresh(int pass) const { return in_flight(pass, seen_[pass]); }
  __device__ __forceinline__ void count_in(int pass, std::uint32_t slot) {
    ++seen_[pass];
    --fresh_[pass];
    if (central_.least_loaded) load_[pass] -= central_.tasks[tables_.places[slot]].expected_ns;
  }

  /// Makes a task the next one that the lane's core will be sent.
  __device__ __forceinline__ void give(int pass, std::uint32_t place) { tables_.places[in_flight(pass, given_[pass]++)] = place; }
  __device__ __forceinline__ void give_and_weigh(int pass, std::uint32_t place) {
    load_[pass] += central_.tasks[place].expected_ns;
    give(pass, place);
  }

  __device__ __forceinline__ bool has_unsent() const {
    bool any = false;
#pragma unroll
    for (int pass = 0; pass < kPasses; ++pass) any |= sent_[pass] != given_[pass];
    return any;
  }

  /// Writes all mailboxes behind one fence; returns how many entries are the lane's.
  __device__ __forceinline__ std::uint32_t send_all(const DispatchLog& log) {
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
          if (k < left) send(pass, sent_[pass] + k, places[k], log);
        }
#pragma unroll
        for (std::uint32_t k = 0; k < kAtOnce; ++k) {
          if (k < left) fetch_edges(in_flight(pass, sent_[pass] + k), places[k]);
        }
      }
    }
    __syncwarp();
    return handed_over;
  }

  /// Nothing comes after it.
  __device__ __forceinline__ void stop_all(const DispatchLog& log) const {
#pragma unroll
    for (int pass = 0; pass < kPasses; ++pass) {
      if (owns(pass)) send(pass, given_[pass], kStopTask, log);
    }
  }

 private:
  __device__ __forceinline__ std::uint32_t worker_of(int pass) const { return self_ + central_.dispatchers * (lane_id() + 32 * pass); }

  __device__ __forceinline__ std::uint32_t in_flight(int pass, std::uint32_t n) const {
    return worker_of(pass) * (central_.slot_mask + 1) + (n & central_.slot_mask);
  }

  /// Writes the n-th task of the lane's core to its mailbox.
  __device__ __forceinline__ void send(int pass, std::uint32_t n, std::uint32_t place, const DispatchLog& log) const {
    if (run_.phases && place != kStopTask) log.stamp_dispatched(place);
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

  const PersistentRun& run_;
  const CentralDispatcher& central_;
  const Tables tables_;
  std::uint32_t self_;
  std::uint32_t given_[kPasses] = {};  ///< by pass: tasks given to the lane's core of that pass
  std::uint32_t sent_[kPasses] = {};   ///< of those written to its mailbox
  std::uint32_t seen_[kPasses] = {};   ///< completions of it taken in
  std::uint32_t fresh_[kPasses] = {};  ///< completions of it still to take in
  std::uint32_t load_[kPasses] = {};
};

/// What fetch_edges() has begun is there.
__device__ __forceinline__ void await_edges() { asm volatile("cp.async.wait_all;" ::: "memory"); }

}  // namespace tasktwin::gpu
