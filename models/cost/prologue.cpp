#include "models/cost/prologue.hpp"

namespace tasktwin {

bool has_prologue(const TaskTraits& traits) { return traits.prologue > Duration{0} || traits.prologue_bytes > 0; }

BodyCost prologue_cost(const TaskTraits& traits) { return {.fixed = traits.prologue, .bytes = {traits.prologue_bytes}}; }

Duration prologue_alone(const Machine& machine, const TaskTraits& traits) {
  return has_prologue(traits) ? prologue_cost(traits).alone(machine) : Duration{0};
}

}  // namespace tasktwin
