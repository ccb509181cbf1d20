#pragma once

#include "models/policies/list_scheduling.hpp"

namespace tasktwin {

/// Critical Path on a Processor (Topcuoglu, Hariri, Wu 2002, the same paper as HEFT): of the ready tasks always the one with
/// the highest upward plus downward rank; those of one critical path all go to the worker on which they cost least together,
/// the others where they finish first, with insertion. The critical path is walked from the first entry task of highest
/// priority, to the first successor of highest priority each time. Where no worker can run the whole of it (core types), its
/// worker is one that can run most of its tasks, and the rest of them go like the others.
/// O(edges + tasks · (workers + log tasks)), times the gaps looked at.
StaticSchedule cpop(const StaticInputs& inputs);

}  // namespace tasktwin
