#include "sim/wirings.hpp"

#include <algorithm>
#include <string>

#include "models/error.hpp"
#include "sim/streams/launcher.hpp"

namespace tasktwin::sim {

namespace {

/// A wiring and the designs it runs, of those that check_design lets through.
struct Entry {
  bool (*matches)(const Design&);
  std::unique_ptr<Wiring> (*make)(const WiringInputs&);
};

bool frozen_lists(const Design& d) { return d.ready_queue == ReadyQueue::kPerWorker && is_static(d.placement); }

/// Workers that have a queue each, to push to or to steal from, beyond frozen lists that each follows by itself.
bool homes(const Design& d) {
  return d.stealing != Stealing::kOff || d.ready_queue == ReadyQueue::kPerWorkerAndShared ||
         (d.ready_queue == ReadyQueue::kPerWorker && !is_static(d.placement));
}

bool frozen_lists_and_queues(const Design& d) { return homes(d) && is_static(d.placement); }

constexpr Entry kWirings[] = {
    {[](const Design& d) { return d.driver == Driver::kStreams && d.stream_wait == StreamWait::kProgram; }, make_host_program},
    {[](const Design& d) { return d.driver == Driver::kStreams; }, make_cuda_streams},
    {[](const Design& d) { return d.driver == Driver::kCudaGraph; }, make_cuda_graph},
    {[](const Design& d) { return d.driver == Driver::kDeviceGraphLaunch; }, make_device_graph_launch},
    {[](const Design& d) { return d.driver == Driver::kDynamicParallelism; }, make_dynamic_parallelism},
    {[](const Design& d) { return d.driver == Driver::kHostDispatcher; }, make_host_dispatcher},
    {[](const Design& d) { return d.ready_queue == ReadyQueue::kGroupQueue; }, make_group_queue},
    {[](const Design& d) { return d.release == Release::kDispatcher; }, make_central_dispatcher},
    {[](const Design& d) { return d.release == Release::kCounters && frozen_lists(d) && !homes(d); }, make_static_queues},
    {[](const Design& d) { return d.release == Release::kCounters && !frozen_lists(d) && !homes(d); }, make_shared_queue},
    {[](const Design& d) { return d.release == Release::kCounters && frozen_lists_and_queues(d); }, make_work_stealing},
    {[](const Design& d) { return d.release == Release::kCounters && homes(d); }, make_work_stealing},
    {[](const Design& d) { return d.release == Release::kBarrier; }, make_layer_barrier},
};

const Entry* find_entry(const Design& design) {
  return std::ranges::find_if(kWirings, [&design](const Entry& entry) { return entry.matches(design); });
}

}  // namespace

std::vector<CoreType> timeline_cores(const TaskGraph& graph, const Machine& machine, const Design& design) {
  if (design.driver == Driver::kStreams) return stream_types(graph, machine, design);
  return on_all_devices(worker_cores(design, machine), machine);
}

void check_wired(const Design& design) {
  if (find_entry(design) != std::end(kWirings)) return;
  const auto value = [](auto axis) { return "'" + std::string(to_word(axis)) + "'"; };
  throw InputError("design '" + design.name + "' cannot be simulated: the simulator has no wiring of driver " + value(design.driver) +
                   ", release " + value(design.release) + " and ready_queue " + value(design.ready_queue));
}

Nanoseconds first_look(const Design& design, const mechanism::FirstLooks& looks) {
  if (!has_workers(design.driver)) return Nanoseconds{0};
  return looks.look + (design.driver == Driver::kPersistent ? looks.uncached : Nanoseconds{0});
}

std::unique_ptr<Wiring> make_wiring(const WiringInputs& inputs) { return find_entry(inputs.design)->make(inputs); }

}  // namespace tasktwin::sim
