#include "models/checks/list_cover.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "models/base/random.hpp"
#include "models/graph/events.hpp"
#include "tests/models/graphs.hpp"

namespace tasktwin {
namespace {

using testing_graphs::graph_of;

constexpr TaskId t(std::size_t i) { return task_id(i); }

std::vector<TaskId> same_places(std::size_t tasks) {
  std::vector<TaskId> place;
  for (std::size_t i = 0; i < tasks; ++i) place.push_back(t(i));
  return place;
}

TEST(ListCover, AWaitIsThereByTheListByTheEdgeAndThroughOthers) {
  const TaskGraph needed = graph_of({1, 1, 1}, {{0, 1}, {0, 2}, {1, 2}});
  const FrozenSchedule lists{{t(0), t(1)}, {t(2)}};
  EXPECT_FALSE(first_uncovered(needed, graph_of({1, 1, 1}, {{1, 2}}), lists, same_places(3)));
  const auto found = first_uncovered(needed, graph_of({1, 1, 1}, {{0, 2}}), lists, same_places(3));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->task, t(2));
  EXPECT_EQ(found->needs, t(1));
}

TEST(ListCover, EventsOfEitherSideStandForWhatTheyCount) {
  TaskGraphBuilder builder;
  for (int i = 0; i < 4; ++i) builder.add_task("t" + std::to_string(i), {.cost = {.time = Duration{1}}});
  const TaskId event = builder.add_task("e", {.kernel = Kernel::kEmpty, .operation = Operation::kEvent});
  for (const std::size_t from : {0, 1}) builder.add_edge(t(from), event);
  for (const std::size_t to : {2, 3}) builder.add_edge(event, t(to));
  const TaskGraph joined = std::move(builder).build();
  const TaskGraph pairs = graph_of({1, 1, 1, 1}, {{0, 2}, {0, 3}, {1, 2}, {1, 3}});
  const FrozenSchedule lists{{t(0), t(2)}, {t(1), t(3)}};
  EXPECT_FALSE(first_uncovered(pairs, joined, lists, same_places(4)));
  EXPECT_FALSE(first_uncovered(joined, pairs, lists, same_places(4)));
  const auto found = first_uncovered(joined, graph_of({1, 1, 1, 1}, {{0, 3}, {1, 3}}), lists, same_places(4));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->task, t(2));
  EXPECT_EQ(found->needs, t(1));
}

/// A slow oracle: whether one task is behind another by edges and lists.
bool is_behind(const TaskGraph& planned, const FrozenSchedule& lists, TaskId first, TaskId then) {
  std::vector<TaskId> open{then};
  std::vector<bool> met(planned.size());
  while (!open.empty()) {
    const TaskId task = open.back();
    open.pop_back();
    if (task == first) return true;
    if (met[index(task)]) continue;
    met[index(task)] = true;
    for (const TaskId before : planned.predecessors(task)) open.push_back(before);
    for (const auto& list : lists) {
      const auto at = std::ranges::find(list, task);
      if (at != list.end() && at != list.begin()) open.push_back(*std::prev(at));
    }
  }
  return false;
}

TEST(ListCover, IsThatOfTheSlowOracleOnRandomPlans) {
  std::size_t covered = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Random random(seed);
    constexpr std::size_t kTasks = 10;
    std::vector<std::pair<int, int>> needs;
    std::vector<std::pair<int, int>> waits;
    for (int to = 1; to < static_cast<int>(kTasks); ++to) {
      for (int from = 0; from < to; ++from) {
        const auto drawn = random.between(0, 9);
        if (drawn < 2) needs.emplace_back(from, to);
        if (drawn < 2 ? random.between(0, 9) > 0 : drawn == 9) waits.emplace_back(from, to);
      }
    }
    const auto graph = [](const std::vector<std::pair<int, int>>& edges) {
      TaskGraphBuilder builder;
      for (std::size_t i = 0; i < kTasks; ++i) builder.add_task("t" + std::to_string(i), {.cost = {.time = Duration{1}}});
      for (const auto& [from, to] : edges) builder.add_edge(t(static_cast<std::size_t>(from)), t(static_cast<std::size_t>(to)));
      return std::move(builder).build();
    };
    const TaskGraph needed = graph(needs);
    const TaskGraph planned = graph(waits);
    FrozenSchedule lists(3);
    for (std::size_t i = 0; i < kTasks; ++i) lists[static_cast<std::size_t>(random.between(0, 2))].push_back(t(i));
    const bool all = std::ranges::all_of(needs, [&](const auto& edge) {
      return is_behind(planned, lists, t(static_cast<std::size_t>(edge.first)), t(static_cast<std::size_t>(edge.second)));
    });
    const auto found = first_uncovered(needed, planned, lists, same_places(kTasks));
    ASSERT_EQ(!found, all) << seed;
    EXPECT_FALSE(found && is_behind(planned, lists, found->needs, found->task)) << seed;
    covered += all ? 1 : 0;
    EXPECT_EQ(order_of_lists(planned, lists).size(), kTasks);
  }
  EXPECT_GT(covered, 30u);
  EXPECT_LT(covered, 270u);
}

}  // namespace
}  // namespace tasktwin
