#pragma once

#include "gpu/persistent/dispatchers/dispatcher_tables.cuh"
#include "gpu/persistent/workers/polling.cuh"
#include "gpu/persistent/workers/task_batch.cuh"

namespace tasktwin::gpu {

/// A worker's end of its mailbox: all tasks that are in it are taken at one look.
class MailboxLink {
 public:
  __device__ MailboxLink(const PersistentRun& run, const CentralDispatcher& central, std::uint32_t worker)
      : run_(run),
        central_(central),
        mailbox_(central.mailboxes + worker * kMailboxEntries),
        completions_(run.completions + completion_word(worker, central.dispatchers)) {}

  __device__ bool fetch(std::uint32_t n, WorkerSlot& slot) {
    if (given_ == taken_) {
      expect_successors();
      if (!look(n)) return false;
    }
    if (given_ == tasks_) return false;  // the stop entry
    batch_.put(given_from_ + given_++, slot.task);
    if (run_.phases && lane_id() == 0) slot.dispatched = 0;  // the dispatcher stamps it
    last_ = shared_address(slot.task.edges);
    return true;
  }

  /// Asks for the row of successors that the dispatcher will need and memory traffic may have displaced.
  __device__ void prepare(const DeviceTask& task) {
    if (run_.done) blocks_ = task.blocks;
    if (task.edges.successor_count <= kHeadSuccessors) return;
    for (std::uint32_t i = lane_id() * kLineWords; i < task.edges.successor_count; i += 32 * kLineWords) {
      asm volatile("prefetch.global.L2 [%0];" ::"l"(run_.successors + task.edges.first_successor + i));
    }
  }

  /// The dispatchers count the blocks of a task; the order check does so by itself.
  __device__ void publish(std::uint32_t task, std::uint32_t n) const {
    if (run_.done && blocks_ > 1) leave_cohort(run_, task, blocks_);
    if (lane_id() == 0) DeviceWord(*completions_).store(n + 1, kRelease);
  }

 private:
  static constexpr std::uint32_t kNone = ~0u;

  /// Reads ahead what the next task is most likely to be: a successor of the last one that comes straight back, and is there already.
  /// Not before that has been handed on: the thread that hands on waits for what it reads.
  __device__ void expect_successors() {
    if (run_.children.tasks || last_ == kNone) return;
    expected_ = min(read_shared_word(last_ + offsetof(TaskEdges, successor_count)), kHeadSuccessors);
    expects_ = read_shared_word(last_ + offsetof(TaskEdges, head) + lane_id() % kHeadSuccessors * sizeof(std::uint32_t));
    if (expected_ > 0) successors_.load(central_.tasks, expects_, expected_);
  }

  /// Waits for the n-th entry, and takes the next ones too. False if the run has been called off.
  __device__ bool look(std::uint32_t n) {
    const std::uint32_t entries = min(run_.mailbox_depth, TaskBatch::kCapacity);
    DeviceWord64 entry(mailbox_[(n + lane_id()) & central_.slot_mask]);
    std::uint32_t place = 0;
    const auto read = [&] { return lane_id() < entries ? entry.load(kRelaxed) : 0; };
    const auto seen = [&](std::uint64_t word) {
      place = static_cast<std::uint32_t>(word);
      const std::uint32_t here = __ballot_sync(kAllLanes, lane_id() < entries && word >> 32 == n + lane_id() + 1);
      taken_ = static_cast<std::uint32_t>(__ffs(static_cast<int>(~here))) - 1;
      return taken_ > 0;
    };
    if (!poll(run_, read, seen)) return false;
    acquire_fence();
    const std::uint32_t stops = __ballot_sync(kAllLanes, lane_id() < taken_ && place == kStopTask);
    tasks_ = stops == 0 ? taken_ : static_cast<std::uint32_t>(__ffs(static_cast<int>(stops))) - 1;
    given_ = 0;
    const std::uint32_t first = __shfl_sync(kAllLanes, place, 0);
    const std::uint32_t expected = __ballot_sync(kAllLanes, lane_id() < expected_ && expects_ == first);
    if (tasks_ == 1 && expected != 0) {
      given_from_ = static_cast<std::uint32_t>(__ffs(static_cast<int>(expected))) - 1;
      batch_ = successors_;
    } else {
      given_from_ = 0;
      batch_.load(central_.tasks, place, tasks_);
    }
    return true;
  }

  const PersistentRun& run_;
  const CentralDispatcher& central_;
  std::uint64_t* mailbox_;
  std::uint32_t* completions_;
  TaskBatch batch_;
  std::uint32_t taken_ = 0;       ///< entries of the last look
  std::uint32_t tasks_ = 0;       ///< tasks among them; a stop entry may follow
  std::uint32_t given_ = 0;       ///< handed on to the bodies
  std::uint32_t given_from_ = 0;  ///< where in `batch_` they begin
  std::uint32_t last_ = kNone;    ///< the edges of the last task handed on, in shared memory
  TaskBatch successors_;          ///< of that task
  std::uint32_t expected_ = 0;    ///< that many of them are on their way;
  std::uint32_t expects_ = 0;     ///< lane i: the place of the i-th
  std::uint32_t blocks_ = 1;      ///< of the task to be published, where the order is checked
};

}  // namespace tasktwin::gpu
