#pragma once

#include "gpu/persistent/dispatchers/dispatcher_tables.cuh"
#include "gpu/persistent/gated_dispatcher/gated_dispatcher_kernel.hpp"
#include "gpu/persistent/workers/polling.cuh"
#include "gpu/persistent/workers/task_batch.cuh"

namespace tasktwin::gpu {

/// A worker's end of a mailbox of one task, which may have to wait for its doorbell when all else is set up.
class GatedLink {
 public:
  __device__ GatedLink(const PersistentRun& run, const GatedDispatcher& gated, std::uint32_t worker)
      : run_(run), mailbox_(gated.mailboxes + worker * kMailboxEntries), completions_(run.completions + completion_word(worker, 1)) {}

  __device__ bool fetch(std::uint32_t n, WorkerSlot& slot) {
    const std::uint64_t number = n + 1;
    std::uint64_t entry = 0;
    const auto is_next = [&](std::uint64_t word) { return __all_sync(kAllLanes, (entry = word) >> 32 == number); };
    DeviceWord64 mailbox(mailbox_[0]);
    if (!poll(
            run_, [&] { return mailbox.load(kRelaxed); }, is_next))
      return false;
    acquire_fence();
    const auto place = static_cast<std::uint32_t>(entry);
    if (place == kStopTask) return false;
    batch_.load(run_.tasks, place & ~kGated, 1);
    batch_.put(0, slot.task);
    if (run_.phases && lane_id() == 0) slot.dispatched = 0;  // the dispatcher stamps it
    if ((place & kGated) == 0) return true;
    DeviceWord64 doorbell(mailbox_[kDoorbell]);
    const bool rung = poll(
        run_, [&] { return doorbell.load(kRelaxed); }, [&](std::uint64_t word) { return __all_sync(kAllLanes, word == number); });
    acquire_fence();
    return rung;
  }

  __device__ void prepare(const DeviceTask& /*task*/) const {}

  __device__ void publish(std::uint32_t /*task*/, std::uint32_t n) const {
    if (lane_id() == 0) DeviceWord(*completions_).store(n + 1, kRelease);
  }

 private:
  const PersistentRun& run_;
  std::uint64_t* mailbox_;
  std::uint32_t* completions_;
  TaskBatch batch_;
};

}  // namespace tasktwin::gpu
