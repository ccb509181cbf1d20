#pragma once

#include "models/graph/task_graph.hpp"
#include "models/machine/machine.hpp"

namespace tasktwin {

/// Bytes of the cache that runs of the graph take for what they read and write again and again: the keys and values of attention, the
/// tiles of a factorisation, which each run begins with a copy of, the buffers of a scenario's own kernels, which are filled before each.
/// What is read once a run and past the cache (matrices that vectors are multiplied with) leaves what others have there, and does not
/// count.
std::int64_t cached_bytes(const TaskGraph& graph);

/// Whether a run finds nothing in the cache of what the one before left there: code, small data. That is so where the one before brought
/// more to it than stays (MemoryLimits::cache), and where tasks of kernel `stream` are: a run of theirs begins with an empty cache.
bool finds_cache_empty(const TaskGraph& graph, const Machine& machine);

}  // namespace tasktwin
