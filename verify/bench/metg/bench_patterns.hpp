#pragma once

#include <string_view>
#include <vector>

#include "models/graph/task_graph.hpp"
#include "scenarios/generators/task_bench.hpp"

namespace tasktwin::verify {

/// The benchmark's graphs: Task Bench's patterns, as wide as there are workers, and a chain across the workers.
inline constexpr std::string_view kChain = "chain";

/// Their words: Task Bench's, and "chain" after "trivial".
std::vector<std::string_view> bench_patterns();

/// A grid of spins of `length`. The number of steps makes a run at least 2 ms long where all the time goes into bodies, at least
/// 100 steps deep and at most 300 000 tasks large (20 000 where the host launches each task; fewer for all_to_all, whose edges are
/// width² a step).
scenarios::TaskBenchParameters bench_parameters(scenarios::Pattern pattern, Duration length, int width, bool host_launched);

/// Empty tasks, each waiting for the one before: 10 000, or 2000 where the host launches each.
scenarios::TaskBenchParameters chain_parameters(bool host_launched);

}  // namespace tasktwin::verify
