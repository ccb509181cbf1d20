#pragma once

#include "models/policies/policies.hpp"

namespace tasktwin {

std::unique_ptr<CorePolicy> make_any_idle(const TaskGraph& graph, std::span<const PastRun> so_far);  ///< the first candidate
std::unique_ptr<CorePolicy> make_least_loaded(const TaskGraph& graph,
                                              std::span<const PastRun> so_far);  ///< least expected load; ties: lowest core
/// The candidate that ran the predecessors with the most input bytes together; where edges have no bytes, the one that ran
/// the predecessor that ended last. The first candidate if none ran any predecessor, and on ties.
std::unique_ptr<CorePolicy> make_locality(const TaskGraph& graph, std::span<const PastRun> so_far);

}  // namespace tasktwin
