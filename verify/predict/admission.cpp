#include "verify/predict/admission.hpp"

#include <optional>
#include <string>
#include <utility>

#include "models/base/error.hpp"
#include "models/checks/stalls.hpp"
#include "models/policies/policies.hpp"
#include "models/run/fallback.hpp"
#include "models/run/outcome.hpp"
#include "models/runtimes/runtimes.hpp"
#include "sim/admission.hpp"

namespace tasktwin::verify {

namespace {

/// Where it is being measured it may be unknown yet; elsewhere 0 does not mean a bandwidth without limit.
void check_page_loads(const Machine& machine, const Design& design) {
  if (design.prefetch == 0 || !machine.page_loads) return;
  for (const auto& [rate, key] : {std::pair{machine.page_loads->load_bandwidth, "load_bandwidth_gb_per_s"},
                                  std::pair{machine.page_loads->read_bandwidth, "read_bandwidth_gb_per_s"}}) {
    if (rate <= 0)
      throw InputError("design '" + design.name + "': machine '" + machine.name + "' has page_loads." + key +
                       " 0, by which prefetch would bring nothing");
  }
}

/// Whether chance decides which tasks there are.
bool is_drawn(const TaskGraph& graph) {
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const auto spawner = graph.spawner(task_id(i));
    if (!spawner) continue;
    const TaskTraits& traits = graph.traits(*spawner);
    if (traits.probability < 1 || (traits.spawn_count && traits.spawn_count->front() != traits.spawn_count->back())) return true;
  }
  return false;
}

/// What would make every run hang. Which tasks there are may be known only in the run; then that says so.
void check_stalls(const scenarios::Scenario& scenario, const Design& stated) {
  if (is_drawn(scenario.graph)) return;
  std::optional<TaskGraph> existing;  // of those that are spawned
  if (scenario.graph.has_predicates()) existing = existing_part(scenario.graph, draw_outcome(scenario.graph, scenario.seed)).graph;
  const TaskGraph& graph = existing ? *existing : scenario.graph;
  if (graph.size() < scenario.graph.size() && scenario.replayed(stated) != nullptr) return;  // whose lists are of all tasks
  const Design design = design_of_run(graph, scenario.machine, stated);
  const bool by_lists = design.graph_build == GraphBuild::kDevice || design.placement == Placement::kReplay;
  const FrozenSchedule lists =
      by_lists && has_lists(design) ? frozen_schedule(graph, scenario.machine, design, scenario.replayed(design)) : FrozenSchedule{};
  const auto stall = certain_stall({graph, scenario.machine, design, lists});
  if (stall) throw InputError("design '" + design.name + "': " + stall->text());
}

}  // namespace

void check_admission(const scenarios::Scenario& scenario, const Design& design) {
  sim::check_constants(scenario.machine);
  check_page_loads(scenario.machine, design);
  sim::check_graph(scenario.graph, scenario.machine, design, scenario.program ? &*scenario.program : nullptr);
  if (const Timeline* const replayed = scenario.replayed(design)) frozen_schedule(scenario.graph, scenario.machine, design, replayed);
  check_stalls(scenario, design);
}

}  // namespace tasktwin::verify
