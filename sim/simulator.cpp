#include "sim/simulator.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "models/error.hpp"
#include "sim/platform.hpp"
#include "sim/queue_samples.hpp"
#include "sim/standstill.hpp"
#include "sim/wirings.hpp"

namespace tasktwin::sim {

namespace {

/// Longest body and largest machine constant taken; sums of them stay exact.
constexpr double kLongestBody = 0x1p50;
constexpr double kLargestConstant = 1e12;

void check_constants(const Machine& machine) {
  for (const ConstantField& field : constant_fields()) {
    const double value = field.get(machine.constants);
    if (value >= 0 && value <= kLargestConstant) continue;
    throw InputError("machine '" + machine.name + "': " + std::string(field.name) + " is " + std::to_string(value) +
                     "; it must be 0 to 1e12");
  }
}

void check_core_types(const TaskGraph& graph, const Machine& machine, const Design& design) {
  std::array<bool, kCoreTypeCount> present{};
  std::string types;
  for (const CoreType type : worker_cores(design, machine)) {
    bool& known = present[static_cast<std::size_t>(type)];
    if (!known) types += (types.empty() ? "" : ", ") + std::string(to_word(type));
    known = true;
  }
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const CoreType type = graph[task_id(i)].core_type;
    if (present[static_cast<std::size_t>(type)]) continue;
    throw InputError("task '" + std::string(graph.name(task_id(i))) + "' needs a core of type '" + std::string(to_word(type)) +
                     "'; machine '" + machine.name + "' has none for tasks under design '" + design.name + "' (it has: " + types + ")");
  }
}

std::vector<BodyCost> body_costs(const TaskGraph& graph, const Machine& machine, std::uint64_t seed) {
  std::vector<BodyCost> costs;
  costs.reserve(graph.size());
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const BodyCost cost = body_cost(machine, graph[task_id(i)], task_id(i), seed);
    const double rate = std::min(machine.constants.core_bandwidth, machine.constants.memory_bandwidth);
    const double transfer = rate > 0 ? static_cast<double>(cost.bytes.count) / rate : 0;
    const double longest = std::max({static_cast<double>(to_ns(cost.fixed)), static_cast<double>(to_ns(cost.overhead)), transfer});
    if (to_ns(cost.fixed) < 0 || to_ns(cost.overhead) < 0 || cost.bytes.count < 0 || !(longest <= kLongestBody)) {
      throw InputError("task '" + std::string(graph.name(task_id(i))) + "': its body would take " + std::to_string(longest) +
                       " ns on machine '" + machine.name + "'; it must be 0 to 2^50 ns (13 days)");
    }
    costs.push_back(cost);
  }
  return costs;
}

}  // namespace

Simulation simulate(const TaskGraph& graph, const Machine& machine, const Design& design, const SimulationOptions& options) {
  check_design(design, machine);
  check_constants(machine);
  check_core_types(graph, machine, design);
  const std::vector<BodyCost> costs = body_costs(graph, machine, options.seed);

  Simulation simulation;
  Timeline& timeline = simulation.timeline;
  timeline.tasks.resize(graph.size());
  timeline.cores = timeline_cores(graph, machine, design);

  Platform& platform = Platform::instance();
  platform.calendar().begin_run();
  const std::unique_ptr<Wiring> wiring = make_wiring({graph, machine, design, costs, options.seed, platform.calendar(), timeline});
  wiring->begin();
  simulation.wall_seconds = platform.run();

  check_finished(graph, timeline);
  if (design.driver == Driver::kPersistent && design.ready_queue == ReadyQueue::kShared)
    timeline.ready_queue = queue_samples(timeline.tasks);
  return simulation;
}

}  // namespace tasktwin::sim
