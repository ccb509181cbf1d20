#pragma once

#include "gpu/cuda/memory_order.cuh"
#include "gpu/cuda/warp.cuh"
#include "gpu/persistent/dispatchers/central_dispatcher_kernel.hpp"

namespace tasktwin::gpu {

/// Rounds of each dispatcher that are kept where they are timed alone.
inline constexpr std::uint32_t kTimedRounds = 64;

/// What a dispatcher notes of its rounds and, where phases are stamped, of each task what only a dispatcher sees. Whole warps call,
/// unless it says that a lane does for itself. Rounds that are timed alone are timed by the multiprocessor's clock and kept in shared
/// memory until the run ends: a fence waits for all that a warp has written to memory, stamps too.
class DispatchLog {
 public:
  /// `kept`: room for kTimedRounds of each dispatcher, or null.
  __device__ DispatchLog(const PersistentRun& run, const CentralDispatcher& central, std::uint32_t self, DispatchIteration* kept)
      : run_(run), central_(central), self_(self), kept_(kept ? kept + self * kTimedRounds : rounds()) {
    if (!run.time_rounds) return;
    clock_ = clock64();
    timer_ = global_timer();
  }

  /// Whether rounds are.
  __device__ __forceinline__ bool timed() const { return run_.phases || run_.time_rounds; }

  __device__ __forceinline__ void begin() {
    round_ = {};
    serving_ = 0;
    if (timed()) round_.begin = now();
  }
  __device__ __forceinline__ void swept() {
    if (timed()) round_.swept = now();
  }
  /// Begins and ends what is handed over before completions are taken in.
  __device__ __forceinline__ void serves() {
    if (timed()) serving_ = now();
  }
  __device__ __forceinline__ void served() {
    if (timed()) serving_ = now() - serving_;
  }
  __device__ __forceinline__ void resolved() {
    if (timed()) round_.resolved = now();
  }
  __device__ __forceinline__ void taken() {
    if (timed()) round_.taken = now();
  }

  /// Completions that the lane takes in.
  __device__ __forceinline__ void took_in(std::uint32_t completions) { round_.completions += completions; }
  /// Successors that the lane tells, of the head of a row.
  __device__ __forceinline__ void told(std::uint32_t successors) { round_.edges += successors; }
  /// Edges beyond heads, of all lanes.
  __device__ __forceinline__ void walked(std::uint32_t edges) {
    round_.edges += lane_id() == 0 ? edges : 0;
    round_.rows += (edges + 31) / 32;
  }
  __device__ __forceinline__ void passed_on() { ++round_.turns; }
  /// From the queue.
  __device__ __forceinline__ void claimed(std::uint32_t tasks) { round_.claimed = tasks; }
  /// By the lane.
  __device__ __forceinline__ void handed_over(std::uint32_t tasks) { round_.handed_over = tasks; }

  /// A lane's own task. Contract: rounds are timed.
  __device__ __forceinline__ void made_ready(std::uint32_t place) {
    if (run_.phases) run_.phases[id_of(place)].ready = global_timer();
    ++released_;
  }
  /// Likewise. Contract: phases are stamped.
  __device__ __forceinline__ void stamp_dispatched(std::uint32_t place) const {
    PhaseRecord& record = run_.phases[id_of(place)];
    record.dispatched = global_timer();
    record.dispatcher = 1 + self_;
  }

  /// The round, which did something, is over.
  __device__ __forceinline__ void end() {
    if (!timed()) return;
    round_.end = now();
    round_.serving = static_cast<std::uint32_t>(serving_);
    round_.released = __reduce_add_sync(kAllLanes, released_);
    round_.completions = __reduce_add_sync(kAllLanes, round_.completions);
    round_.edges = __reduce_add_sync(kAllLanes, round_.edges);
    round_.handed_over = __reduce_add_sync(kAllLanes, round_.handed_over);
    released_ = 0;
    if (lane_id() != 0 || logged_ == (run_.time_rounds ? min(kTimedRounds, central_.iteration_capacity) : central_.iteration_capacity))
      return;
    kept_[logged_++] = round_;
    if (run_.phases) central_.iteration_counts[self_] = logged_;
  }

  /// No round comes any more.
  __device__ __forceinline__ void close() {
    if (!run_.time_rounds || lane_id() != 0) return;
    const double ns = static_cast<double>(global_timer() - timer_) / static_cast<double>(clock64() - clock_);
    const auto timer = [&](std::uint64_t clock) { return timer_ + static_cast<std::uint64_t>(static_cast<double>(clock - clock_) * ns); };
    for (std::uint32_t i = 0; i < logged_; ++i) {
      DispatchIteration round = kept_[i];
      for (std::uint64_t* stamp : {&round.begin, &round.swept, &round.resolved, &round.taken, &round.end}) *stamp = timer(*stamp);
      round.serving = static_cast<std::uint32_t>(round.serving * ns);
      rounds()[i] = round;
    }
    central_.iteration_counts[self_] = logged_;
  }

 private:
  __device__ DispatchIteration* rounds() const { return central_.iterations + std::size_t{self_} * central_.iteration_capacity; }
  __device__ __forceinline__ std::uint64_t now() const { return run_.phases ? global_timer() : clock64(); }
  __device__ __forceinline__ std::uint32_t id_of(std::uint32_t place) const { return central_.ids ? central_.ids[place] : place; }

  const PersistentRun& run_;
  const CentralDispatcher& central_;
  std::uint32_t self_;
  DispatchIteration* kept_;
  DispatchIteration round_ = {};
  std::uint64_t serving_ = 0;
  std::uint64_t clock_ = 0;     ///< as the log was opened
  std::uint64_t timer_ = 0;     ///< likewise
  std::uint32_t released_ = 0;  ///< by this lane, in this round
  std::uint32_t logged_ = 0;
};

}  // namespace tasktwin::gpu
