#include "verify/compare/design_ranking.hpp"

#include <gtest/gtest.h>

namespace tasktwin::verify {
namespace {

CaseComparison one(const char* scenario, const char* design, int predicted, int measured) {
  CaseComparison result;
  result.scenario = scenario;
  result.design = design;
  result.machine = "m";
  result.predicted_makespan = Duration{predicted};
  result.measured_makespan = Duration{measured};
  return result;
}

TEST(Ranking, GivesTheRegretOfFollowingTheWrongPrediction) {
  const std::vector<CaseComparison> cases{one("s", "a", 100, 125), one("s", "b", 110, 100), one("s", "c", 200, 300)};
  const Ranking ranking = rank_designs(cases);
  ASSERT_EQ(ranking.winners.size(), 1U);
  EXPECT_EQ(ranking.winners[0].predicted, "a");
  EXPECT_EQ(ranking.winners[0].measured, "b");
  EXPECT_DOUBLE_EQ(ranking.winners[0].regret, 0.25);
  EXPECT_FALSE(ranking.winners[0].correct());
  EXPECT_DOUBLE_EQ(*ranking.kendall_tau, 1.0 / 3);
}

TEST(Ranking, PoolsPairsWithinScenariosOnly) {
  // Across the scenarios every pair would be discordant.
  const std::vector<CaseComparison> cases{one("s", "a", 1, 1001), one("t", "a", 1001, 1), one("s", "b", 2, 1002), one("t", "b", 1002, 2)};
  const Ranking ranking = rank_designs(cases);
  EXPECT_DOUBLE_EQ(*ranking.kendall_tau, 1);
  ASSERT_EQ(ranking.winners.size(), 2U);
  EXPECT_TRUE(ranking.winners[0].correct());
  EXPECT_TRUE(ranking.winners[1].correct());
}

TEST(Ranking, LeavesOutScenariosWithOneDesign) {
  const std::vector<CaseComparison> cases{one("s", "a", 1, 1)};
  EXPECT_TRUE(rank_designs(cases).winners.empty());
  EXPECT_FALSE(rank_designs(cases).kendall_tau);
}

TEST(Ranking, AnyOfEquallyFastDesignsIsARightWinner) {
  const std::vector<CaseComparison> cases{one("s", "a", 2, 5), one("s", "b", 1, 5)};
  EXPECT_TRUE(rank_designs(cases).winners[0].correct());
}

}  // namespace
}  // namespace tasktwin::verify
