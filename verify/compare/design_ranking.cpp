#include "verify/compare/design_ranking.hpp"

#include <algorithm>
#include <utility>

#include "verify/predict/statistics.hpp"

namespace tasktwin::verify {

namespace {

using Group = std::vector<const CaseComparison*>;

std::vector<Group> by_scenario(std::span<const CaseComparison> cases) {
  std::vector<Group> groups;
  for (const CaseComparison& one : cases) {
    auto group = std::ranges::find_if(groups, [&one](const Group& candidate) {
      return candidate.front()->scenario == one.scenario && candidate.front()->machine == one.machine;
    });
    if (group == groups.end()) group = groups.insert(groups.end(), Group{});
    group->push_back(&one);
  }
  return groups;
}

WinnerComparison compare_winners(const Group& group) {
  const CaseComparison& predicted = **std::ranges::min_element(group, {}, [](const auto* one) { return one->predicted_makespan; });
  const CaseComparison& measured = **std::ranges::min_element(group, {}, [](const auto* one) { return one->measured_makespan; });
  const double regret = static_cast<double>(to_ns(predicted.measured_makespan - measured.measured_makespan)) /
                        static_cast<double>(to_ns(measured.measured_makespan));
  return {measured.scenario, measured.machine, predicted.design, measured.design, regret};
}

}  // namespace

Ranking rank_designs(std::span<const CaseComparison> cases) {
  Ranking ranking;
  KendallPairs pairs;
  for (const Group& group : by_scenario(cases)) {
    if (group.size() < 2) continue;
    ranking.winners.push_back(compare_winners(group));
    std::vector<double> predicted;
    std::vector<double> measured;
    for (const CaseComparison* one : group) {
      predicted.push_back(static_cast<double>(to_ns(one->predicted_makespan)));
      measured.push_back(static_cast<double>(to_ns(one->measured_makespan)));
    }
    pairs += kendall_pairs(predicted, measured);
  }
  ranking.kendall_tau = pairs.tau_b();
  return ranking;
}

}  // namespace tasktwin::verify
