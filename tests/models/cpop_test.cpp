#include "models/policies/built_in.hpp"

#include <array>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/models/cost_matrix.hpp"

namespace tasktwin {
namespace {

using testing::ElementsAre;
using testing_graphs::CostMatrix;
using testing_graphs::topcuoglu_example;

TaskId n(std::size_t number) { return task_id(number - 1); }

TEST(Cpop, HasTheDownwardRanksOfItsPapersTable3) {
  const CostMatrix example = topcuoglu_example();
  const std::vector<double> ranks = downward_ranks(example.inputs(), mean_costs(example.inputs()));
  const std::array<double, 10> published{0, 31, 25, 22, 24, 27, 62.333, 66.667, 63.667, 93.333};
  for (std::size_t i = 0; i < published.size(); ++i) EXPECT_NEAR(ranks[i], published[i], 0.0005) << "n" << i + 1;
}

TEST(Cpop, HasTheScheduleOfItsPapersFigure4) {
  // The critical path n1, n2, n9, n10 costs least, 54, on P2.
  const CostMatrix example = topcuoglu_example();
  const StaticSchedule schedule = cpop(example.inputs());
  EXPECT_EQ(schedule.makespan(), 86);
  EXPECT_THAT(schedule.lists,
              ElementsAre(ElementsAre(n(3), n(7)), ElementsAre(n(1), n(2), n(5), n(9), n(10)), ElementsAre(n(4), n(6), n(8))));
}

TEST(Cpop, LeavesCriticalTasksThatTheirWorkerCannotRunToTheOthers) {
  // The path n1 to n4 is all there is; worker 1 can run most of it, n2 to n4, worker 0 alone n1.
  const CostMatrix chain({{5, -1}, {1, 4}, {-1, 4}, {-1, 4}}, {{{1, 2}, 2}, {{2, 3}, 2}, {{3, 4}, 2}});
  EXPECT_THAT(cpop(chain.inputs()).slots, ElementsAre(Slot{0, 0, 5}, Slot{1, 7, 11}, Slot{1, 11, 15}, Slot{1, 15, 19}));
}

}  // namespace
}  // namespace tasktwin
