#include "verify/predict/run_path.hpp"

#include <numeric>
#include <vector>

#include <fmt/format.h>

#include "models/base/internal_error.hpp"
#include "models/base/planted.hpp"
#include "models/cost/body_cost.hpp"
#include "models/machine/interconnect.hpp"
#include "models/policies/device_placement.hpp"
#include "models/runtimes/runtimes.hpp"
#include "sim/streams/launch_waits.hpp"

namespace tasktwin::verify {

namespace {

/// Whether its body can be short of memory bandwidth.
bool moves_bytes(const TaskGraph& graph, TaskId task) {
  return graph[task].cost.bytes.count > 0 || uses_memory(graph[task].kernel) || !graph.input_bytes(task).empty();
}

/// The design with as many hardware queues as the machine has, where it does not say.
Design on_machine(const scenarios::Scenario& scenario, const Design& design) {
  Design stated = design;
  if (runtime_of(design).streams()) stated.hardware_queues = sim::hardware_queues(scenario.machine.launch_limits, design);
  return stated;
}

/// How long each body would take by itself on the core it ran on; of one that moves no bytes, as long as it took.
std::vector<Duration> durations_alone(const scenarios::Scenario& scenario, const Timeline& timeline, std::uint64_t seed) {
  std::vector<Duration> alone(scenario.graph.size());
  for (std::size_t i = 0; i < alone.size(); ++i) {
    const TaskId task = task_id(i);
    if (!moves_bytes(scenario.graph, task)) {
      alone[i] = timeline.tasks[i].ended - timeline.tasks[i].started;
      continue;
    }
    CoreType on = scenario.graph[task].core_type;
    const CoreId core = timeline.tasks[i].core;
    if (scenario.graph.traits(task).other_type && core != kNoCore && timeline.cores[index(core)] == *scenario.graph.traits(task).other_type)
      on = *scenario.graph.traits(task).other_type;
    alone[i] = body_cost(scenario.machine, scenario.graph, task, on, seed).alone(scenario.machine);
  }
  return alone;
}

/// What each body reads of other devices' memory first; empty where none does.
std::vector<Duration> reads_alone(const scenarios::Scenario& scenario, const Design& design) {
  const Machine& machine = scenario.machine;
  if (machine.devices.count() == 1 || design.peer_data != PeerData::kRead || !scenario.graph.has_edge_bytes()) return {};
  const TaskGraph placed = scenario.graph.with_devices(place_on_devices(scenario.graph, machine, design));
  std::vector<Duration> reads(placed.size());
  for (std::size_t i = 0; i < reads.size(); ++i) {
    std::int64_t bytes = 0;
    for (const auto& [device, count] : remote_inputs(placed, task_id(i))) bytes += count;
    if (bytes > 0) reads[i] = peer_read_time(machine, bytes, placed.traits(task_id(i)).blocks);
  }
  return reads;
}

}  // namespace

void check_sum(std::string_view causes, Duration sum, Duration whole, const scenarios::Scenario& scenario, const Design& design) {
  if (sum == whole) return;
  throw InternalError(fmt::format("scenario '{}', design '{}': the causes of {} sum up to {} ns, not {} ns", scenario.name, design.name,
                                  causes, to_ns(sum), to_ns(whole)));
}

ObservedPath path_of(const scenarios::Scenario& scenario, const Design& design, const Timeline& timeline, std::uint64_t seed) {
  ObservedPath path = observed_path(scenario.graph, on_machine(scenario, design), timeline, durations_alone(scenario, timeline, seed),
                                    scenario.program ? &*scenario.program : nullptr, reads_alone(scenario, design));
  if (planted() == Planted::kCause) path.by_cause.front() += Duration{1};
  check_sum("the path", std::accumulate(path.by_cause.begin(), path.by_cause.end(), Duration{}), timeline.makespan(), scenario, design);
  return path;
}

IdleTime idle_of(const scenarios::Scenario& scenario, const Design& design, const Timeline& timeline) {
  return idle_time(scenario.graph, on_machine(scenario, design), timeline);
}

}  // namespace tasktwin::verify
