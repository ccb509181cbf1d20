#include "gpu/executors.hpp"

#include <stdexcept>

#include "models/runtimes/runtimes.hpp"

namespace tasktwin::gpu {

std::unique_ptr<Executor> make_executor(const ExecutorInputs& inputs) {
  const bool several = inputs.machine.devices.count() > 1;
  switch (runtime_of(inputs.design).id) {
    case RuntimeId::kCudaStreams:
      return several ? make_peer_streams(inputs) : make_cuda_streams(inputs);
    case RuntimeId::kHostProgram:
      return make_cuda_streams(inputs);
    case RuntimeId::kCudaGraph:
      return several ? make_peer_graph(inputs) : make_cuda_graph(inputs);
    case RuntimeId::kCentralDispatcher:
      return make_central_dispatcher(inputs);
    case RuntimeId::kStaticQueues:
      return several ? make_peer_queues(inputs) : make_static_queues(inputs);
    case RuntimeId::kSharedQueue:
      return make_shared_queue(inputs);
    case RuntimeId::kWorkStealing:
      return make_work_stealing(inputs);
    case RuntimeId::kHybrid:
      return make_hybrid(inputs);
    case RuntimeId::kLayerBarrier:
      return make_layer_barrier(inputs);
    case RuntimeId::kDeviceGraphLaunch:
      return make_device_graph_launch(inputs);
    case RuntimeId::kDynamicParallelism:
      return make_dynamic_parallelism(inputs);
    case RuntimeId::kHostDispatcher:
      return make_host_dispatcher(inputs);
    case RuntimeId::kGroupQueue:
      break;
  }
  throw std::logic_error("a runtime without an executor");
}

}  // namespace tasktwin::gpu
