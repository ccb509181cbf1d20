#include "gpu/persistent/control_warp.cuh"
#include "gpu/persistent/launch.cuh"
#include "gpu/persistent/polling.cuh"
#include "gpu/persistent/static_queues_kernel.hpp"
#include "gpu/persistent/successor_row.cuh"
#include "gpu/persistent/task_stream.cuh"

namespace tasktwin::gpu {

namespace {

/// A worker runs its own list and waits for each task's counter; whoever finishes decrements its successors' counters.
class StaticLink {
 public:
  __device__ StaticLink(const PersistentRun& run, const StaticQueues& queues, std::uint32_t worker, TaskStream::Room& room)
      : run_(run), worker_(worker), next_(queues.first[worker]), end_(queues.first[worker + 1]), tasks_(room, queues.tasks, end_) {}

  __device__ bool fetch(WorkerSlot& slot) {
    if (next_ == end_) return false;
    if (!staged_) stage(slot);
    successors_.prepare(run_, slot.task);
    if (ready_ == 0 && !await_ready(slot)) return false;
    advance();
    return true;
  }

  __device__ bool try_fetch(WorkerSlot& slot, bool may_look) {
    if (next_ == end_) return false;
    if (!staged_) stage(slot);
    if (ready_ == 0 && !(may_look && look_ready())) return false;
    advance();
    return true;
  }

  __device__ void prepare(const DeviceTask& task) { successors_.prepare(run_, task); }

  __device__ void publish(std::uint32_t, std::uint32_t n) const {
    if (successors_.count() > 0) {
      release_fence();
      successors_.for_each([this](std::uint32_t place) {
        if (place != kStopTask) decrement(run_.counters[place]);
      });
    }
    if (lane_id() == 0) DeviceWord(run_.completions[worker_ * kLineWords]).store(n + 1, kRelaxed);
  }

 private:
  /// The next task into the slot it will have.
  __device__ void stage(WorkerSlot& slot) {
    const std::uint64_t begun = run_.phases ? global_timer() : 0;
    if (tasks_.is_new(next_)) {
      tasks_.await_batch(next_);
      count_roots();
    }
    tasks_.put(next_, slot.task);
    if (lane_id() == 0) slot.dispatched = begun;
    staged_ = true;
  }

  /// Those of the batch from the next task on that wait for nobody.
  __device__ void count_roots() {
    const std::uint32_t place = next_ + lane_id();
    const bool waits = place >= tasks_.batch_end() || tasks_[place].awaited > 0;
    const std::uint32_t waiting = __ballot_sync(kAllLanes, waits);
    ready_ = max(ready_, static_cast<std::uint32_t>(__ffs(static_cast<int>(waiting))) - 1);
  }

  __device__ void advance() {
    --ready_;
    ++next_;
    staged_ = false;
  }

  /// The counter of the next task, or, for each lane, of one behind it.
  __device__ std::uint32_t& counter() const { return run_.counters[min(next_ + lane_id(), end_ - 1)]; }

  /// Counts the tasks from the next one on whose counters, lane by lane, are zero.
  __device__ bool seen(std::uint32_t counter) {
    const std::uint32_t waiting = __ballot_sync(kAllLanes, counter != 0) | (1u << min(end_ - next_, kLookAhead));
    ready_ = static_cast<std::uint32_t>(__ffs(static_cast<int>(waiting))) - 1;
    return ready_ > 0;
  }

  __device__ bool await_ready(const WorkerSlot& slot) {
    DeviceWord word(counter());
    if (poll(
            run_, [&] { return word.load(kAcquire); }, [this](std::uint32_t counter) { return seen(counter); }))
      return true;
    if (lane_id() == 0) run_.waiting_for[worker_] = 1 + slot.task.body.task;
    return false;
  }

  /// Beside a body, whose L1 cache an acquiring load would empty each time.
  __device__ bool look_ready() {
    if (!seen(DeviceWord(counter()).load(kRelaxed))) return false;
    acquire_fence();
    return true;
  }

  static constexpr std::uint32_t kLookAhead = 8;

  const PersistentRun& run_;
  std::uint32_t worker_;
  std::uint32_t next_;       ///< place of the next task
  std::uint32_t end_;        ///< of the list
  TaskStream tasks_;         ///< the list
  bool staged_ = false;      ///< the next task stands in its slot
  std::uint32_t ready_ = 0;  ///< so many from `next_` on are known to be ready
  SuccessorRow successors_;  ///< of the oldest task under way
};

template <bool kWatched>
__global__ void __launch_bounds__(kControlledThreads, 1)
    static_queues(const __grid_constant__ PersistentRun run, const __grid_constant__ StaticQueues queues) {
  extern __shared__ __align__(128) std::byte scratch[];
  __shared__ TaskStream::Room room;
  const PersistentRun known = as_watched<kWatched>(run);
  run_controlled(known, StaticLink(known, queues, blockIdx.x, room), blockIdx.x, scratch);
}

}  // namespace

void launch_static_queues(const PersistentRun& run, const StaticQueues& queues, cudaStream_t stream) {
  launch_resident(watched(run) ? static_queues<true> : static_queues<false>, {run.workers, kControlledThreads, kBodySharedBytes}, stream,
                  run, queues);
}

}  // namespace tasktwin::gpu
