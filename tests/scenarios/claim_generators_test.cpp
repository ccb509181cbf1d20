#include <gmock/gmock.h>

#include <numeric>
#include <set>

#include "scenarios/generators/attention_mlp.hpp"
#include "scenarios/generators/decode_kernels.hpp"
#include "tests/scenarios/made_graph.hpp"

namespace tasktwin::scenarios {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> before(const TaskGraph& graph, std::string_view name) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (graph.name(task_id(i)) != name) continue;
    for (const TaskId id : graph.predecessors(task_id(i))) names.emplace_back(graph.name(id));
  }
  return names;
}

std::int64_t all_bytes(const TaskGraph& graph) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < graph.size(); ++i) sum += graph[task_id(i)].cost.bytes.count * graph.traits(task_id(i)).blocks;
  return sum;
}

TEST(AttentionMlp, ClosedFormsAgreeWithWhatIsMade) {
  for (const std::int64_t batch : {1, 2, 5, 8, 9}) {
    for (const std::int64_t group : {1, 3, 8}) {
      for (const std::int64_t tiles : {1, 2, 4}) made("attention_mlp", {{"batch", batch}, {"group", group}, {"mlp_tiles", tiles}});
    }
  }
}

TEST(AttentionMlp, ATileWaitsForItsGroupAlone) {
  const TaskGraph graph = make_attention_mlp({.batch = 5, .group = 2, .mlp_tiles = 2}, 1);
  EXPECT_THAT(before(graph, "mlp(1,1)"), ElementsAre("attention(2)", "attention(3)"));
  EXPECT_THAT(before(graph, "mlp(2,0)"), ElementsAre("attention(4)")) << "the last group is smaller";
}

TEST(AttentionMlp, TimesFillTheSpreadAroundTheMean) {
  const TaskGraph graph = make_attention_mlp({.batch = 20'000, .attention_time = Duration{1000}, .spread_percent = 50}, 3);
  std::int64_t least = 1'000'000;
  std::int64_t most = 0;
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < 20'000; ++i) {
    const std::int64_t time = to_ns(graph[task_id(i)].cost.time);
    least = std::min(least, time);
    most = std::max(most, time);
    sum += time;
  }
  EXPECT_GE(least, 500);
  EXPECT_LT(least, 505);
  EXPECT_LE(most, 1500);
  EXPECT_GT(most, 1495);
  EXPECT_NEAR(static_cast<double>(sum) / 20'000, 1000, 10) << "five standard errors";
  const TaskGraph equal = make_attention_mlp({.batch = 3, .attention_time = Duration{1000}, .spread_percent = 0}, 3);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(equal[task_id(i)].cost.time, Duration{1000});
}

TEST(DecodeKernels, ClosedFormsAgreeWithWhatIsMade) {
  for (const char* form : {"kernels", "tiles"}) {
    for (const std::int64_t layers : {1, 2, 5}) {
      for (const std::int64_t blocks : {1, 2, 7}) {
        made("decode_kernels", {{"layers", layers}, {"blocks", blocks}, {"form", std::string(form)}});
      }
    }
  }
}

TEST(DecodeKernels, IsAChainOfWideKernels) {
  const TaskGraph graph = make_decode_kernels({});
  EXPECT_EQ(graph.size(), 97u);
  for (std::size_t i = 1; i < graph.size(); ++i) {
    EXPECT_EQ(graph.in_degree(task_id(i)), 1u);
    EXPECT_EQ(graph.out_degree(task_id(i - 1)), 1u);
  }
  EXPECT_THAT(before(graph, "project(3)"), ElementsAre("merge(3)"));
  EXPECT_THAT(before(graph, "qkv(4)"), ElementsAre("down(3)"));
  EXPECT_EQ(graph.traits(task_id(0)).blocks, 132);
  EXPECT_EQ(graph.traits(task_id(2)).blocks, 1) << "a merge";
}

/// Llama-3.2-1B without its embedding, which a decode step does not read but for one row, has 1 235 746 816 weights here: those of
/// 16 layers, (32 + 2·8)·64·2048 + 2048² + 3·8192·2048 each, and of the head, 128 256 · 2048.
TEST(DecodeKernels, BothFormsStreamEveryWeightAndTheCacheOnce) {
  constexpr std::int64_t kWeights = 16 * (48LL * 64 * 2048 + 2048LL * 2048 + 3LL * 8192 * 2048) + 128256LL * 2048;
  constexpr std::int64_t kCache = 16 * 2LL * 8 * 64 * 512;
  static_assert(kWeights == 1'235'746'816);
  for (const OperatorForm form : {OperatorForm::kKernels, OperatorForm::kTiles}) {
    const std::int64_t bytes = all_bytes(make_decode_kernels({.form = form}));
    EXPECT_GE(bytes, 2 * (kWeights + kCache));
    EXPECT_LT(bytes, 2 * (kWeights + kCache) + 81 * 132) << "a block's share is rounded up";
  }
}

TEST(DecodeKernels, TilesMeetInAJoin) {
  const TaskGraph graph = make_decode_kernels(
      {.model = {.layers = 1, .hidden = 64, .heads = 2, .kv_heads = 1, .mlp = 64, .vocabulary = 64, .kv_length = 8, .slices = 1},
       .blocks = 2,
       .form = OperatorForm::kTiles});
  EXPECT_THAT(before(graph, "merge(0)"), ElementsAre("attention(0)[0]", "attention(0)[1]"));
  EXPECT_THAT(before(graph, "project(0)[1]"), ElementsAre("merge(0)"));
  EXPECT_THAT(before(graph, "head[0]"), ElementsAre("after_down(0)"));
  EXPECT_FALSE(graph.has_wide_tasks());
}

TEST(DecodeKernels, HeadsMustDivide) {
  const auto refused = [](const GivenParameters& given) {
    try {
      generator("decode_kernels").plan(given);
    } catch (const ParameterError& wrong) {
      return std::string(wrong.what());
    }
    return std::string();
  };
  EXPECT_EQ(refused({{"heads", std::int64_t{33}}}), "heads: is 33; must divide hidden");
  EXPECT_EQ(refused({{"kv_heads", std::int64_t{5}}}), "kv_heads: is 5; must divide heads");
}

}  // namespace
}  // namespace tasktwin::scenarios
