#pragma once

#include "gpu/persistent/static_queues/static_queues_kernel.hpp"
#include "gpu/persistent/workers/polling.cuh"
#include "gpu/persistent/workers/serial_worker.cuh"
#include "gpu/persistent/workers/successor_row.cuh"
#include "gpu/persistent/workers/task_stream.cuh"

namespace tasktwin::gpu {

/// A worker's own list, read ahead into shared memory. The leading warp calls.
class WorkerList {
 public:
  __device__ WorkerList(const StaticQueues& queues, std::uint32_t worker, TaskStream::Room& room)
      : first_(queues.first[worker]), end_(queues.first[worker + 1]), tasks_(room, queues.tasks, end_), room_(shared_address(room)) {}

  __device__ std::uint32_t place(std::uint32_t n) const { return first_ + n; }

  __device__ const DeviceTask& task(std::uint32_t n) const {
    return at_shared_address<const DeviceTask>(room_ + place(n) % TaskStream::kPlaces * static_cast<std::uint32_t>(sizeof(DeviceTask)));
  }

  /// False when the list has no n-th task; else it is there on return. Contract: so does the one before.
  __device__ bool bring(std::uint32_t n) {
    if (place(n) == end_) return false;
    if (tasks_.is_new(place(n))) tasks_.await_batch(place(n));
    return true;
  }

  /// Tasks from the n-th one on that are there.
  __device__ std::uint32_t there(std::uint32_t n) const { return tasks_.batch_end() - place(n); }

  /// That many of them wait for no task, and where some watch events (StaticQueues::watched) for none of these.
  __device__ std::uint32_t roots(std::uint32_t n, bool watches = false) const {
    const DeviceTask& task = tasks_[place(n) + min(lane_id(), there(n) - 1)];
    return leading(lane_id() < there(n) && (task.awaited | (watches ? task.first_awaited : 0)) == 0);
  }

  /// Lanes from the first on for which it is so; not for all of them.
  __device__ static std::uint32_t leading(bool so) {
    return static_cast<std::uint32_t>(__ffs(static_cast<int>(__ballot_sync(kAllLanes, !so)))) - 1;
  }

 private:
  std::uint32_t first_;
  std::uint32_t end_;
  TaskStream tasks_;
  std::uint32_t room_;
};

/// The counters that a lane's task waits for, one after the other: its own, and those of the events that it watches.
class WatchedCounters {
 public:
  __device__ WatchedCounters(std::uint32_t* counters, const std::uint32_t* watched, const DeviceTask& task, std::uint32_t place)
      : counters_(counters), next_(watched + task.first_awaited + 1), end_(next_ + watched[task.first_awaited]), at_(place) {
    if (task.awaited == 0 && next_ != end_) at_ = *next_++;
  }

  /// What the one at hand has left; those that have come to zero are done with.
  __device__ std::uint32_t look() {
    const std::uint32_t left = DeviceWord(counters_[at_]).load(kAcquire);
    if (left > 0 || next_ == end_) return left;
    at_ = *next_++;
    return 1;
  }

 private:
  std::uint32_t* counters_;
  const std::uint32_t* next_;
  const std::uint32_t* end_;
  std::uint32_t at_;
};

/// A worker that finishes decrements its successors' counters; a worker waits for its next task's, and for those of events.
class CounterLink {
 public:
  __device__ CounterLink(const PersistentRun& run, const StaticQueues& queues, std::uint32_t worker, TaskStream::Room& room)
      : run_(run), watched_(queues.watched), worker_(worker), list_(queues, worker, room) {}

  __device__ bool bring(std::uint32_t n) { return list_.bring(n); }
  __device__ const DeviceTask& task(std::uint32_t n) const { return list_.task(n); }

