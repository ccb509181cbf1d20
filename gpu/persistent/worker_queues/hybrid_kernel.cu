#include "gpu/persistent/launch/launch.cuh"
#include "gpu/persistent/worker_queues/claim_size.cuh"
#include "gpu/persistent/worker_queues/publisher.cuh"
#include "gpu/persistent/workers/task_batch.cuh"
#include "models/rules/victim.hpp"

namespace tasktwin::gpu {

/// Not unnamed: where bodies are linked in at run time kernels are found by their names.
namespace hybrid_kernel {

/// Each worker has a frozen list; tasks of no list wait, once they are ready, in one queue for all. A worker with room for a
/// task takes, of these, the first that there is: what it has claimed or stolen before, the first ready task of its own list, a
/// claim from the shared queue, and, if it steals, the last ready tasks of another's list, which it then keeps. A theft looks at the
/// last word of the other's list that has any: a half, or a batch, is one of those up to 32 tasks.
template <bool kEvents>
class HybridLink {
 public:
  __device__ HybridLink(const PersistentRun& run, const WorkerQueues& queues, std::uint32_t worker)
      : run_(run),
        queues_(queues),
        worker_(worker),
        shared_(queues.tickets[0]),
        list_(list_of(worker)),
        ending_(run, queues.ending, worker),
        publisher_(run, queues, worker) {}

  __device__ bool fetch(std::uint32_t, WorkerSlot& slot) {
    for (int polls = 1;; ++polls) {
      const std::uint64_t begun = run_.phases ? global_timer() : 0;
      const std::uint32_t peeked = polls > 1 ? ending_.peek() : 0;
      const std::uint32_t found = look();
      if (found != kStopTask) {
        TaskBatch task;
        task.load(queues_.tasks, found, 1);
        task.put(0, slot.task);
        if (lane_id() == 0) slot.dispatched = begun;
        return true;
      }
      if (polls > 1 && ending_.over(peeked)) return false;
      if (run_.backoff_ns > 0) __nanosleep(run_.backoff_ns);
      if (polls % kPollsPerAbortCheck == 0 && __any_sync(kAllLanes, aborted(run_))) return false;
    }
  }

  __device__ void prepare(const DeviceTask& task) { publisher_.prepare(task); }

  __device__ void publish(std::uint32_t task, std::uint32_t n) {
    publisher_.publish(task, n, [this](const std::uint32_t(&ready)[kBatch]) {
      std::uint32_t frozen[kBatch];
      std::uint32_t unfrozen[kBatch];
      bool any_frozen = false;
      bool any_unfrozen = false;
#pragma unroll
      for (std::uint32_t i = 0; i < kBatch; ++i) {
        frozen[i] = ready[i] < queues_.frozen ? ready[i] : kStopTask;
        unfrozen[i] = ready[i] < queues_.frozen ? kStopTask : ready[i];
        any_frozen = any_frozen || frozen[i] != kStopTask;
        any_unfrozen = any_unfrozen || unfrozen[i] != kStopTask;
      }
      // The lists first: a core that looks is to find the task that is in its own before one that any core may take.
      if (__any_sync(kAllLanes, any_frozen)) {
        publisher_.pass_on(frozen);
#pragma unroll
        for (std::uint32_t i = 0; i < kBatch; ++i) {
          if (frozen[i] != kStopTask) queues_.bits.open(frozen[i], kRelaxed);
        }
      }
      if (__any_sync(kAllLanes, any_unfrozen)) publisher_.push(shared_, unfrozen);
    });
  }

  __device__ bool idle() { return publisher_.idle(shared_); }

 private:
  static constexpr std::uint32_t kBatch = SuccessorRow::kSteps;
  static constexpr std::uint64_t kSeed = 1;  ///< a run on a GPU has none of its own

  /// A frozen list as the words that hold it.
  struct List {
    std::uint32_t first;     ///< place
    std::uint32_t end;       ///< place
    std::uint32_t from;      ///< word; those before it have been taken whole
    std::uint32_t end_word;  ///< = from for an empty list
  };

