#pragma once

#include "gpu/bodies/body.cuh"
#include "gpu/cuda/memory_order.cuh"
#include "gpu/cuda/named_barrier.cuh"
#include "gpu/cuda/shared_pointer.cuh"
#include "gpu/persistent/workers/worker_slots.cuh"
#include "gpu/run/order_check.cuh"

namespace tasktwin::gpu {

/// What a worker needs to know of its task at once, read side by side.
struct TaskLine {
  BodyStart start;
  std::uint32_t first_successor;
  std::uint32_t successor_count;
  std::uint32_t head;  ///< for lane i < kHeadSuccessors the i-th successor

  __device__ explicit TaskLine(const DeviceTask& task) {
    const auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(&task));
    const uint4 body = read_shared(address);
    const uint4 edges = read_shared(address + offsetof(DeviceTask, edges));
    head = read_shared_word(address + offsetof(DeviceTask, edges) + offsetof(TaskEdges, head) + 4 * (lane_id() % kHeadSuccessors));
    start = {body.y, body.z | static_cast<std::uint64_t>(body.w) << 32};
    first_successor = edges.x;
    successor_count = edges.y;
  }
};

/// A worker block that has one task at a time: a leading warp, which finds tasks and publishes them, and the warps that run bodies.
/// The leading warp runs a body that one thread is enough for itself: what is handed from warp to warp costs more than such a
/// body's own instructions. Nothing continues during a body.
inline constexpr int kLeadingWarp = kBodyThreads / 32;
inline constexpr int kSerialThreads = kBodyThreads + 32;

__device__ inline NamedBarrier body_called() { return NamedBarrier(2); }
__device__ inline NamedBarrier body_ended() { return NamedBarrier(3); }

/// Link is how a design connects a worker to the rest. The leading warp calls
///   void come_to(n)             if there is one: the worker has come to its n-th task, which may not be there
///   bool bring(n)               sees to it that the worker's n-th task is in shared memory; false when there is none left
///   const DeviceTask& task(n)   its place
///   void prepare(line)          reads, before the body, what publish will need
///   std::uint32_t await(n)      waits until that task is ready, and perhaps finds further ones ready; returns the number of the first
///                               that is not: n when the run is aborted
///   bool reads(task)            if there is one: before its body all of the worker's threads read for it
///   void publish(n)             makes the completion of the n-th task, the one last prepared, visible; neither is called for tasks
///                               without successors
template <class Link>
__device__ __forceinline__ void lead_bodies(const PersistentRun& run, Link& link, std::uint32_t worker, std::uint32_t& called) {
  DeviceWord progress(run.completions[worker * kLineWords]);
  std::uint32_t ready = 0;
  for (std::uint32_t n = 0;; ++n) {
    const std::uint64_t dispatched = run.phases ? global_timer() : 0;
    if constexpr (requires { link.come_to(n); }) link.come_to(n);
    if (n == ready && !link.bring(n)) break;
    const DeviceTask& task = link.task(n);  // what is known of it is read before it is waited for
    const TaskLine line(task);
    if (line.successor_count > 0) link.prepare(line);
    if (run.prologues && task.prologue_ns > 0) spin_alone(task.prologue_ns, run.bodies.scaled_cycles_per_ns);
    if (n == ready) {
      ready = link.await(n);
      if (n == ready) break;
    }
    const std::uint64_t received = run.phases ? global_timer() : 0;
    std::uint64_t started = 0;
    bool alone = is_alone(line.start) && !run.done;
    if constexpr (requires { link.reads(task); }) alone = alone && !link.reads(task);
    if (alone) {
      if (run.phases) started = global_timer();
      run_body_alone(line.start, run.bodies);
    } else {
      if (lane_id() == 0) called = shared_address(task);
      __syncwarp();
      body_called().sync(kSerialThreads);
      if (run.phases) started = global_timer();
      body_ended().sync(kSerialThreads);
    }
    const std::uint64_t ended = run.phases ? global_timer() : 0;
    if (run.done && lane_id() == 0) run.done[task.body.task] = 1;
    if (line.successor_count > 0) {
      __syncwarp();
      link.publish(n);
    }
    if (lane_id() == 0) progress.store(n + 1, kRelaxed);
    if (run.phases && lane_id() == 0) {
      PhaseRecord& record = run.phases[task.body.task];
      record.dispatched = dispatched;
      record.received = received;
      record.started = started;
      record.ended = ended;
      record.core = worker;
      record.published = global_timer();
    }
  }
  if (lane_id() == 0) {
    run.last_published[worker] = global_timer();
    called = 0;
  }
  __syncwarp();
  body_called().arrive(kSerialThreads);
}

/// Calls run_one(task) for each task that the leading warp calls the bodies for.
template <class RunOne>
__device__ __forceinline__ void follow_bodies(const PersistentRun& run, const std::uint32_t& called, const RunOne& run_one) {
  for (;;) {
    body_called().sync(kSerialThreads);
    const std::uint32_t address = called;
    if (address == 0) return;
    const DeviceTask& task = at_shared_address<const DeviceTask>(address);
    if (run.done) check_predecessors(task, run.predecessors, run.done, run.violations);
    run_one(task.body);
    __syncwarp();
    body_ended().arrive(kSerialThreads);
  }
}

/// The whole block, of kSerialThreads, calls it; nothing runs before all blocks of the grid are there. `run_one` is run_worker_body, or
/// what ends with it.
template <class Link, class RunOne>
__device__ __forceinline__ void run_serial_by(const PersistentRun& run, Link link, std::uint32_t worker, const RunOne& run_one) {
  __shared__ std::uint32_t called;  ///< where the task is whose body is to be run; 0 when there is none any more
  pass_gate(run);
  if (threadIdx.x / 32 == kLeadingWarp) {
    lead_bodies(run, link, worker, called);
  } else {
    follow_bodies(run, called, run_one);
  }
}

template <int kPerCore = 1, class Link>
__device__ __forceinline__ void run_serial(const PersistentRun& run, Link link, std::uint32_t worker, std::byte* scratch) {
  run_serial_by(run, link, worker, [&](const TaskDescriptor& task) { run_worker_body<kPerCore>(task, run.bodies, scratch); });
}

}  // namespace tasktwin::gpu