  __device__ std::uint32_t await(std::uint32_t n) {
    const bool watches = watched_ != nullptr && list_.task(n).first_awaited > 0;
    if (list_.task(n).awaited == 0 && !watches) return n + list_.roots(n, watched_ != nullptr);
    const std::uint32_t there = list_.there(n);
    const std::uint32_t mine = min(lane_id(), there - 1);
    std::uint32_t ready = 0;
    const auto seen = [&](std::uint32_t left) { return (ready = WorkerList::leading(left == 0 && lane_id() < there)) > 0; };
    bool found = false;
    if (watched_ == nullptr) {
      DeviceWord counter(run_.counters[list_.place(n) + mine]);
      found = poll(
          run_, [&] { return counter.load(kAcquire); }, seen);
    } else {
      WatchedCounters counters(run_.counters, watched_, list_.task(n + mine), list_.place(n) + mine);
      found = poll(
          run_, [&] { return counters.look(); }, seen);
    }
    if (found) return n + ready;
    if (lane_id() == 0) run_.waiting_for[worker_] = 1 + list_.task(n).body.task;
    return n;
  }

  __device__ void prepare(const TaskLine& line) { successors_.prepare(run_, line.first_successor, line.successor_count, line.head); }

  __device__ void publish(std::uint32_t) const {
    release_fence();
    successors_.for_each([this](std::uint32_t place) {
      if (place != kStopTask) decrement(run_.counters[place]);
    });
  }

 private:
  const PersistentRun& run_;
  const std::uint32_t* watched_;
  std::uint32_t worker_;
  WorkerList list_;
  SuccessorRow successors_;
};

/// A worker that finishes raises its own flag; a worker waits for the flags of its next task's predecessors, 32 at a time. A flag is the
/// task's counter, which no task decrements. An event's tasks do decrement its counter, the last of them to where a flag is raised.
class FlagLink {
 public:
  __device__ FlagLink(const PersistentRun& run, const StaticQueues& queues, std::uint32_t worker, TaskStream::Room& room)
      : run_(run), awaited_(queues.awaited), first_event_(queues.first_event), worker_(worker), list_(queues, worker, room) {}

  __device__ bool bring(std::uint32_t n) { return list_.bring(n); }
  __device__ const DeviceTask& task(std::uint32_t n) const { return list_.task(n); }

  __device__ std::uint32_t await(std::uint32_t n) {
    const DeviceTask& task = list_.task(n);
    const std::uint32_t count = task.awaited;
    if (count == 0) return n + list_.roots(n);
    for (std::uint32_t base = 0; base < count; base += 32) {
      const std::uint32_t i = min(base + lane_id(), count - 1);
      if (await_flag(i < kHeadSuccessors ? task.edges.head[i] : awaited_[task.first_awaited + i])) continue;
      if (lane_id() == 0) run_.waiting_for[worker_] = 1 + task.body.task;
      return n;
    }
    return n + 1;
  }

  __device__ void prepare(const TaskLine& line) {
    if (!has_events()) return;
    row_ = run_.successors + line.first_successor;  // the task's line has the awaited row's head
    count_ = line.successor_count;
    first_ = lane_id() < count_ ? row_[lane_id()] : kStopTask;
  }

  __device__ void publish(std::uint32_t n) const {
    release_fence();
    if (lane_id() == 0) DeviceWord(run_.counters[list_.place(n)]).store(kRaised, kRelaxed);
    if (!has_events()) return;
    for (std::uint32_t i = lane_id(); i < count_; i += 32) {
      const std::uint32_t place = i < 32 ? first_ : row_[i];
      if (place >= first_event_) decrement(run_.counters[place]);
    }
  }

 private:
  static constexpr std::uint32_t kRaised = ~0u;  ///< more predecessors than a task has

  __device__ bool has_events() const { return first_event_ != kStopTask; }

  /// Each lane its own.
  __device__ bool await_flag(std::uint32_t place) const {
    DeviceWord flag(run_.counters[place]);
    const bool raised = poll(
        run_, [&] { return flag.load(kRelaxed); }, [](std::uint32_t value) { return __all_sync(kAllLanes, value == kRaised); });
    acquire_fence();
    return raised;
  }

  const PersistentRun& run_;
  const std::uint32_t* awaited_;
  std::uint32_t first_event_;
  std::uint32_t worker_;
  WorkerList list_;
  // Of the task at hand, where there are events:
  const std::uint32_t* row_ = nullptr;  ///< its successors
  std::uint32_t count_ = 0;
  std::uint32_t first_ = 0;  ///< the lane's of the first 32
};

}  // namespace tasktwin::gpu