  __device__ List list_of(std::uint32_t worker) const {
    const std::uint32_t first = queues_.first[worker];
    const std::uint32_t end = queues_.first[worker + 1];
    const std::uint32_t from = first / ReadyBits::kPlaces;
    return {first, end, from, first == end ? from : (end - 1) / ReadyBits::kPlaces + 1};
  }

  /// A task from somewhere, or kStopTask.
  __device__ std::uint32_t look() {
    if (next_ticket_ != end_ticket_) return met();
    if (stolen_ != 0) return next_stolen();
    if (const std::uint32_t own = first_of_own(); own != kStopTask) return own;
    if (claim()) return met();
    if (!queues_.stealing.on) return kStopTask;
    const bool found = queues_.stealing.victim == Victim::kMostLoaded ? steal_from_longest() : steal_in_order();
    return found ? next_stolen() : kStopTask;
  }

  __device__ std::uint32_t first_of_own() {
    for (std::uint32_t base = list_.from; base < list_.end_word; base += 32) {
      const std::uint32_t word = base + lane_id();
      const std::uint32_t part = word < list_.end_word ? ReadyBits::part(word, list_.first, list_.end) : 0;
      const std::uint64_t seen = part != 0 ? queues_.bits.look(word) : 0;
      if (base == list_.from) {
        const std::uint32_t whole = __ballot_sync(kAllLanes, part != 0 && (ReadyBits::taken(seen) & part) == part);
        list_.from += whole == kAllLanes ? 32 : static_cast<std::uint32_t>(__ffs(static_cast<int>(~whole))) - 1;
      }
      std::uint32_t there = ReadyBits::available(seen) & part;
      for (std::uint32_t lanes = __ballot_sync(kAllLanes, there != 0); lanes != 0; lanes = __ballot_sync(kAllLanes, there != 0)) {
        const bool first = lane_id() == static_cast<std::uint32_t>(__ffs(static_cast<int>(lanes))) - 1;
        std::uint32_t place = kStopTask;
        if (first) {
          const std::uint32_t lowest = there & (0u - there);
          there ^= lowest;
          if (queues_.bits.take(word, lowest) != 0) place = word * ReadyBits::kPlaces + __popc(lowest - 1);
        }
        place = __reduce_min_sync(kAllLanes, place);
        if (place != kStopTask) return place;
      }
    }
    return kStopTask;
  }

  /// Draws tickets for the contents of the shared queue; whether there was anything.
  __device__ bool claim() {
    if (queues_.tickets.count == 0) return false;
    const std::uint32_t most = next_claim(queues_.claims, queues_.tickets);
    std::uint32_t first = 0;
    std::uint32_t count = 0;
    if (lane_id() == 0) count = shared_.try_draw(most, first);
    next_ticket_ = __shfl_sync(kAllLanes, first, 0);
    end_ticket_ = next_ticket_ + __shfl_sync(kAllLanes, count, 0);
    return next_ticket_ != end_ticket_;
  }

  /// The task of the next ticket, whose push has begun when the ticket was drawn.
  __device__ std::uint32_t met() {
    std::uint32_t found = 0;
    if (lane_id() == 0) {
      while ((found = shared_.look(next_ticket_)) == 0) {
      }
      shared_.free(next_ticket_);
    }
    ++next_ticket_;
    return __shfl_sync(kAllLanes, found, 0) - 1;
  }

  /// Contract: stolen_ != 0.
  __device__ std::uint32_t next_stolen() {
    const std::uint32_t lowest = stolen_ & (0u - stolen_);
    stolen_ ^= lowest;
    return stolen_word_ * ReadyBits::kPlaces + __popc(lowest - 1);
  }

  __device__ bool steal_in_order() {
    const rules::VictimRound order(queues_.stealing.victim, worker_, run_.workers, kSeed, std::uint64_t{round_++} * run_.workers + worker_);
    for (std::uint32_t attempt = 0; attempt < order.attempts(); ++attempt) {
      if (steal(order.queue(attempt))) return true;
    }
    return false;
  }

