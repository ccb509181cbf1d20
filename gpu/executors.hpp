#pragma once

#include <memory>

#include "gpu/run/executor_interface.hpp"
#include "models/runtimes/runtime.hpp"

namespace tasktwin::gpu {

/// The executor of the design's runtime, on one device or on several as the machine has. Contract: why_unsupported() is nullopt.
std::unique_ptr<Executor> make_executor(const ExecutorInputs& inputs);

// One file of gpu/executors/ each.
std::unique_ptr<Executor> make_cuda_streams(const ExecutorInputs& inputs);
std::unique_ptr<Executor> make_cuda_graph(const ExecutorInputs& inputs);
std::unique_ptr<Executor> make_central_dispatcher(const ExecutorInputs& inputs);
std::unique_ptr<Executor> make_gated_dispatcher(const ExecutorInputs& inputs);  ///< of make_central_dispatcher, which hands over early
std::unique_ptr<Executor> make_static_queues(const ExecutorInputs& inputs);
std::unique_ptr<Executor> make_shared_queue(const ExecutorInputs& inputs);
std::unique_ptr<Executor> make_work_stealing(const ExecutorInputs& inputs);
std::unique_ptr<Executor> make_hybrid(const ExecutorInputs& inputs);
std::unique_ptr<Executor> make_layer_barrier(const ExecutorInputs& inputs);
std::unique_ptr<Executor> make_device_graph_launch(const ExecutorInputs& inputs);
std::unique_ptr<Executor> make_dynamic_parallelism(const ExecutorInputs& inputs);
std::unique_ptr<Executor> make_host_dispatcher(const ExecutorInputs& inputs);
// Over several devices of one host.
std::unique_ptr<Executor> make_peer_streams(const ExecutorInputs& inputs);
std::unique_ptr<Executor> make_peer_graph(const ExecutorInputs& inputs);
std::unique_ptr<Executor> make_peer_queues(const ExecutorInputs& inputs);

/// By runtime; null where there is none.
struct RuntimeExecutor {
  using Make = std::unique_ptr<Executor> (*)(const ExecutorInputs&);
  RuntimeId runtime;
  Make on_one_device;
  Make on_several = nullptr;
};
inline constexpr RuntimeExecutor kRuntimeExecutors[] = {
    {RuntimeId::kCudaStreams, make_cuda_streams, make_peer_streams},
    {RuntimeId::kHostProgram, make_cuda_streams},
    {RuntimeId::kCudaGraph, make_cuda_graph, make_peer_graph},
    {RuntimeId::kCentralDispatcher, make_central_dispatcher},
    {RuntimeId::kStaticQueues, make_static_queues, make_peer_queues},
    {RuntimeId::kSharedQueue, make_shared_queue},
    {RuntimeId::kWorkStealing, make_work_stealing},
    {RuntimeId::kHybrid, make_hybrid},
    {RuntimeId::kLayerBarrier, make_layer_barrier},
    {RuntimeId::kDeviceGraphLaunch, make_device_graph_launch},
    {RuntimeId::kDynamicParallelism, make_dynamic_parallelism},
    {RuntimeId::kHostDispatcher, make_host_dispatcher},
    {RuntimeId::kGroupQueue, nullptr},
};

}  // namespace tasktwin::gpu
