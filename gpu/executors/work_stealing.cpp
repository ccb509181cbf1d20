#include "gpu/executors/work_stealing.hpp"

#include <algorithm>

#include "gpu/persistent/worker_queues_executor.hpp"

namespace tasktwin::gpu {

namespace {

/// A queue for each worker, or shards, that others may steal from. Its twin is sim/wirings/work_stealing.cpp: a take from one's own
/// queue or shard (refill, take), rounds in vain (steal_fail) and thefts (steal), then start, body, release or retire, push, and
/// steal_hop to a worker that looks in vain; all from the machine file, with their source.
class WorkStealingExecutor final : public WorkerQueuesExecutor {
 public:
  explicit WorkStealingExecutor(const ExecutorInputs& inputs) : WorkerQueuesExecutor(inputs) {
    const bool shards = inputs.design.ready_queue == ReadyQueue::kSharded && inputs.design.shards > 0;
    make_own(deal_roots(shards ? std::min(static_cast<std::size_t>(inputs.design.shards), std::size_t{workers()}) : workers()));
  }

 private:
  void launch(const PersistentRun& run, cudaStream_t stream) override { launch_work_stealing(run, describe_queues(run), stream); }
};

}  // namespace

const ExecutorEntry kWorkStealingExecutor{&kWorkStealingSupported, make_executor<WorkStealingExecutor>};

}  // namespace tasktwin::gpu
