#pragma once

#include "gpu/cuda/shared_pointer.cuh"
#include "gpu/persistent/dispatchers/dispatcher_log.cuh"
#include "gpu/persistent/dispatchers/dispatcher_tables.cuh"

namespace tasktwin::gpu {

/// Handing over: the cores of one dispatcher, up to 32 a pass, a lane each, and their mailboxes. What a core is given is sent,
/// with that of all others, after one fence; its completion count says what it has done of it, in order. Where a lane's words are
/// is worked out once: a round is a chain of dependent steps, and each instruction of it counts.
template <int kPasses>
class DispatcherCores {
 public:
  __device__ DispatcherCores(const PersistentRun& run, const CentralDispatcher& central, const Tables& tables, std::uint32_t self)
      : run_(run), central_(central) {
    const std::uint32_t first = self + central.dispatchers * lane_id();
    for (int pass = 0; pass < kPasses; ++pass) owned_ |= (first + 32 * pass * central.dispatchers < run.workers ? 1u : 0u) << pass;
    const std::uint32_t worker = owned_ > 0 ? first : 0;  // whose words a lane without a core may read
    counts_ = run.completions + completion_word(worker, central.dispatchers);
    mailbox_ = central.mailboxes + worker * kMailboxEntries;
    const std::uint32_t slot = worker * (central.slot_mask + 1);
    edges_ = shared_address(tables.edges[slot]);
    places_ = shared_address(tables.places[slot]);
    asm volatile("" : "+l"(counts_), "+l"(mailbox_));  // kept, not worked out again
  }

  /// Whether the lane has a core in that pass.
  __device__ __forceinline__ bool owns(int pass) const { return (owned_ >> pass & 1u) != 0; }

  /// Tasks given to the lane's core of that pass and not known to be completed; 0 where it has none.
  __device__ __forceinline__ std::uint32_t outstanding(int pass) const { return given_[pass] - heard_[pass]; }
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

  /// Of any of its cores.
  __device__ __forceinline__ bool has_outstanding() const {
    bool any = false;
#pragma unroll
    for (int pass = 0; pass < kPasses; ++pass) any |= outstanding(pass) > 0;
    return __any_sync(kAllLanes, any);
  }

  /// A sweep, in two parts: begins to read the completion counts of all cores that hold something,
  __device__ __forceinline__ void ask() {
#pragma unroll
    for (int pass = 0; pass < kPasses; ++pass) heard_[pass] = load_if(outstanding(pass) > 0, counts_[32 * pass], heard_[pass]);
  }

  /// and waits for them. True if any has moved; then what those tasks have done is acquired, for the dispatcher to pass on.
  __device__ __forceinline__ bool hear() {
    bool any = false;
#pragma unroll
    for (int pass = 0; pass < kPasses; ++pass) any |= fresh(pass) > 0;
    if (!__any_sync(kAllLanes, any)) return false;
    acquire_fence();
    return true;
  }

  /// What the sweep has found and the lane has not yet counted in.
  __device__ __forceinline__ std::uint32_t fresh(int pass) const { return heard_[pass] - seen_[pass]; }
  /// The edges of the oldest task not counted in, or of one that many after it, at an address in shared memory; of any if there is none.
  __device__ __forceinline__ std::uint32_t oldest_edges(int pass, std::uint32_t after = 0) const {
    return edges_ + slot(pass, seen_[pass] + after) * static_cast<std::uint32_t>(sizeof(TaskEdges));
  }
  /// Its place.
  __device__ __forceinline__ std::uint32_t oldest_place(int pass) const { return place_of(pass, seen_[pass]); }
  /// Its completion, or none, as `one` says. Contract: 1 only where fresh(pass) > 0.
  __device__ __forceinline__ void count_in(int pass, std::uint32_t one) { seen_[pass] += one; }

  /// Makes a task the next one that the lane's core will be sent.
  __device__ __forceinline__ void give(int pass, std::uint32_t place) {
    if (sent_[pass] == given_[pass]) unsent_[pass] = place;
    write_shared_word(places_ + slot(pass, given_[pass]++) * static_cast<std::uint32_t>(sizeof place), place);
  }
  __device__ __forceinline__ void give_and_weigh(int pass, std::uint32_t place) {
    load_[pass] += central_.tasks[place].expected_ns;
    give(pass, place);
  }
  /// The core no longer holds it.
  __device__ __forceinline__ void take_off(int pass, std::uint32_t place) { load_[pass] -= central_.tasks[place].expected_ns; }

  /// Given to all its cores and not yet sent.
  __device__ __forceinline__ std::uint32_t count_unsent() const {
    std::uint32_t unsent = 0;
#pragma unroll
    for (int pass = 0; pass < kPasses; ++pass) unsent += given_[pass] - sent_[pass];
    return __reduce_add_sync(kAllLanes, unsent);
  }
  __device__ __forceinline__ bool has_unsent() const {
    bool any = false;
#pragma unroll
    for (int pass = 0; pass < kPasses; ++pass) any |= sent_[pass] != given_[pass];
    return __any_sync(kAllLanes, any);
  }

