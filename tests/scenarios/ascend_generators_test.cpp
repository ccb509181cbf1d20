#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "scenarios/generators/batched_gemm.hpp"
#include "scenarios/generators/generators.hpp"
#include "scenarios/generators/paged_attention.hpp"
#include "scenarios/generators/spawn_tree.hpp"

namespace tasktwin::scenarios {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;
using namespace std::string_literals;

TaskGraph make(std::string_view name, const GivenParameters& given, std::uint64_t seed = 1) {
  return generate(generator(name), given, seed);
}

std::vector<std::string> names(const TaskGraph& graph) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < graph.size(); ++i) all.emplace_back(graph.name(task_id(i)));
  return all;
}

std::vector<std::string> before(const TaskGraph& graph, std::string_view name) {
  std::vector<std::string> found;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (graph.name(task_id(i)) != name) continue;
    for (const TaskId id : graph.predecessors(task_id(i))) found.emplace_back(graph.name(id));
  }
  return found;
}

std::int64_t whole(std::int64_t value) { return value; }

/// Blocks of each sequence, by its number.
std::vector<int> lengths(const TaskGraph& graph, std::size_t batch) {
  std::vector<int> blocks(batch);
  for (const std::string& name : names(graph)) {
    if (name.starts_with("qk(")) ++blocks.at(static_cast<std::size_t>(std::stoi(name.substr(3))));
  }
  return blocks;
}

void expect_rising_layers(const TaskGraph& graph) {
  for (std::size_t i = 0; i < graph.size(); ++i) {
    for (const TaskId id : graph.predecessors(task_id(i))) {
      EXPECT_LT(graph[id].layer, graph[task_id(i)].layer) << graph.name(id) << " -> " << graph.name(task_id(i));
      EXPECT_LT(index(id), i) << "submission order is an order in which tasks can run";
    }
  }
}

TEST(PagedAttention, ComesSequenceBySequenceAndBlockByBlock) {
  const TaskGraph graph = make("paged_attention", {{"batch", whole(2)}, {"blocks", whole(2)}});
  EXPECT_THAT(names(graph), ElementsAre("setup(0)", "qk(0,0)", "softmax(0,0)", "pv(0,0)", "update(0,0)", "qk(0,1)", "softmax(0,1)",
                                        "pv(0,1)", "update(0,1)", "setup(1)", "qk(1,0)", "softmax(1,0)", "pv(1,0)", "update(1,0)",
                                        "qk(1,1)", "softmax(1,1)", "pv(1,1)", "update(1,1)"));
  EXPECT_THAT(before(graph, "qk(1,1)"), ElementsAre());
  EXPECT_THAT(before(graph, "softmax(1,1)"), ElementsAre("qk(1,1)"));
  EXPECT_THAT(before(graph, "pv(1,1)"), ElementsAre("softmax(1,1)"));
  EXPECT_THAT(before(graph, "update(1,0)"), UnorderedElementsAre("setup(1)", "softmax(1,0)", "pv(1,0)"));
  EXPECT_THAT(before(graph, "update(1,1)"), UnorderedElementsAre("update(1,0)", "softmax(1,1)", "pv(1,1)"));
  expect_rising_layers(graph);
}

