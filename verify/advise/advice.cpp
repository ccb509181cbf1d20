#include "verify/advise/advice.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "verify/advise/trials.hpp"
#include "verify/explain/what_if.hpp"
#include "verify/predict/run_bounds.hpp"

namespace tasktwin::verify {

Advice advise(const scenarios::Scenario& scenario, std::uint64_t seed, Progress& progress) {
  const Design* const captured = captured_design(scenario);
  if (captured == nullptr)
    throw InputError(
        fmt::format("'{}' is no captured program with a design that makes its calls again: 'scenario import' makes one of a capture "
                    "or a profiler's trace",
                    scenario.name));
  Trials trials(scenario, *captured, seed, progress);
  judge_waits(trials);
  find_host_waits(trials);
  try_host_waits(trials);
  try_graphs(trials);
  try_streams(trials);
  try_waits(trials);
  try_host(trials);
  Advice& advice = trials.advice;
  advice.bounds = bounds_of(scenario, *captured, seed);
  if (trials.knows_needs()) {  // the program may leave dependences unordered that are kept in its order there
    const Bounds needed = bounds_of(trials.needed(false), *captured, seed);
    if (needed.highest() < advice.bounds.highest()) advice.bounds = needed;
  }
  std::erase_if(advice.proposals, [&advice](const Proposal& one) { return gain(advice.makespan, one.makespan) < kWorthwhile; });
  std::ranges::stable_sort(advice.proposals, {}, [](const Proposal& one) { return std::pair(one.is_bound(), one.makespan); });
  return std::move(advice);
}

}  // namespace tasktwin::verify
