#include "sim/wirings.hpp"

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

std::vector<CoreType> timeline_cores(const TaskGraph& graph, const AsRun& machine, const Design& design) {
  if (runtime_of(design).streams()) return stream_types(graph, machine.constants(), design);
  return on_all_devices(worker_cores(design, machine.constants()), machine.constants());
}

Nanoseconds first_poll(const Design& design, const mechanism::FirstPoll& looks) {
  const Runtime& runtime = runtime_of(design);
  if (!runtime.resident()) return Nanoseconds{0};
  return looks.look + (runtime.host_dispatched() ? Nanoseconds{0} : looks.uncached);
}

std::unique_ptr<Wiring> make_wiring(const WiringInputs& inputs) {
  static_assert(in_order_of_ids(kRuntimeWirings));
  return kRuntimeWirings[static_cast<std::size_t>(runtime_of(inputs.design).id)].make(inputs);
}

}  // namespace tasktwin::sim
