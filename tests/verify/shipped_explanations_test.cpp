// What must hold of the explanation of every shipped scenario under every design of its own.
#include <array>
#include <cctype>

#include <gmock/gmock.h>

#include "scenarios/files/data_folder.hpp"
#include "verify/explain/cause_words.hpp"
#include "verify/explain/explanation.hpp"
#include "verify/explain/one_design.hpp"
#include "verify/explain/phrases.hpp"

namespace tasktwin::verify {
namespace {

class ShippedExplanations : public testing::TestWithParam<std::string> {};

std::vector<std::string> all_shipped() {
  std::vector<std::string> names = scenarios::shipped_scenarios();
  for (std::string& name : scenarios::shipped_suite()) names.push_back(std::move(name));
  return names;
}

std::string as_test_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name;
}

void expect_whole(const DesignAccount& one) {
  Duration path{};
  for (const Duration part : one.path.by_cause) path += part;
  EXPECT_EQ(path, one.makespan);
  EXPECT_EQ(one.idle.total(), static_cast<std::int64_t>(one.cores) * one.makespan);
  double cores = one.core_busy_share + 1 - one.task_core_share();
  for (const auto& [cause, word] : Words<IdleCause>::entries) cores += one.task_core_share() * one.idle_share(cause);
  EXPECT_NEAR(cores, 1, 1e-6) << "busy, idle by cause, and given to control cores";
}

/// Of a cause that holds a fifth of the path it is said what the run would gain without it, or why that is not known; where that is
/// nothing, what takes its place.
void expect_told(const DesignAccount& one) {
  constexpr double kFifth = 0.2;
  constexpr double kNothing = 0.1;
  const DesignExplanation explanation(one, {}, {});
  std::string said;
  for (const std::string& sentence : explanation.sentences()) said += sentence + '\n';
  for (const auto& [cause, word] : Words<PathCause>::entries) {
    const Duration on_path = one.path.of(cause);
    if (share(on_path, one.makespan) < kFifth) continue;
    const auto unknown = std::ranges::find(one.unknown_costs, cause, &UnknownCost::cause);
    if (unknown != one.unknown_costs.end()) {
      EXPECT_FALSE(unknown->why.empty()) << word;
      EXPECT_THAT(said, testing::HasSubstr(unknown->why));
      continue;
    }
    const auto cost = std::ranges::find(one.costs, cause, &CauseCost::cause);
    ASSERT_NE(cost, one.costs.end()) << word;
    if (share(cost->gain, on_path) >= kNothing) continue;
    ASSERT_TRUE(cost->instead) << word;
    EXPECT_NE(*cost->instead, cause);
    EXPECT_NE(*cost->instead, PathCause::kRest) << word;
    EXPECT_THAT(said, testing::HasSubstr("since " + std::string(in_words(*cost->instead)) + " take its place")) << word;
  }
}

TEST_P(ShippedExplanations, SumUpAndNameWhatTakesTheirPlace) {
  const scenarios::Scenario scenario = scenarios::load_scenario(GetParam());
  for (const Design& design : scenario.designs) {
    SCOPED_TRACE(design.name);
    const DesignAccount one = account_with_costs(scenario, design, scenario.seed);
    expect_whole(one);
    expect_told(one);
  }
}

INSTANTIATE_TEST_SUITE_P(All, ShippedExplanations, testing::ValuesIn(all_shipped()), as_test_name);

}  // namespace
}  // namespace tasktwin::verify
