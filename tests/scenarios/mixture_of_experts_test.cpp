#include "scenarios/generators/mixture_of_experts.hpp"

#include <map>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tasktwin::scenarios {
namespace {

using testing::ElementsAre;

TEST(MixtureOfExperts, SharesFollowZipfsLawByLargestRemainder) {
  EXPECT_THAT(tokens_by_rank({.tokens = 11, .experts = 3, .top_k = 1, .skew_percent = 100}), ElementsAre(6, 3, 2));
  EXPECT_THAT(tokens_by_rank({.tokens = 10, .experts = 4, .top_k = 1, .skew_percent = 0}), ElementsAre(3, 3, 2, 2));
  EXPECT_THAT(tokens_by_rank({.tokens = 1, .experts = 3, .top_k = 2, .skew_percent = 0}), ElementsAre(1, 1, 0));
}

TEST(MixtureOfExperts, EveryTokenIsInTopKTiles) {
  const MixtureOfExpertsParameters parameters{.layers = 3, .tokens = 100, .group = 30, .experts = 7, .top_k = 3, .tile = 8};
  const TaskGraph graph = make_mixture_of_experts(parameters, 5);
  std::map<std::int32_t, std::int64_t> flops;
  for (const Task& task : graph.tasks()) {
    if (task.kernel == Kernel::kFma) flops[task.layer] += task.cost.flops.count;
  }
  EXPECT_THAT(flops, ElementsAre(testing::Pair(2, 300 * parameters.token_flops), testing::Pair(6, 300 * parameters.token_flops),
                                 testing::Pair(10, 300 * parameters.token_flops)));
}

TEST(MixtureOfExperts, HasTheSizeThatItsFormulaSays) {
  for (const MixtureOfExpertsParameters& parameters : {MixtureOfExpertsParameters{},
                                                       {.layers = 1, .tokens = 1, .group = 64, .experts = 1, .top_k = 1},
                                                       {.layers = 3, .tokens = 100, .group = 30, .experts = 7, .top_k = 3, .tile = 8},
                                                       {.tokens = 5, .experts = 50, .top_k = 1}}) {
    const TaskGraph graph = make_mixture_of_experts(parameters, 1);
    const GraphSize size = mixture_of_experts_size(parameters);
    EXPECT_EQ(static_cast<std::int64_t>(graph.size()), size.tasks) << size.formula;
    EXPECT_EQ(static_cast<std::int64_t>(graph.edge_count()), size.edges) << size.formula;
  }
}

TEST(MixtureOfExperts, AGroupGoesOnWhenAllExpertsAreThrough) {
  const TaskGraph graph =
      make_mixture_of_experts({.layers = 2, .tokens = 4, .group = 2, .experts = 2, .top_k = 1, .skew_percent = 0, .tile = 2}, 1);
  // Two routers, routed, two tiles, done, two combining; then the second layer.
  ASSERT_EQ(graph.size(), 16U);
  const auto names = [&](std::size_t task) {
    std::vector<std::string> before;
    for (const TaskId one : graph.predecessors(task_id(task))) before.emplace_back(graph.name(one));
    return before;
  };
  EXPECT_THAT(names(2), ElementsAre("router(0,0)", "router(0,1)"));
  EXPECT_THAT(names(3), ElementsAre("routed(0)"));
  EXPECT_THAT(names(5), ElementsAre("expert(0,0,0)", "expert(0,1,0)"));
  EXPECT_THAT(names(6), ElementsAre("done(0)"));
  EXPECT_THAT(names(8), ElementsAre("combine(0,0)"));
  EXPECT_THAT(names(9), ElementsAre("combine(0,1)"));
}

TEST(MixtureOfExperts, TheSeedDrawsWhichExpertIsPopular) {
  const auto first_expert = [](std::uint64_t seed) {
    const TaskGraph graph = make_mixture_of_experts({.layers = 1, .tokens = 1000, .experts = 16, .tile = 1'000'000}, seed);
    std::vector<std::int64_t> flops;
    for (const Task& task : graph.tasks()) {
      if (task.kernel == Kernel::kFma) flops.push_back(task.cost.flops.count);
    }
    return flops;
  };
  EXPECT_NE(first_expert(1), first_expert(2));
  EXPECT_THAT(first_expert(1), testing::UnorderedElementsAreArray(first_expert(2)));
  EXPECT_EQ(first_expert(3), first_expert(3));
}

}  // namespace
}  // namespace tasktwin::scenarios
