#pragma once

#include "scenarios/importers/trace/trace.hpp"

namespace tasktwin::scenarios {

/// Adds what the part of the trace in `window` must have waited for and does not have, each as a kernel of one block in its stream, so
/// that no design gains by its absence:
/// - in each stream that the part uses and that was busy with earlier launches when it began, the rest of those;
/// - before each operation that began long after its launch, while nothing of the part kept it, what its stream must have waited for: work
///   launched before the file begins, or of another process. No launch takes that long by itself.
/// Remarks in `trace` say how many and how long.
void add_unseen_work(Trace& trace, const TraceWindow& window);

}  // namespace tasktwin::scenarios
