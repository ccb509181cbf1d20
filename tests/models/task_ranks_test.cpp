#include "models/policies/task_ranks.hpp"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/base/error.hpp"

namespace tasktwin::tests {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

TaskGraph four_tasks() {
  TaskGraphBuilder builder;
  for (const char* name : {"a", "b", "c", "d"}) builder.add_task(name, {.priority = 7});
  return std::move(builder).build();
}

std::vector<int> priorities(std::span<const double> ranks) {
  const TaskGraph graph = with_ranks(four_tasks(), ranks);
  std::vector<int> result;
  for (const Task& task : graph.tasks()) result.push_back(task.priority);
  return result;
}

constexpr double kEndless = std::numeric_limits<double>::infinity();

TEST(TaskRanks, TheLowestRankGetsTheHighestPriorityAndEqualOnesTheSame) {
  EXPECT_THAT(priorities(std::vector{0.5, -3.0, 0.5, 1e300}), testing::ElementsAre(1, 2, 1, 0));
  EXPECT_THAT(priorities(std::vector{-kEndless, kEndless, 0.0, -0.0}), testing::ElementsAre(2, 0, 1, 1));
}

TEST(TaskRanks, EachTaskNeedsANumber) {
  const TaskGraph graph = four_tasks();
  EXPECT_THAT([&] { with_ranks(graph, std::vector<double>(3)); }, ThrowsMessage<InputError>(HasSubstr("3 ranks for 4 tasks")));
  EXPECT_THAT([&] { with_ranks(graph, std::vector<double>(5)); }, ThrowsMessage<InputError>(HasSubstr("5 ranks for 4 tasks")));
  EXPECT_THAT([&] { with_ranks(graph, std::vector{0.0, 1.0, std::nan(""), 2.0}); }, ThrowsMessage<InputError>(HasSubstr("task 'c'")));
}

}  // namespace
}  // namespace tasktwin::tests
