#pragma once

#include "models/design/design.hpp"
#include "models/graph/task_graph.hpp"
#include "models/machine/machine.hpp"

namespace tasktwin {

/// What the control cores of `design` must have done before the last body can end, over the number of those that do it: the
/// most of the three kinds. 0 where the design has none.
///
/// Orchestrators: every task's submission, one after the other; the k-th task goes to orchestrator k modulo their number.
/// Resolvers, or the dispatchers where there are none: every edge's resolving, and the queueing of every task that an edge made
/// ready (not under graph_build `device`, where a submission may do that).
/// Dispatchers: every hand-over, a block each; and the taking in of every completion that must come before: of tasks with
/// successors, and of all but as many as the cores' mailboxes hold. Of the once-for-many costs each completion bears the
/// smallest part that it can have: an iteration takes in at most what the mailboxes of its cores hold (one completion, where the
/// loop is interleaved), pays poll once for it, and poll_per_core for every core that something comes from; a round of
/// hand-overs is at most one claim, or all those mailboxes. A control core with lanes works on as many items at a time as it
/// has lanes and items.
///
/// It holds for each design that the simulator runs: theft, contention for queues, idle sweeps, back-off and waiting only add.
/// What is computed in fractions of a nanosecond and rounded once an iteration may come out shorter by a half nanosecond each,
/// which is taken off where the constants are not whole.
Duration dispatch_bound(const TaskGraph& graph, const Machine& machine, const Design& design);

}  // namespace tasktwin
