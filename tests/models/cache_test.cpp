#include "models/cost/cache.hpp"
#include "tests/support/free_machine.hpp"

#include <gtest/gtest.h>

namespace tasktwin {
namespace {

Task attention_of(std::int32_t layer, std::int64_t bytes) {
  return {.cost = {.bytes = {bytes}}, .args = {layer, 0, 0, 256}, .kernel = Kernel::kAttention};
}

TaskGraph graph_of(const std::vector<Task>& tasks, const Problem& problem = {}) {
  TaskGraphBuilder builder;
  builder.set_problem(problem);
  for (const Task& task : tasks) builder.add_task("t" + std::to_string(builder.size()), task);
  return std::move(builder).build();
}

Machine with_cache(std::int64_t bytes) {
  Machine machine = free_machine();
  machine.memory_limits.cache = bytes;
  return machine;
}

TEST(Cache, HoldsKeysAndValuesOnceHoweverOftenTheyAreRead) {
  const Task matrix{.cost = {.bytes = {1'000'000}}, .kernel = Kernel::kGateUp};
  EXPECT_EQ(cached_bytes(graph_of({attention_of(0, 300), attention_of(1, 300), attention_of(1, 300), matrix})), 600);
}

TEST(Cache, HoldsWhatAllBlocksOfAKernelRead) {
  TaskGraphBuilder builder;
  Task attention = attention_of(0, 300);
  attention.traits = builder.add_traits({.blocks = 4});
  builder.add_task("attention", attention);
  EXPECT_EQ(cached_bytes(std::move(builder).build()), 1200);
}

TEST(Cache, HoldsTheTilesOfAMatrixAndOfWhatItIsCopiedFrom) {
  // Three tiles a side: six on and below the diagonal, of 4 x 4 numbers of four bytes.
  EXPECT_EQ(cached_bytes(graph_of({}, CholeskyProblem{3, 4})), 2 * 6 * 16 * 4);
}

TEST(Cache, IsEmptyBehindARunThatReadsMoreThanItKeeps) {
  const TaskGraph graph = graph_of({attention_of(0, 300), attention_of(1, 300)});
  EXPECT_FALSE(finds_cache_empty(graph, with_cache(600)));
  EXPECT_TRUE(finds_cache_empty(graph, with_cache(599)));
  EXPECT_FALSE(finds_cache_empty(graph, with_cache(0))) << "a machine that tells no limit";
}

TEST(Cache, IsEmptyAheadOfEveryRunWithTasksThatStream) {
  const TaskGraph graph = graph_of({{.cost = {.bytes = {1}}, .kernel = Kernel::kStream}});
  EXPECT_TRUE(finds_cache_empty(graph, with_cache(1'000'000)));
  EXPECT_FALSE(finds_cache_empty(graph, with_cache(0)));
}

}  // namespace
}  // namespace tasktwin
