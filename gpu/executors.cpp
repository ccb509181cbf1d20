#include "gpu/executors.hpp"

#include <array>

#include "gpu/executors/central_dispatcher.hpp"
#include "gpu/executors/cuda_graph.hpp"
#include "gpu/executors/cuda_streams.hpp"
#include "gpu/executors/device_graph_launch.hpp"
#include "gpu/executors/dynamic_parallelism.hpp"
#include "gpu/executors/host_dispatcher.hpp"
#include "gpu/executors/hybrid.hpp"
#include "gpu/executors/layer_barrier.hpp"
#include "gpu/executors/peer_graph.hpp"
#include "gpu/executors/peer_queues.hpp"
#include "gpu/executors/peer_streams.hpp"
#include "gpu/executors/shared_queue.hpp"
#include "gpu/executors/static_queues.hpp"
#include "gpu/executors/work_stealing.hpp"

namespace tasktwin::gpu {

std::span<const ExecutorEntry> executors() {
  static const ExecutorEntry entries[] = {
      kCudaStreamsExecutor,       kCudaGraphExecutor, kDeviceGraphLaunchExecutor, kDynamicParallelismExecutor, kHostDispatcherExecutor,
      kCentralDispatcherExecutor, kHybridExecutor,    kStaticQueuesExecutor,      kSharedQueueExecutor,        kWorkStealingExecutor,
      kLayerBarrierExecutor,
  };
  return entries;
}

std::span<const ExecutorEntry> peer_executors() {
  static const std::array entries{kPeerStreamsExecutor, kPeerGraphExecutor, kPeerQueuesExecutor};
  return entries;
}

}  // namespace tasktwin::gpu
