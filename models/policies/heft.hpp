#pragma once

#include "models/policies/list_scheduling.hpp"

namespace tasktwin {

/// Heterogeneous Earliest Finish Time (Topcuoglu, Hariri, Wu: "Performance-effective and low-complexity task scheduling
/// for heterogeneous computing", IEEE TPDS 13(3), 2002), with the paper's insertion policy: tasks by decreasing upward rank,
/// each where it finishes first. Equal ranks in topological order, equal finish times on the lowest worker.
/// O(edges + tasks · workers), times the gaps looked at.
StaticSchedule heft(const StaticInputs& inputs);

}  // namespace tasktwin
