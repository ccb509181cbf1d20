#include "verify/bench/metg/bench_patterns.hpp"

#include <algorithm>

namespace tasktwin::verify {

namespace {

constexpr std::int64_t kLeastRunNs = 2'000'000;
constexpr std::int64_t kFewestSteps = 100;
constexpr std::int64_t kMostTasks = 300'000;
constexpr std::int64_t kMostLaunches = 20'000;
constexpr std::int64_t kAllToAllSteps = 64;
constexpr std::int64_t kAllToAllLaunchedSteps = 8;
constexpr std::int64_t kChainTasks = 10'000;
constexpr std::int64_t kChainLaunches = 2'000;

std::int64_t bench_steps(scenarios::Pattern pattern, Duration length, int width, bool host_launched) {
  if (pattern == scenarios::Pattern::kAllToAll) return host_launched ? kAllToAllLaunchedSteps : kAllToAllSteps;
  const std::int64_t most = std::max<std::int64_t>(1, (host_launched ? kMostLaunches : kMostTasks) / width);
  const std::int64_t wanted = kLeastRunNs / std::max<std::int64_t>(1, to_ns(length)) + 1;
  return std::min(std::max(wanted, kFewestSteps), most);
}

}  // namespace

std::vector<std::string_view> bench_patterns() {
  constexpr auto patterns = all_words<scenarios::Pattern>();
  std::vector<std::string_view> words(patterns.begin(), patterns.end());
  words.insert(words.begin() + 1, kChain);
  return words;
}

scenarios::TaskBenchParameters bench_parameters(scenarios::Pattern pattern, Duration length, int width, bool host_launched) {
  scenarios::TaskBenchParameters parameters{.pattern = pattern, .width = width, .body = {}};
  parameters.steps = bench_steps(pattern, length, width, host_launched);
  parameters.body.cost.time = length;
  return parameters;
}

scenarios::TaskBenchParameters chain_parameters(bool host_launched) {
  return {.pattern = scenarios::Pattern::kStencil,
          .width = 1,
          .steps = host_launched ? kChainLaunches : kChainTasks,
          .body = {.kernel = Kernel::kEmpty, .cost = {}}};
}

}  // namespace tasktwin::verify
