#pragma once

#include <cstddef>

#include "models/design/design.hpp"
#include "models/run/timeline.hpp"

namespace tasktwin {

/// What the order of ready queues decided in a run: of all hand-overs, at how many several tasks were ready and not yet handed over.
struct OrderDecisions {
  std::size_t hand_overs = 0;
  std::size_t choices = 0;
  std::size_t passed = 0;  ///< of them, of a task though the order puts another first: it did not come through one queue of all
  bool one_queue = true;   ///< else the order counts within each of several queues, and no task passes another's
};

/// By the keys of Design::order, tasks in the order in which they became ready; nothing where a runtime has no such order, or hand-overs
/// were not observed. Of those handed over at once, the ones that their core has next came first.
OrderDecisions order_decisions(const TaskGraph& graph, const Machine& machine, const Design& design, const Timeline& timeline,
                               std::uint64_t seed);

}  // namespace tasktwin
