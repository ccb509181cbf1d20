#pragma once

#include <vector>

#include "gpu/persistent/launch/persistent_executor.hpp"
#include "gpu/persistent/worker_queues/worker_queues_kernel.hpp"

namespace tasktwin::gpu {

/// What the designs share whose workers push what they have made ready: the roots and where they begin, the words by which the
/// workers find out that nothing is left, and memory that is copied back before each run.
class WorkerQueuesExecutor : public PersistentExecutor {
 public:
  explicit WorkerQueuesExecutor(const ExecutorInputs& inputs) : WorkerQueuesExecutor(inputs, events_last(inputs.graph)) {}
  WorkerQueuesExecutor(const ExecutorInputs& inputs, std::vector<std::uint32_t> places);

 protected:
  /// Memory and what it holds when a run begins.
  template <class T>
  class Restored {
   public:
    Restored() = default;
    Restored(const std::vector<T>& initial, const char* what)
        : initial_(std::span<const T>(initial), what), buffer_(initial.size(), what) {}
    void restore(cudaStream_t stream) const {
      if (buffer_.size() == 0) return;
      check(cudaMemcpyAsync(buffer_.data(), initial_.data(), buffer_.bytes(), cudaMemcpyDeviceToDevice, stream), "resetting the queues");
    }
    T* data() const { return buffer_.data(); }

   private:
    DeviceBuffer<T> initial_;
    DeviceBuffer<T> buffer_;
  };

  /// As many ticket queues as `ready` has rows, holding those: as far as there is room, else they begin in backlogs.
  void make_tickets(const std::vector<std::vector<std::uint32_t>>& ready);
  /// The same of queues that are stolen from.
  void make_own(const std::vector<std::vector<std::uint32_t>>& ready);
  /// The places of the tasks that are ready when a run begins, in the order of their ids and once a block, dealt out in turn to `queues`
  /// rows.
  std::vector<std::vector<std::uint32_t>> deal_roots(std::size_t queues) const;

  /// What all kernels need; of the queues, those that have been made.
  WorkerQueues describe_queues(const PersistentRun& run) const;
  void reset(cudaStream_t stream) override;
  void add_observations(RunResult& result, std::uint64_t origin) override;

 private:
  void keep(std::uint32_t worker, std::uint32_t place);
  /// That are ever in queues, one a block.
  std::uint32_t entries_in_all() const;

  DeviceBuffer<DeviceTask> tasks_;   ///< by place, where that is not the id
  DeviceBuffer<std::uint32_t> ids_;  ///< likewise
  DeviceBuffer<std::uint32_t> next_event_;
  Restored<std::uint32_t> outstanding_;
  Restored<std::uint32_t> stops_;
  Restored<VoteNode> votes_;
  std::vector<Backlog::Link> kept_links_;
  std::vector<std::uint32_t> kept_first_;
  std::vector<std::uint32_t> kept_last_;
  Restored<Backlog::Link> links_;
  DeviceBuffer<std::uint32_t> backlog_first_;
  DeviceBuffer<std::uint32_t> backlog_last_;

  std::uint32_t ticket_queues_ = 0;
  std::uint32_t ticket_capacity_ = 0;
  bool never_full_ = false;
  Restored<std::uint32_t> ticket_ends_;
  Restored<std::uint64_t> ticket_places_;

  std::uint32_t own_queues_ = 0;
  std::uint32_t own_capacity_ = 0;
  Restored<std::uint64_t> own_ends_;
  Restored<std::uint32_t> own_entries_;
  DeviceBuffer<std::uint32_t> taken_;
  Restored<std::uint32_t> claimed_;
};

}  // namespace tasktwin::gpu
