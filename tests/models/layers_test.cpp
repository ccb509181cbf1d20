#include "models/policies/layers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/models/graphs.hpp"

namespace tasktwin {
namespace {

using testing::ElementsAre;
using testing_graphs::random_graph;

TaskGraph with_layers(std::initializer_list<std::int32_t> layers, std::initializer_list<std::pair<std::size_t, std::size_t>> edges) {
  TaskGraphBuilder builder;
  for (const std::int32_t layer : layers) builder.add_task("t" + std::to_string(builder.size()), {.layer = layer});
  for (const auto& [from, to] : edges) builder.add_edge(task_id(from), task_id(to));
  return std::move(builder).build();
}

TEST(Layers, AreTheStatedOnesNumberedWithoutGapsWhereEdgesAscend) {
  EXPECT_THAT(layers_of(with_layers({-3, 7, 2}, {{0, 1}})), ElementsAre(0, 2, 1));
}

TEST(Layers, AreTheLongestPathsWhereAnEdgeStaysInALayer) {
  EXPECT_THAT(layers_of(with_layers({5, 5, 9, 0}, {{0, 1}, {1, 2}, {0, 2}})), ElementsAre(0, 1, 2, 0));
}

TEST(Layers, OfNoTasksAreNone) { EXPECT_TRUE(layers_of(TaskGraph{}).empty()); }

TEST(Layers, EveryEdgeLeadsUpAndNoLayerIsEmpty) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const TaskGraph graph = random_graph({.tasks = 20, .edge_probability = 0.1}, seed);
    const std::vector<std::size_t> layers = layers_of(graph);
    std::vector<bool> used(*std::ranges::max_element(layers) + 1);
    for (std::size_t i = 0; i < graph.size(); ++i) {
      used[layers[i]] = true;
      for (const TaskId after : graph.successors(task_id(i))) ASSERT_LT(layers[i], layers[index(after)]) << seed;
    }
    ASSERT_TRUE(std::ranges::all_of(used, std::identity{})) << seed;
  }
}

TEST(Layers, ListsAreSortedByThemAndTasksOfOneKeepTheirOrder) {
  FrozenSchedule lists{{TaskId{3}, TaskId{0}, TaskId{2}}, {TaskId{1}}};
  sort_by_layer(lists, std::vector<std::size_t>{0, 1, 1, 1});
  EXPECT_THAT(lists, ElementsAre(ElementsAre(TaskId{0}, TaskId{3}, TaskId{2}), ElementsAre(TaskId{1})));
}

}  // namespace
}  // namespace tasktwin
