#pragma once

#include <memory>
#include <vector>

#include "models/runtimes/runtime.hpp"
#include "sim/engine/run_context.hpp"
#include "sim/engine/wiring.hpp"

namespace tasktwin::sim {

/// What the cores of a Timeline are under `design`: its worker cores, or its streams.
std::vector<CoreType> timeline_cores(const TaskGraph& graph, const AsRun& machine, const Design& design);

/// From the cores' being there to the begin of the run as the design's wiring has it; FirstPoll::uncached counts as given.
Nanoseconds first_poll(const Design& design, const mechanism::FirstPoll& looks);

std::unique_ptr<Wiring> make_wiring(const WiringInputs& inputs);

// The wirings, one file each in sim/wirings/.
std::unique_ptr<Wiring> make_cuda_streams(const WiringInputs& inputs);
std::unique_ptr<Wiring> make_host_program(const WiringInputs& inputs);
std::unique_ptr<Wiring> make_cuda_graph(const WiringInputs& inputs);
std::unique_ptr<Wiring> make_device_graph_launch(const WiringInputs& inputs);
std::unique_ptr<Wiring> make_dynamic_parallelism(const WiringInputs& inputs);
std::unique_ptr<Wiring> make_host_dispatcher(const WiringInputs& inputs);
std::unique_ptr<Wiring> make_central_dispatcher(const WiringInputs& inputs);
std::unique_ptr<Wiring> make_group_queue(const WiringInputs& inputs);
std::unique_ptr<Wiring> make_static_queues(const WiringInputs& inputs);
std::unique_ptr<Wiring> make_shared_queue(const WiringInputs& inputs);
std::unique_ptr<Wiring> make_work_stealing(const WiringInputs& inputs);
std::unique_ptr<Wiring> make_layer_barrier(const WiringInputs& inputs);

/// By runtime.
struct RuntimeWiring {
  RuntimeId runtime;
  std::unique_ptr<Wiring> (*make)(const WiringInputs&);
};
inline constexpr RuntimeWiring kRuntimeWirings[] = {
    {RuntimeId::kCudaStreams, make_cuda_streams},
    {RuntimeId::kHostProgram, make_host_program},
    {RuntimeId::kCudaGraph, make_cuda_graph},
    {RuntimeId::kCentralDispatcher, make_central_dispatcher},
    {RuntimeId::kStaticQueues, make_static_queues},
    {RuntimeId::kSharedQueue, make_shared_queue},
    {RuntimeId::kWorkStealing, make_work_stealing},
    {RuntimeId::kHybrid, make_work_stealing},
    {RuntimeId::kLayerBarrier, make_layer_barrier},
    {RuntimeId::kDeviceGraphLaunch, make_device_graph_launch},
    {RuntimeId::kDynamicParallelism, make_dynamic_parallelism},
    {RuntimeId::kHostDispatcher, make_host_dispatcher},
    {RuntimeId::kGroupQueue, make_group_queue},
};

}  // namespace tasktwin::sim
