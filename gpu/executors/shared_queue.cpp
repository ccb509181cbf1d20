#include "gpu/executors/shared_queue.hpp"

#include "gpu/persistent/persistent_executor.hpp"
#include "gpu/persistent/queue_samples.hpp"
#include "gpu/persistent/shared_queue_kernel.hpp"

namespace tasktwin::gpu {

namespace {

/// One queue that all workers claim from and append to.
class SharedQueueExecutor final : public PersistentExecutor {
 public:
  explicit SharedQueueExecutor(const ExecutorInputs& inputs)
      : PersistentExecutor(inputs), places_(inputs.graph.size(), "the ready queue"), ends_(2 * kLineWords, "the queue's ends") {
    for (const std::uint32_t root : device_graph().roots) roots_.push_back(1 + root);
  }

 private:
  void reset(cudaStream_t stream) override {
    std::vector<std::uint32_t> ends(ends_.size());
    ends[kLineWords] = static_cast<std::uint32_t>(roots_.size());
    check(cudaMemsetAsync(places_.data(), 0, places_.bytes(), stream), "emptying the queue");
    check(cudaMemcpyAsync(places_.data(), roots_.data(), roots_.size() * sizeof roots_[0], cudaMemcpyHostToDevice, stream),
          "filling the queue");
    check(cudaMemcpyAsync(ends_.data(), ends.data(), ends_.bytes(), cudaMemcpyHostToDevice, stream), "resetting the queue's ends");
    check(cudaStreamSynchronize(stream), "resetting the queue");
  }

  void launch(const PersistentRun& run, cudaStream_t stream) override {
    launch_shared_queue(run, {ends_.data(), ends_.data() + kLineWords, places_.data()}, stream);
  }

  void add_observations(RunResult& result, std::uint64_t) override { result.timeline.ready_queue = queue_samples(result.timeline); }

  std::vector<std::uint32_t> roots_;
  DeviceBuffer<std::uint32_t> places_;
  DeviceBuffer<std::uint32_t> ends_;
};

}  // namespace

const ExecutorEntry kSharedQueueExecutor{
    [](const Design& design) {
      return design.driver == Driver::kPersistent && design.release == Release::kCounters && !is_static(design.placement);
    },
    [](const Design& design, const Machine&) -> std::optional<std::string> {
      if (design.order != TaskOrder::kFifo)
        return "order '" + std::string(to_word(design.order)) + "': the GPU's shared queue is first in, first out; use 'fifo'";
      return std::nullopt;
    },
    [](const ExecutorInputs& inputs) -> std::unique_ptr<Executor> { return std::make_unique<SharedQueueExecutor>(inputs); }};

}  // namespace tasktwin::gpu
