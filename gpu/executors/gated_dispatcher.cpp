#include <algorithm>

#include "gpu/executors.hpp"
#include "gpu/persistent/gated_dispatcher/gated_dispatcher_kernel.hpp"
#include "gpu/persistent/launch/persistent_executor.hpp"
#include "gpu/persistent/launch/timeline_samples.hpp"

namespace tasktwin::gpu {

namespace {

/// A dispatcher that hands tasks over before they are ready, to workers that wait for a doorbell (Design::early_dispatch). The simulated
/// twin is sim/control/hand_over/early_tasks.hpp.
class GatedDispatcherExecutor final : public PersistentExecutor {
 public:
  explicit GatedDispatcherExecutor(const ExecutorInputs& inputs)
      : PersistentExecutor(inputs),
        mailboxes_(std::size_t{workers()} * kMailboxEntries, "the mailboxes"),
        candidates_(task_count(), "the tasks that may be handed over early"),
        staged_(task_count(), "the tasks that wait for a doorbell"),
        limit_(static_cast<std::uint32_t>(inputs.design.early_limit)) {
    std::vector<std::uint32_t> ready = device_graph().roots;
    root_count_ = static_cast<std::uint32_t>(ready.size());
    ready.resize(task_count());
    ready_ = {std::span<const std::uint32_t>(ready), "the ready queue"};
    unhanded_ = DeviceBuffer<std::uint32_t>(task_count(), "the tasks that may be handed over early");
  }

 private:
  void reset(cudaStream_t stream) override {
    check(cudaMemsetAsync(mailboxes_.data(), 0, mailboxes_.bytes(), stream), "emptying the mailboxes");
    check(cudaMemsetAsync(staged_.data(), 0, staged_.bytes(), stream), "emptying the mailboxes");
    check(cudaMemcpyAsync(unhanded_.data(), device_graph().predecessor_counts.data(), unhanded_.bytes(), cudaMemcpyDeviceToDevice, stream),
          "resetting what has been handed over");
  }

  void launch(const PersistentRun& run, cudaStream_t stream) override {
    launch_gated_dispatcher(run,
                            {.mailboxes = mailboxes_.data(),
                             .ready = ready_.data(),
                             .root_count = root_count_,
                             .unhanded = unhanded_.data(),
                             .candidates = candidates_.data(),
                             .staged = staged_.data(),
                             .limit = limit_,
                             .shared_words = 0},
                            stream);
  }

  void add_observations(RunResult& result, std::uint64_t /*origin*/) override {
    result.timeline.ready_queue = queue_samples(result.timeline);
    result.timeline.dispatchers.resize(1);
  }

  DeviceBuffer<std::uint64_t> mailboxes_;
  DeviceBuffer<std::uint32_t> ready_;
  std::uint32_t root_count_ = 0;
  DeviceBuffer<std::uint32_t> unhanded_;
  DeviceBuffer<std::uint32_t> candidates_;
  DeviceBuffer<std::uint64_t> staged_;
  std::uint32_t limit_;
};

}  // namespace

std::unique_ptr<Executor> make_gated_dispatcher(const ExecutorInputs& inputs) { return std::make_unique<GatedDispatcherExecutor>(inputs); }

}  // namespace tasktwin::gpu