  __device__ bool steal(std::uint32_t victim) {
    const List list = list_of(victim);
    for (std::uint32_t end = list.end_word; end > list.from; end -= min(end - list.from, 32u)) {
      const std::uint32_t back = lane_id() + 1;
      const bool inside = end - list.from >= back;
      const std::uint32_t part = inside ? ReadyBits::part(end - back, list.first, list.end) : 0;
      const std::uint32_t there = inside ? ReadyBits::available(queues_.bits.look(end - back)) & part : 0;
      const std::uint32_t lanes = __ballot_sync(kAllLanes, there != 0);
      if (lanes == 0) continue;
      const int last = __ffs(static_cast<int>(lanes)) - 1;
      std::uint32_t wanted = __shfl_sync(kAllLanes, there, last);
      const std::uint32_t number = queues_.stealing.size(__popc(wanted));
      while (static_cast<std::uint32_t>(__popc(wanted)) > number) wanted &= wanted - 1;
      stolen_word_ = end - 1 - static_cast<std::uint32_t>(last);
      std::uint32_t got = 0;
      if (lane_id() == 0) got = queues_.bits.take(stolen_word_, wanted);
      stolen_ = __shfl_sync(kAllLanes, got, 0);
      return stolen_ != 0;
    }
    return false;
  }

  /// From the list with the most ready tasks, the lowest of equal ones; a lane a list. One attempt a round.
  __device__ bool steal_from_longest() {
    std::uint32_t most = 0;
    std::uint32_t victim = kStopTask;
    for (std::uint32_t other = lane_id(); other < run_.workers; other += 32) {
      const List list = list_of(other);
      std::uint32_t length = 0;
      for (std::uint32_t word = list.from; word < list.end_word && other != worker_; ++word)
        length += __popc(ReadyBits::available(queues_.bits.look(word)) & ReadyBits::part(word, list.first, list.end));
      if (!rules::is_tried_before(length, other, most, victim)) continue;
      most = length;
      victim = other;
    }
    __syncwarp();
    const std::uint32_t longest = __reduce_max_sync(kAllLanes, most);
    if (longest == 0) return false;
    return steal(__reduce_min_sync(kAllLanes, most == longest ? victim : kStopTask));
  }

  const PersistentRun& run_;
  const WorkerQueues& queues_;
  std::uint32_t worker_;
  TicketQueue shared_;
  // Of the fetching unit:
  List list_;
  std::uint32_t next_ticket_ = 0;  ///< tickets [next_ticket_, end_ticket_) are still to be delivered
  std::uint32_t end_ticket_ = 0;
  std::uint32_t stolen_word_ = 0;
  std::uint32_t stolen_ = 0;  ///< places in that word that are still to be delivered
  std::uint32_t round_ = 0;
  Ending ending_;
  // Of the publishing unit:
  Publisher<kEvents> publisher_;
};

template <bool kWatched, int kPerCore>
__global__ void __launch_bounds__(kWorkerThreads, kPerCore)
    hybrid(const __grid_constant__ PersistentRun run, const __grid_constant__ WorkerQueues queues) {
  extern __shared__ __align__(128) std::byte scratch[];
  const PersistentRun known = as_watched<kWatched>(run);
  const std::uint32_t worker = worker_number<kPerCore>(run);
  if (worker < run.blocks) run_worker<kPerCore>(known, HybridLink<kWatched>(known, queues, worker), worker, scratch);
}

}  // namespace hybrid_kernel

using namespace hybrid_kernel;

void launch_hybrid(const PersistentRun& run, const WorkerQueues& queues, cudaStream_t stream) {
  with_variant(run, has_events(queues), [&]<bool kWatched, int kPerCore>() {
    launch_workers(hybrid<kWatched, kPerCore>, "hybrid_kernel", {run.workers, kWorkerThreads, kBodySharedBytes}, stream, run, queues);
  });
}

}  // namespace tasktwin::gpu
