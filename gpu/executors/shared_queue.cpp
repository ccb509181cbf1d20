#include "gpu/executors.hpp"

#include "gpu/persistent/worker_queues/worker_queues_executor.hpp"
#include "models/rules/home.hpp"

namespace tasktwin::gpu {

namespace {

/// One queue that all workers claim from and append to, or shards of which each worker has one as its home. Its twin is
/// sim/wirings/shared_queue.cpp: claim (atomic_latency, atomic_service), place and task read (read_latency), start, body, release,
/// push, and ready_queues.hop to the waiting worker; all from the machine file, where `tasktwin calibrate` writes them with their
/// measurement. The GPU alone claims ahead, and only where a claim is of several tasks.
class SharedQueueExecutor final : public WorkerQueuesExecutor {
 public:
  explicit SharedQueueExecutor(const ExecutorInputs& inputs) : WorkerQueuesExecutor(inputs) {
    make_tickets(deal_roots(rules::home_count(inputs.design.ready_queue, static_cast<std::uint32_t>(inputs.design.shards), workers())));
  }

 private:
  void launch(const PersistentRun& run, cudaStream_t stream) override { launch_shared_queue(run, describe_queues(run), stream); }
};

}  // namespace

std::unique_ptr<Executor> make_shared_queue(const ExecutorInputs& inputs) { return std::make_unique<SharedQueueExecutor>(inputs); }

}  // namespace tasktwin::gpu
