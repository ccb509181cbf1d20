#include "gpu/persistent/launch/launch.cuh"
#include "gpu/persistent/worker_queues/claim_size.cuh"
#include "gpu/persistent/worker_queues/publisher.cuh"
#include "gpu/persistent/workers/task_batch.cuh"
#include "models/rules/home.hpp"

namespace tasktwin::gpu {

/// Not unnamed: where bodies are linked in at run time kernels are found by their names.
namespace shared_queue_kernel {

/// Queues that several workers draw tickets from, one for all or shards of which each worker has a home. A claim is one atomic
/// operation; the tasks of its tickets are read together, up to eight at a time, while those before them run. A claim of several
/// is followed by the next when half of it has been delivered, so that a worker never holds more than one and a half claims
/// beyond its mailbox; a claim of one is made when there is room for it.
template <bool kEvents>
class TicketLink {
 public:
  __device__ TicketLink(const PersistentRun& run, const WorkerQueues& queues, std::uint32_t worker)
      : run_(run),
        queues_(queues),
        queue_(queues.tickets[rules::home_of(worker, queues.tickets.count)]),
        ending_(run, queues.ending, worker),
        publisher_(run, queues, worker) {}

  __device__ bool fetch(std::uint32_t, WorkerSlot& slot) {
    const std::uint64_t begun = run_.phases ? global_timer() : 0;
    if (delivered_ == now_count_ && !await_batch()) return false;
    now_.put(delivered_++, slot.task);
    if (lane_id() == 0) slot.dispatched = begun;
    get_ahead();
    return true;
  }

  __device__ void prepare(const DeviceTask& task) { publisher_.prepare(task); }

  __device__ void publish(std::uint32_t task, std::uint32_t n) {
    publisher_.publish(task, n, [this](const auto& ready) { publisher_.push(queue_, ready); });
  }

  __device__ bool idle() { return publisher_.idle(queue_); }

 private:
  /// Spins until the next tasks have come; false if none will.
  __device__ bool await_batch() {
    for (int polls = 1; ahead_count_ == 0; ++polls) {
      if (next_ == end_) receive_claim();
      const std::uint32_t peeked = polls > 1 ? ending_.peek() : 0;
      if (look_ahead()) break;
      if (polls > 1 && ending_.over(peeked)) return false;
      if (run_.backoff_ns > 0) __nanosleep(run_.backoff_ns);
      if (polls % kPollsPerAbortCheck == 0 && __any_sync(kAllLanes, aborted(run_))) return false;
    }
    now_ = ahead_;
    now_count_ = ahead_count_;
    ahead_count_ = 0;
    delivered_ = 0;
    return true;
  }

  /// Has the next tasks read, and the next claim made, as far as that is allowed; waits for what the last call has begun.
  __device__ void get_ahead() {
    const std::uint32_t left = now_count_ - delivered_;
    if (left > 0 && ahead_count_ == 0) {
      if (next_ == end_ && claimed_ > 0) receive_claim();
      if (next_ != end_) look_ahead();
    }
    if (claimed_ == 0 && size_ > 1 && 2 * (left + ahead_count_ + (end_ - next_)) <= size_) claim();
  }

  __device__ void claim() {
    size_ = next_claim(queues_.claims, queues_.tickets);
    claimed_ = size_;
    if (lane_id() == 0) ticket_ = queue_.draw(size_);
  }

  /// Contract: next_ == end_.
  __device__ void receive_claim() {
    if (claimed_ == 0) claim();
    next_ = __shfl_sync(kAllLanes, ticket_, 0);
    end_ = next_ + claimed_;
    claimed_ = 0;
  }

  /// One look at the next tickets; whether the first of them has met its task. Those that follow it without a gap are read with it.
  __device__ bool look_ahead() {
    const std::uint32_t count = min(end_ - next_, TaskBatch::kCapacity);
    const std::uint32_t ticket = next_ + lane_id();
    const std::uint32_t found = lane_id() < count ? queue_.look(ticket) : 0;
    ahead_count_ = static_cast<std::uint32_t>(__ffs(static_cast<int>(~__ballot_sync(kAllLanes, found != 0)))) - 1;
    if (ahead_count_ == 0) return false;
    if (lane_id() < ahead_count_) queue_.free(ticket);
    ahead_.load(queues_.tasks, found - 1, ahead_count_);
    next_ += ahead_count_;
    return true;
  }

  const PersistentRun& run_;
  const WorkerQueues& queues_;
  TicketQueue queue_;
  Ending ending_;
  // Of the fetching unit:
  std::uint32_t size_ = 0;     ///< of the last claim
  std::uint32_t claimed_ = 0;  ///< of a claim in flight
  std::uint32_t ticket_ = 0;   ///< its first ticket, in lane 0
  std::uint32_t next_ = 0;     ///< tickets [next_, end_) have not been found met
  std::uint32_t end_ = 0;
  std::uint32_t delivered_ = 0;  ///< of those in now_
  std::uint32_t now_count_ = 0;
  std::uint32_t ahead_count_ = 0;
  TaskBatch now_;
  TaskBatch ahead_;
  // Of the publishing unit:
  Publisher<kEvents> publisher_;
};

template <bool kWatched, int kPerCore>
__global__ void __launch_bounds__(kWorkerThreads, kPerCore)
    shared_queue(const __grid_constant__ PersistentRun run, const __grid_constant__ WorkerQueues queues) {
  extern __shared__ __align__(128) std::byte scratch[];
  const PersistentRun known = as_watched<kWatched>(run);
  const std::uint32_t worker = worker_number<kPerCore>(run);
  if (worker < run.blocks) run_worker<kPerCore>(known, TicketLink<kWatched>(known, queues, worker), worker, scratch);
}

}  // namespace shared_queue_kernel

using namespace shared_queue_kernel;

void launch_shared_queue(const PersistentRun& run, const WorkerQueues& queues, cudaStream_t stream) {
  with_variant(run, has_events(queues), [&]<bool kWatched, int kPerCore>() {
    launch_workers(shared_queue<kWatched, kPerCore>, "shared_queue_kernel", {run.workers, kWorkerThreads, kBodySharedBytes}, stream, run,
                   queues);
  });
}

}  // namespace tasktwin::gpu
