#pragma once

#include "models/policies/list_scheduling.hpp"

namespace tasktwin {

/// Min-min (Ibarra, Kim: "Heuristic algorithms for scheduling independent tasks on nonidentical processors", J. ACM 24(2), 1977,
/// there Algorithm D; the name from Maheswaran et al., HCW 1999) on the ready tasks of a graph: always the task and worker that
/// finish first. Ties, and what it costs: pair_selection.hpp.
StaticSchedule min_min(const StaticInputs& inputs);

}  // namespace tasktwin
