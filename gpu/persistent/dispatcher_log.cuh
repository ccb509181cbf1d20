#pragma once

#include "gpu/memory_order.cuh"
#include "gpu/persistent/central_dispatcher_kernel.hpp"
#include "gpu/warp.cuh"

namespace tasktwin::gpu {

/// What a dispatcher notes where phases are stamped: its rounds, and of each task what only a dispatcher sees. Whole warps call,
/// unless it says that a lane does for itself.
class DispatchLog {
 public:
  __device__ DispatchLog(const PersistentRun& run, const CentralDispatcher& central, std::uint32_t self)
      : run_(run), central_(central), self_(self) {}

  __device__ __forceinline__ void begin() {
    round_ = {};
    serving_ = 0;
    if (run_.phases) round_.begin = global_timer();
  }
  __device__ __forceinline__ void swept() {
    if (run_.phases) round_.swept = global_timer();
  }
  __device__ __forceinline__ void resolved() {
    if (run_.phases) round_.resolved = global_timer() - serving_;
  }
  /// Begins and ends what is handed over before completions are taken in, and counts with what is handed over after.
  __device__ __forceinline__ void serves() {
    if (run_.phases) serving_ = global_timer();
  }
  __device__ __forceinline__ void served() {
    if (run_.phases) serving_ = global_timer() - serving_;
  }

  /// Completions that the lane takes in.
  __device__ __forceinline__ void took_in(std::uint32_t completions) {
    if (run_.phases) round_.completions += completions;  // of this lane, until the round ends
  }
  __device__ __forceinline__ void walked(std::uint32_t edges) { round_.edges += edges; }
  __device__ __forceinline__ void handed_over(std::uint32_t tasks) { round_.handed_over = tasks; }

  /// A lane's own task. Contract: phases are stamped.
  __device__ __forceinline__ void stamp_ready(std::uint32_t place) {
    run_.phases[id_of(place)].ready = global_timer();
    ++released_;
  }
  __device__ __forceinline__ void stamp_dispatched(std::uint32_t place) const {
    PhaseRecord& record = run_.phases[id_of(place)];
    record.dispatched = global_timer();
    record.dispatcher = 1 + self_;
  }

  /// The round, which did something, is over.
  __device__ __forceinline__ void end() {
    if (!run_.phases) return;
    const std::uint32_t released = __reduce_add_sync(kAllLanes, released_);
    round_.completions = __reduce_add_sync(kAllLanes, round_.completions);
    released_ = 0;
    if (lane_id() != 0 || logged_ == central_.iteration_capacity) return;
    round_.end = global_timer();
    round_.released = released;
    central_.iterations[std::size_t{self_} * central_.iteration_capacity + logged_++] = round_;
    central_.iteration_counts[self_] = logged_;
  }

 private:
  __device__ __forceinline__ std::uint32_t id_of(std::uint32_t place) const { return central_.ids ? central_.ids[place] : place; }

  const PersistentRun& run_;
  const CentralDispatcher& central_;
  std::uint32_t self_;
  DispatchIteration round_ = {};
  std::uint64_t serving_ = 0;
  std::uint32_t released_ = 0;  ///< by this lane, in this round
  std::uint32_t logged_ = 0;
};

}  // namespace tasktwin::gpu
