#pragma once

#include "models/design/design.hpp"

namespace tasktwin {

/// Whether workers or dispatchers of the design count events (Operation::kEvent) down: those of release `counters` or `dispatcher`, but
/// where controllers or barriers come between. Under all other designs edges take the events' place
/// (with_edges_for_events).
bool counts_events(const Design& design);

/// Whether those who wait for an event look at its counter, each for itself: workers with lists. Else the one that counts it down to zero
/// counts down what waits for it. Contract: counts_events.
bool watches_events(const Design& design);

}  // namespace tasktwin
