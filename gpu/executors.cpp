#include "gpu/executors.hpp"

#include "gpu/executors/central_dispatcher.hpp"
#include "gpu/executors/cuda_streams.hpp"
#include "gpu/executors/shared_queue.hpp"
#include "gpu/executors/static_queues.hpp"

namespace tasktwin::gpu {

std::span<const ExecutorEntry> executors() {
  static const ExecutorEntry entries[] = {
      kCudaStreamsExecutor,
      kCentralDispatcherExecutor,
      kStaticQueuesExecutor,
      kSharedQueueExecutor,
  };
  return entries;
}

}  // namespace tasktwin::gpu
