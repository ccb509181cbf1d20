#include "verify/admission.hpp"

#include "models/policies.hpp"
#include "sim/admission.hpp"

namespace tasktwin::verify {

void check_admission(const scenarios::Scenario& scenario, const Design& design) {
  sim::check_constants(scenario.machine);
  sim::check_tasks(scenario.graph, scenario.machine, design);
  sim::check_program(scenario.graph, scenario.machine, design, scenario.program ? &*scenario.program : nullptr);
  if (const auto replay = scenario.replays.find(design.name); replay != scenario.replays.end())
    frozen_schedule(scenario.graph, scenario.machine, design, &replay->second);
}

}  // namespace tasktwin::verify
