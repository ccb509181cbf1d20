#include <algorithm>
#include <numeric>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/base/random.hpp"
#include "models/policies/policies.hpp"
#include "tests/models/graphs.hpp"

namespace tasktwin {
namespace {

using testing::ElementsAre;
using testing_graphs::graph_of;

/// t3 waits for t0, t1 and t2, which ran on cores 4, 5 and 4 and ended at 10, 30 and 20.
class CorePolicies : public testing::Test {
 protected:
  explicit CorePolicies() { use(graph_of({1, 1, 1, 1}, {{0, 3}, {1, 3}, {2, 3}})); }
  void use(TaskGraph graph) {
    graph_ = std::move(graph);
    past_runs_ = {{core_id(4), at_ns(10)}, {core_id(5), at_ns(30)}, {core_id(4), at_ns(20)}, {}};
  }
  void use_bytes(std::int64_t first, std::int64_t second, std::int64_t third) {
    TaskGraphBuilder builder;
    for (int i = 0; i < 4; ++i) builder.add_task("t" + std::to_string(i), {});
    builder.add_edge(task_id(0), task_id(3), Bytes{first});
    builder.add_edge(task_id(1), task_id(3), Bytes{second});
    builder.add_edge(task_id(2), task_id(3), Bytes{third});
    use(std::move(builder).build());
  }
  std::optional<std::size_t> choose(Placement placement, const std::vector<Candidate>& candidates) const {
    return make_core_policy(placement, graph_, past_runs_)->choose(task_id(3), candidates);
  }
  static std::vector<Candidate> cores(const std::vector<std::size_t>& ids) {
    std::vector<Candidate> candidates;
    for (const std::size_t id : ids) candidates.push_back({.core = core_id(id)});
    return candidates;
  }

