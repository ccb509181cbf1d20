#include "gpu/persistent/launch/launch.cuh"
#include "gpu/persistent/worker_queues/publisher.cuh"
#include "gpu/persistent/workers/task_batch.cuh"
#include "models/rules/home.hpp"
#include "models/rules/victim.hpp"

namespace tasktwin::gpu {

/// Not unnamed: where bodies are linked in at run time kernels are found by their names.
namespace work_stealing_kernel {

/// Each worker has a queue of its own, or a home among shards, and pushes there what it has made ready. One with room for a task
/// looks at its home, then, if it steals, at the others' queues in the order of the victim policy, 32 lengths at a time; of what it
/// steals it runs the task that the owner would have come to first, the others go to its own home. Every take, theft or push is one
/// compare-and-swap.
template <bool kEvents>
class StealLink {
 public:
  __device__ StealLink(const PersistentRun& run, const WorkerQueues& queues, std::uint32_t worker)
      : run_(run),
        queues_(queues),
        worker_(worker),
        home_(rules::home_of(worker, queues.own.count)),
        own_(queues.own[home_]),
        taken_(queues.taken + std::size_t{worker} * queues.own.capacity),
        ending_(run, queues.ending, worker),
        publisher_(run, queues, worker) {}

  __device__ bool fetch(std::uint32_t, WorkerSlot& slot) {
    for (int polls = 1;; ++polls) {
      const std::uint64_t begun = run_.phases ? global_timer() : 0;
      const std::uint32_t peeked = polls > 1 ? ending_.peek() : 0;
      const std::uint32_t found = first_ != end_ ? next_taken() : look();
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
    publisher_.publish(task, n, [this](const auto& ready) { publisher_.push(own_, ready); });
  }

  __device__ bool idle() { return publisher_.idle(own_); }

 private:
  /// A task from somewhere, or kStopTask.
  __device__ std::uint32_t look() {
    if (take(own_, queues_.newest_first, AtMost{claim_size()})) {
      count_claimed(end_);
      return next_taken();
    }
    if (!queues_.stealing.on) return kStopTask;
    const bool found = queues_.stealing.victim == Victim::kMostLoaded ? steal_from_longest() : steal_in_order();
    if (!found) return kStopTask;
    const std::uint32_t task = next_taken();
    restore();
    count_claimed(1 + end_ - first_);
    return task;
  }

  /// As many as there are, up to `most`.
  struct AtMost {
    std::uint32_t most;
    __device__ std::uint32_t operator()(std::uint32_t there) const { return min(there, most); }
  };

  /// From its home.
  __device__ std::uint32_t claim_size() const {
    std::uint32_t claimed = 0;
    if (guided()) claimed = __shfl_sync(kAllLanes, DeviceWord(*queues_.claims.claimed).load(kRelaxed), 0);
    return queues_.claims.size(claimed);
  }

  /// The worker has taken that many to run.
  __device__ void count_claimed(std::uint32_t blocks) const {
    if (guided() && lane_id() == 0) DeviceWord(*queues_.claims.claimed).fetch_add(blocks, kRelaxed);
  }

  __device__ bool guided() const { return queues_.claims.rule.kind == Claim::kGuided; }

  /// Takes from `queue` into taken_, in the order of its positions; whether there was anything. All entries are out before anything
  /// else is waited for.
  template <class HowMany>
  __device__ bool take(const StealQueue& queue, bool newest, HowMany how_many) {
    std::uint32_t position = 0;
    std::uint32_t count = 0;
    if (lane_id() == 0) count = queue.take(newest, how_many, position);
    count = __shfl_sync(kAllLanes, count, 0);
    if (count == 0) return false;
    position = __shfl_sync(kAllLanes, position, 0);
    queue.get_all(position, count, taken_, lane_id(), 32);
    __syncwarp();
    first_ = 0;
    end_ = count;
    return true;
  }

  /// Contract: first_ != end_.
  __device__ std::uint32_t next_taken() { return queues_.newest_first ? taken_[--end_] : taken_[first_++]; }

  /// Puts what has been stolen into the worker's home, as far as there is room; the rest it runs itself.
  __device__ void restore() {
    const std::uint32_t count = end_ - first_;
    std::uint32_t position = 0;
    std::uint32_t room = 0;
    if (lane_id() == 0 && count > 0) room = own_.reserve(count, position);
    room = __shfl_sync(kAllLanes, room, 0);
    position = __shfl_sync(kAllLanes, position, 0);
    own_.put_all(position, room, taken_ + first_, lane_id(), 32);
    __syncwarp();
    first_ += room;
  }

  __device__ bool steal_in_order() {
    const rules::VictimRound order(queues_.stealing.victim, home_, queues_.own.count, kSeed,
                                   std::uint64_t{round_++} * run_.workers + worker_);
    for (std::uint32_t base = 0; base < order.attempts(); base += 32) {
      const std::uint32_t attempt = base + lane_id();
      const bool filled = attempt < order.attempts() && queues_.own[order.queue(attempt)].length() > 0;
      for (std::uint32_t left = __ballot_sync(kAllLanes, filled); left != 0; left &= left - 1) {
        const std::uint32_t victim = order.queue(base + static_cast<std::uint32_t>(__ffs(static_cast<int>(left))) - 1);
        if (take(queues_.own[victim], !queues_.newest_first, queues_.stealing.size)) return true;
      }
    }
    return false;
  }

  /// From the longest of the others' queues, the lowest of equal ones; one attempt a round.
  __device__ bool steal_from_longest() {
    std::uint32_t most = 0;
    std::uint32_t victim = kStopTask;
    for (std::uint32_t queue = lane_id(); queue < queues_.own.count; queue += 32) {
      const std::uint32_t length = queue == home_ ? 0 : queues_.own[queue].length();
      if (!rules::is_tried_before(length, queue, most, victim)) continue;
      most = length;
      victim = queue;
    }
    const std::uint32_t longest = __reduce_max_sync(kAllLanes, most);
    if (longest == 0) return false;
    victim = __reduce_min_sync(kAllLanes, most == longest ? victim : kStopTask);
    return take(queues_.own[victim], !queues_.newest_first, queues_.stealing.size);
  }

  static constexpr std::uint64_t kSeed = 1;  ///< a run on a GPU has none of its own

  const PersistentRun& run_;
  const WorkerQueues& queues_;
  std::uint32_t worker_;
  std::uint32_t home_;
  StealQueue own_;
  // Of the fetching unit:
  std::uint32_t* taken_;
  std::uint32_t first_ = 0;  ///< taken_[first_, end_) are still to be delivered
  std::uint32_t end_ = 0;
  std::uint32_t round_ = 0;
  Ending ending_;
  // Of the publishing unit:
  Publisher<kEvents> publisher_;
};

template <bool kWatched, int kPerCore>
__global__ void __launch_bounds__(kWorkerThreads, kPerCore)
    work_stealing(const __grid_constant__ PersistentRun run, const __grid_constant__ WorkerQueues queues) {
  extern __shared__ __align__(128) std::byte scratch[];
  const PersistentRun known = as_watched<kWatched>(run);
  const std::uint32_t worker = worker_number<kPerCore>(run);
  if (worker < run.blocks) run_worker<kPerCore>(known, StealLink<kWatched>(known, queues, worker), worker, scratch);
}

}  // namespace work_stealing_kernel

using namespace work_stealing_kernel;

void launch_work_stealing(const PersistentRun& run, const WorkerQueues& queues, cudaStream_t stream) {
  with_variant(run, has_events(queues), [&]<bool kWatched, int kPerCore>() {
    launch_workers(work_stealing<kWatched, kPerCore>, "work_stealing_kernel", {run.workers, kWorkerThreads, kBodySharedBytes}, stream, run,
                   queues);
  });
}

}  // namespace tasktwin::gpu
