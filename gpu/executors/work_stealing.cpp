#include "gpu/executors/work_stealing.hpp"

#include "gpu/persistent/worker_queues/worker_queues_executor.hpp"
#include "models/rules/home.hpp"

namespace tasktwin::gpu {

namespace {

/// A queue for each worker, or shards, that others may steal from. Its twin is sim/wirings/work_stealing.cpp: a take from one's own
/// queue or shard (take), rounds in vain (take, read_latency) and thefts (steal), then start, body, release, push, and
/// steal_hop to a worker that looks in vain; all from the machine file, with their source.
class WorkStealingExecutor final : public WorkerQueuesExecutor {
 public:
  explicit WorkStealingExecutor(const ExecutorInputs& inputs) : WorkerQueuesExecutor(inputs) {
    const auto shards = static_cast<std::uint32_t>(inputs.design.shards);
    const bool sharded = inputs.design.ready_queue == ReadyQueue::kSharded;
    make_own(deal_roots(sharded ? rules::home_count(ReadyQueue::kSharded, shards, workers()) : workers()));
  }

 private:
  void launch(const PersistentRun& run, cudaStream_t stream) override { launch_work_stealing(run, describe_queues(run), stream); }
};

}  // namespace

const ExecutorEntry kWorkStealingExecutor{&kWorkStealingSupported, make_executor<WorkStealingExecutor>};

}  // namespace tasktwin::gpu