TEST(PagedAttention, HasThePublishedSizeAndTimes) {
  const TaskGraph graph = make("paged_attention", {});
  EXPECT_EQ(graph.size(), 65'536u + 256u);
  EXPECT_EQ(graph.edge_count(), 5u * 16'384);
  const auto expect_task = [&](std::size_t id, CoreType type, std::int64_t time, std::uint32_t sigma) {
    const Task& task = graph[task_id(id)];
    EXPECT_EQ(task.core_type, type);
    EXPECT_EQ(to_ns(task.cost.time), time);
    EXPECT_EQ(task.cost.sigma_ns, sigma);
  };
  expect_task(1, CoreType::kAic, 1638, 178);
  expect_task(2, CoreType::kAiv, 1204, 89);
  expect_task(3, CoreType::kAic, 1514, 148);
  expect_task(4, CoreType::kAiv, 1297, 59);
}

TEST(PagedAttention, RaggedLengthsHaveTheSumOfEvenOnes) {
  for (const std::int64_t batch : {1, 2, 7, 64}) {
    const GivenParameters given{{"batch", batch}, {"blocks", whole(8)}, {"lengths", "ragged"s}};
    const TaskGraph graph = make("paged_attention", given, 3);
    const auto blocks = lengths(graph, static_cast<std::size_t>(batch));
    EXPECT_EQ(std::accumulate(blocks.begin(), blocks.end(), 0), 8 * batch);
    EXPECT_GE(*std::ranges::min_element(blocks), 1);
    EXPECT_LE(*std::ranges::max_element(blocks), 15);
    expect_rising_layers(graph);
    if (batch == 64) {
      EXPECT_GT(*std::ranges::max_element(blocks), 12);
      EXPECT_LT(*std::ranges::min_element(blocks), 4);
      EXPECT_NE(lengths(make("paged_attention", given, 4), 64), blocks) << "drawn by the seed";
      EXPECT_EQ(lengths(make("paged_attention", given, 3), 64), blocks);
    }
  }
}

TEST(PagedAttention, CoreTypesCanBeChosen) {
  const TaskGraph graph = make("paged_attention", {{"batch", whole(1)}, {"matrix_core_type", "sm"s}, {"vector_core_type", "sm"s}});
  for (const Task& task : graph.tasks()) EXPECT_EQ(task.core_type, CoreType::kSm);
}

TEST(BatchedGemm, ComesGroupByGroupWithTheAddsInAChain) {
  const TaskGraph graph = make("batched_gemm", {{"groups", whole(2)}});
  EXPECT_THAT(names(graph),
              ElementsAre("gemm(0,0)", "add(0,0)", "gemm(0,1)", "add(0,1)", "gemm(1,0)", "add(1,0)", "gemm(1,1)", "add(1,1)"));
  EXPECT_THAT(before(graph, "gemm(1,1)"), ElementsAre());
  EXPECT_THAT(before(graph, "add(1,0)"), ElementsAre("gemm(1,0)"));
  EXPECT_THAT(before(graph, "add(1,1)"), UnorderedElementsAre("add(1,0)", "gemm(1,1)"));
  expect_rising_layers(make("batched_gemm", {{"groups", whole(3)}, {"gemms", whole(4)}}));
  EXPECT_EQ(make("batched_gemm", {}).size(), 1000u);
  EXPECT_EQ(graph[task_id(0)].cost.time, Duration{21'010});
  EXPECT_EQ(graph[task_id(1)].cost.time, Duration{10'512});
  EXPECT_EQ(graph[task_id(1)].core_type, CoreType::kAiv);
}

TEST(BatchedGemm, SizesFollowTheClosedForm) {
  for (const std::int64_t groups : {1, 2, 5}) {
    for (const std::int64_t gemms : {1, 2, 3}) {
      const TaskGraph graph = make("batched_gemm", {{"groups", groups}, {"gemms", gemms}});
      EXPECT_EQ(static_cast<std::int64_t>(graph.size()), 2 * groups * gemms);
      EXPECT_EQ(static_cast<std::int64_t>(graph.edge_count()), groups * (2 * gemms - 1));
    }
  }
}

TEST(SpawnTree, HasExactlyItsTasksEachSpawnedByItsParent) {
  for (const std::string offspring : {"binomial", "geometric"}) {
    const TaskGraph graph = make("spawn_tree", {{"offspring", offspring}, {"tasks", whole(5000)}, {"max_depth", whole(10)}}, 5);
    ASSERT_EQ(graph.size(), 5000u);
    EXPECT_EQ(graph.edge_count(), 4999u);
    EXPECT_EQ(graph.spawner(task_id(0)), std::nullopt);
    for (std::size_t i = 1; i < graph.size(); ++i) {
      const auto parent = graph.spawner(task_id(i));
      ASSERT_TRUE(parent);
      EXPECT_EQ(graph[task_id(i)].layer, graph[*parent].layer + 1);
      EXPECT_LE(graph[task_id(i)].layer, 10);
    }
  }
}

TEST(SpawnTree, BinomialOffspringIsAllOrNoneAtTheGivenRate) {
  const std::int64_t tasks = 200'000;
  const TaskGraph graph = make("spawn_tree", {{"tasks", tasks}, {"branching", whole(4)}, {"probability_ppm", whole(200'000)}}, 11);
  std::map<std::size_t, std::int64_t> by_children;
  for (std::size_t i = 1; i + 1000 < graph.size(); ++i) ++by_children[graph.out_degree(task_id(i))];
  EXPECT_EQ(by_children.size(), 2u);
  const double share = static_cast<double>(by_children[4]) / static_cast<double>(by_children[0] + by_children[4]);
  EXPECT_NEAR(share, 0.2, 0.005);
}

TEST(SpawnTree, GeometricOffspringHasItsMean) {
  const TaskGraph graph =
      make("spawn_tree", {{"offspring", "geometric"s}, {"tasks", whole(200'000)}, {"branching", whole(3)}, {"max_depth", whole(6)}}, 11);
  double children = 0;
  double parents = 0;
  for (std::size_t i = 1; i + 1000 < graph.size(); ++i) {
    if (graph[task_id(i)].layer != 2) continue;
    children += static_cast<double>(graph.out_degree(task_id(i)));
    ++parents;
  }
  EXPECT_GT(parents, 1000);
  EXPECT_NEAR(children / parents, 3 * (1 - 2.0 / 6), 0.1);
}

}  // namespace
}  // namespace tasktwin::scenarios
