#pragma once

#include "models/machine.hpp"
#include "models/task_graph.hpp"

namespace tasktwin {

/// Bytes of the cache that runs of the graph take for what they read and write again and again: the keys and values of attention, the
/// tiles of a factorisation, which each run begins with a copy of. What is read once a run and past the cache (matrices that vectors are
/// multiplied with) leaves what others have there, and does not count.
std::int64_t cached_bytes(const TaskGraph& graph);

/// Whether a run finds nothing in the cache of what the one before left there: code, small data. That is so where the one before brought
/// more to it than stays (MemoryLimits::cache), and where tasks of kernel `stream` are: a run of theirs begins with an empty cache.
/// (An H200, decode steps of 2 to 16 layers: with 17 MB of keys and values all that is small is found, whatever the matrices' 0.3 to 1.1
/// GB; with 34 MB some of it; with 67 MB nothing, and the first body of attention on a core takes 8 us longer in place of 2.)
bool finds_cache_empty(const TaskGraph& graph, const Machine& machine);

}  // namespace tasktwin