  TaskGraph graph_;
  std::vector<PastRun> past_runs_;
};

TEST_F(CorePolicies, ChooseNothingWhereThereIsNoCandidate) {
  for (const Placement placement : {Placement::kAnyIdle, Placement::kLeastLoaded, Placement::kLocality}) {
    EXPECT_EQ(choose(placement, {}), std::nullopt) << to_word(placement);
  }
}

TEST_F(CorePolicies, AnyIdleTakesTheFirst) { EXPECT_EQ(choose(Placement::kAnyIdle, cores({7, 5, 4})), 0U); }

TEST_F(CorePolicies, LeastLoadedTakesTheLeastExpectedWorkAndThenTheLowestCore) {
  const auto loaded = [](std::size_t core, int held, int load) { return Candidate{core_id(core), held, Duration{load}}; };
  EXPECT_EQ(choose(Placement::kLeastLoaded, {loaded(0, 1, 50), loaded(1, 3, 40), loaded(2, 1, 41)}), 1U);
  EXPECT_EQ(choose(Placement::kLeastLoaded, {loaded(9, 1, 40), loaded(3, 2, 40), loaded(5, 1, 40)}), 1U);
}

TEST_F(CorePolicies, LocalityWithoutBytesTakesTheCoreOfThePredecessorThatEndedLast) {
  EXPECT_EQ(choose(Placement::kLocality, cores({3, 4, 5})), 2U);
  EXPECT_EQ(choose(Placement::kLocality, cores({3, 4})), 1U) << "of those whose core is a candidate";
  EXPECT_EQ(choose(Placement::kLocality, cores({3, 2})), 0U) << "else the first";
}

TEST_F(CorePolicies, LocalityTakesTheCoreWithMostInputBytes) {
  use_bytes(100, 150, 0);
  EXPECT_EQ(choose(Placement::kLocality, cores({3, 4, 5})), 2U);
  use_bytes(100, 150, 51);
  EXPECT_EQ(choose(Placement::kLocality, cores({3, 4, 5})), 1U) << "core 4 holds 151 bytes of two predecessors";
  EXPECT_EQ(choose(Placement::kLocality, cores({3, 5})), 1U);
  EXPECT_EQ(choose(Placement::kLocality, cores({3, 2})), 0U);
}

/// One round of the thief's attempts.
std::vector<std::size_t> attempts(Victim victim, std::size_t thief, const std::vector<std::size_t>& lengths, std::uint64_t round = 0,
                                  std::uint64_t seed = 1) {
  const auto policy = make_victim_policy(victim, seed);
  std::vector<std::size_t> victims;
  while (const auto next = policy->next_victim(thief, round, victims.size(), lengths)) {
    victims.push_back(*next);
    if (victims.size() > lengths.size()) break;
  }
  return victims;
}

TEST(VictimPolicies, NextGoesRoundFromTheOneAfterTheThief) {
  EXPECT_THAT(attempts(Victim::kNext, 2, std::vector<std::size_t>(5)), ElementsAre(3, 4, 0, 1));
}

TEST(VictimPolicies, NearestGoesOutwardsOnBothSides) {
  EXPECT_THAT(attempts(Victim::kNearest, 1, std::vector<std::size_t>(6)), ElementsAre(2, 0, 3, 5, 4));
  EXPECT_THAT(attempts(Victim::kNearest, 0, std::vector<std::size_t>(5)), ElementsAre(1, 4, 2, 3));
}

TEST(VictimPolicies, MostLoadedTakesTheLongestThatHasAnything) {
  EXPECT_THAT(attempts(Victim::kMostLoaded, 0, {9, 2, 0, 5, 2, 0}), ElementsAre(3, 1, 4));
}

TEST(VictimPolicies, AloneThereIsNobody) {
  for (const auto& [victim, word] : Words<Victim>::entries) EXPECT_TRUE(attempts(victim, 0, {3}).empty()) << word;
}

TEST(VictimPolicies, TheFirstWithTasksIsFoundAsByTryingOneAfterTheOther) {
  for (const auto& [victim, word] : Words<Victim>::entries) {
    for (std::uint64_t round = 0; round < 2000; ++round) {
      Random random(round);
      const auto between = [&random](std::int64_t least, std::int64_t most) {
        return static_cast<std::size_t>(random.between(least, most));
      };
      std::vector<std::size_t> lengths(between(1, round % 2 == 0 ? 9 : 300));
      std::vector<std::uint32_t> filled;
      for (std::size_t queue = 0; queue < lengths.size(); ++queue) {
        lengths[queue] = between(0, 20) < 2 ? between(1, 3) : 0;
        if (lengths[queue] > 0)
          filled.insert(filled.begin() + static_cast<std::ptrdiff_t>(between(0, std::ssize(filled))), static_cast<std::uint32_t>(queue));
      }
      const std::size_t thief = between(0, std::ssize(lengths) - 1);
      const auto policy = make_victim_policy(victim, 3);
      std::optional<std::size_t> queue;
      std::size_t attempt = 0;
      while ((queue = policy->next_victim(thief, round, attempt, lengths)) && lengths[*queue] == 0) ++attempt;
      const auto found = policy->first_filled(thief, round, filled, lengths);
      ASSERT_EQ(found.has_value(), queue.has_value()) << word << ' ' << round;
      if (!found) continue;
      ASSERT_EQ(found->queue, *queue) << word << ' ' << round;
      ASSERT_EQ(found->attempt, attempt) << word << ' ' << round;
    }
  }
}

TEST(VictimPolicies, TryEachOfTheOthersOnceARound) {
  for (const auto& [victim, word] : Words<Victim>::entries) {
    for (std::size_t queues = 2; queues < 12; ++queues) {
      for (std::size_t thief = 0; thief < queues; ++thief) {
        std::vector<std::size_t> tried = attempts(victim, thief, std::vector<std::size_t>(queues, 1), thief);
        std::ranges::sort(tried);
        std::vector<std::size_t> others;
        for (std::size_t queue = 0; queue < queues; ++queue) {
          if (queue != thief) others.push_back(queue);
        }
        ASSERT_EQ(tried, others) << word;
      }
    }
  }
}

TEST(VictimPolicies, RandomBeginsAnywhereAndDependsOnSeedThiefAndRoundAlone) {
  const std::vector<std::size_t> lengths(8, 1);
  EXPECT_EQ(attempts(Victim::kRandom, 3, lengths, 5, 9), attempts(Victim::kRandom, 3, lengths, 5, 9));
  std::set<std::size_t> first;
  std::set<std::vector<std::size_t>> orders;
  for (std::uint64_t round = 0; round < 200; ++round) {
    first.insert(attempts(Victim::kRandom, 3, lengths, round).front());
    orders.insert(attempts(Victim::kRandom, 3, lengths, round));
  }
  EXPECT_EQ(first.size(), 7U);
  EXPECT_EQ(orders.size(), 42U) << "7 starts times 6 strides";
  EXPECT_NE(attempts(Victim::kRandom, 3, lengths, 1), attempts(Victim::kRandom, 3, lengths, 2));
}

}  // namespace
}  // namespace tasktwin