  /// Writes all mailboxes after one fence; returns how many entries are the lane's. The dispatcher has written nothing that a worker
  /// reads, but without the fence what it has acquired from other workers would not be released with the entries.
  __device__ __forceinline__ std::uint32_t send_all(const DispatchLog& log) {
    release_fence();
    std::uint32_t handed_over = 0;
#pragma unroll
    for (int pass = 0; pass < kPasses; ++pass) {
      handed_over += given_[pass] - sent_[pass];
      if (sent_[pass] != given_[pass]) {  // mostly the only one
        send(pass, sent_[pass], unsent_[pass], log);
        fetch_edges(pass, sent_[pass]++, unsent_[pass]);
      }
#pragma unroll 1
      while (sent_[pass] != given_[pass]) send_some(pass, log);
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
  /// Of the n-th task of the lane's core, from the lane's first one on; one that exists where it has no core.
  __device__ __forceinline__ std::uint32_t slot(int pass, std::uint32_t n) const {
    const std::uint32_t first = pass == 0 || !owns(pass) ? 0 : 32 * pass * central_.dispatchers * (central_.slot_mask + 1);
    return first + (n & central_.slot_mask);
  }

  __device__ __forceinline__ std::uint32_t place_of(int pass, std::uint32_t n) const {
    return read_shared_word(places_ + slot(pass, n) * static_cast<std::uint32_t>(sizeof(std::uint32_t)));
  }

  /// Writes the n-th task of the lane's core to its mailbox.
  __device__ __forceinline__ void send(int pass, std::uint32_t n, std::uint32_t place, const DispatchLog& log) const {
    if (run_.phases && place != kStopTask) log.stamp_dispatched(place);
    const std::uint32_t first = pass == 0 ? 0 : 32 * pass * central_.dispatchers * kMailboxEntries;
    DeviceWord64(mailbox_[first + (n & central_.slot_mask)]).store(std::uint64_t{n + 1} << 32 | place, kRelaxed);
  }

  __device__ __forceinline__ void send_some(int pass, const DispatchLog& log) {
    constexpr std::uint32_t kAtOnce = 8;
    std::uint32_t places[kAtOnce];
    const std::uint32_t left = given_[pass] - sent_[pass];
#pragma unroll
    for (std::uint32_t k = 0; k < kAtOnce; ++k) places[k] = k < left ? place_of(pass, sent_[pass] + k) : 0;
#pragma unroll
    for (std::uint32_t k = 0; k < kAtOnce; ++k) {
      if (k < left) send(pass, sent_[pass] + k, places[k], log);
    }
#pragma unroll
    for (std::uint32_t k = 0; k < kAtOnce; ++k) {
      if (k < left) fetch_edges(pass, sent_[pass] + k, places[k]);
    }
    sent_[pass] += min(kAtOnce, left);
  }

  /// Begins to copy what its completion will need.
  __device__ __forceinline__ void fetch_edges(int pass, std::uint32_t n, std::uint32_t place) const {
    const TaskEdges* from = &central_.tasks[place].edges;
    const std::uint32_t to = edges_ + slot(pass, n) * static_cast<std::uint32_t>(sizeof(TaskEdges));
#pragma unroll
    for (std::uint32_t piece = 0; piece < sizeof(TaskEdges); piece += 16) {
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to + piece), "l"(reinterpret_cast<const std::byte*>(from) + piece)
                   : "memory");
    }
  }

  const PersistentRun& run_;
  const CentralDispatcher& central_;
  std::uint32_t owned_ = 0;            ///< bit p: the lane has a core in pass p
  const std::uint32_t* counts_;        ///< completion count of the lane's first core; a pass further, 32 words further
  std::uint64_t* mailbox_;             ///< its first entry
  std::uint32_t edges_;                ///< of its first slot, in shared memory
  std::uint32_t places_;               ///< likewise
  std::uint32_t given_[kPasses] = {};  ///< by pass: tasks given to the lane's core of that pass
  std::uint32_t sent_[kPasses] = {};   ///< of those written to its mailbox
  std::uint32_t seen_[kPasses] = {};   ///< completions of it taken in
  std::uint32_t heard_[kPasses] = {};  ///< its completion count, as last read
  std::uint32_t unsent_[kPasses];      ///< the first of its tasks not yet sent
  std::uint32_t load_[kPasses] = {};
};

/// What fetch_edges() has begun is there.
__device__ __forceinline__ void await_edges() { asm volatile("cp.async.wait_all;" ::: "memory"); }

}  // namespace tasktwin::gpu
