#include "models/policies/built_in.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/models/cost_matrix.hpp"

namespace tasktwin {
namespace {

using testing::ElementsAre;
using testing_graphs::arabnejad_example;
using testing_graphs::CostMatrix;

TEST(Lookahead, GoesWhereTheSuccessorIsFinishedFirst) {
  // Ranks: n1 2.5 + 6 + 6 = 14.5, n2 4 + 1 + 6 = 11, n3 6. HEFT takes n1 to worker 0, where it ends first, at 2. From there
  // n3 would end at 2 + 10 = 12 on worker 0 or 2 + 6 + 2 = 10 on worker 1; with n1 on worker 1 it ends at 3 + 2 = 5 there (n2 is
  // not placed yet). n2 then: on worker 0 n3 ends at max(3, 4 + 1) + 2 = 7, on worker 1 at 7 + 2 = 9.
  const CostMatrix example({{2, 3}, {4, 4}, {10, 2}}, {{{1, 3}, 6}, {{2, 3}, 1}});
  EXPECT_THAT(lookahead(example.inputs()).slots, ElementsAre(Slot{1, 0, 3}, Slot{0, 0, 4}, Slot{1, 5, 7}));
  EXPECT_THAT(heft(example.inputs()).slots[0], (Slot{0, 0, 2}));
}

TEST(Lookahead, PlacesSuccessorsOneAfterTheOther) {
  // n1's successors, all of 10 on any worker, are three on two workers. From worker 0 (n1 ends at 4): n2 at 14 there, n3 at
  // 4 + 8 + 10 = 22 on worker 1, n4 at 24 on worker 0: last 24. From worker 1 (n1 ends at 2): 12, 20 on worker 0, 22: last 22.
  const CostMatrix example({{4, 2}, {10, 10}, {10, 10}, {10, 10}}, {{{1, 2}, 8}, {{1, 3}, 8}, {{1, 4}, 8}});
  EXPECT_THAT(lookahead(example.inputs()).slots, ElementsAre(Slot{1, 0, 2}, Slot{1, 2, 12}, Slot{0, 10, 20}, Slot{1, 12, 22}));
}

TEST(Lookahead, HasTheMakespanThatThePaperOnPeftGivesForIt) {
  const CostMatrix example = arabnejad_example();
  EXPECT_EQ(lookahead(example.inputs()).makespan(), 127);
}

}  // namespace
}  // namespace tasktwin
