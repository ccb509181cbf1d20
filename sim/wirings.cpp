#include "sim/wirings.hpp"

#include <stdexcept>

#include "models/program/stream_plan.hpp"
#include "models/runtimes/runtimes.hpp"

namespace tasktwin::sim {

namespace {

/// The core type of each stream's first task; of the machine's first cores where a stream has none.
std::vector<CoreType> stream_types(const TaskGraph& graph, const Machine& machine, const Design& design) {
  std::vector<CoreType> types(stream_count(graph, design) * static_cast<std::uint32_t>(machine.devices.count()),
                              machine.compute_cores.empty() ? CoreType::kSm : machine.compute_cores.front().type);
  const std::vector<std::uint32_t> streams = assign_streams(graph, design);
  const std::vector<TaskId> order = launch_order(graph);
  for (std::size_t i = streams.size(); i-- > 0;) types[streams[i]] = graph[order[i]].core_type;
  return types;
}

}  // namespace

std::vector<CoreType> timeline_cores(const TaskGraph& graph, const Machine& machine, const Design& design) {
  if (runtime_of(design).streams()) return stream_types(graph, machine, design);
  return on_all_devices(worker_cores(design, machine), machine);
}

Nanoseconds first_look(const Design& design, const mechanism::FirstLooks& looks) {
  const Runtime& runtime = runtime_of(design);
  if (!runtime.resident()) return Nanoseconds{0};
  return looks.look + (runtime.host_dispatched() ? Nanoseconds{0} : looks.uncached);
}

std::unique_ptr<Wiring> make_wiring(const WiringInputs& inputs) {
  switch (runtime_of(inputs.design).id) {
    case RuntimeId::kCudaStreams:
      return make_cuda_streams(inputs);
    case RuntimeId::kHostProgram:
      return make_host_program(inputs);
    case RuntimeId::kCudaGraph:
      return make_cuda_graph(inputs);
    case RuntimeId::kCentralDispatcher:
      return make_central_dispatcher(inputs);
    case RuntimeId::kStaticQueues:
      return make_static_queues(inputs);
    case RuntimeId::kSharedQueue:
      return make_shared_queue(inputs);
    case RuntimeId::kWorkStealing:
    case RuntimeId::kHybrid:
      return make_work_stealing(inputs);
    case RuntimeId::kLayerBarrier:
      return make_layer_barrier(inputs);
    case RuntimeId::kDeviceGraphLaunch:
      return make_device_graph_launch(inputs);
    case RuntimeId::kDynamicParallelism:
      return make_dynamic_parallelism(inputs);
    case RuntimeId::kHostDispatcher:
      return make_host_dispatcher(inputs);
    case RuntimeId::kGroupQueue:
      return make_group_queue(inputs);
  }
  throw std::logic_error("a runtime without a wiring");
}

}  // namespace tasktwin::sim
