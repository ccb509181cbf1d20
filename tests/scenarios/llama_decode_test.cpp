#include <gmock/gmock.h>

#include <map>
#include <set>

#include "scenarios/generators/generators.hpp"
#include "scenarios/generators/llama_decode.hpp"

namespace tasktwin::scenarios {
namespace {

std::map<std::string, TaskId, std::less<>> by_name(const TaskGraph& graph) {
  std::map<std::string, TaskId, std::less<>> ids;
  for (std::size_t i = 0; i < graph.size(); ++i) ids.emplace(graph.name(task_id(i)), task_id(i));
  return ids;
}

std::set<std::string> before(const TaskGraph& graph, TaskId task) {
  std::set<std::string> names;
  for (const TaskId id : graph.predecessors(task)) names.emplace(graph.name(id));
  return names;
}

std::int64_t bytes_of(const TaskGraph& graph, std::initializer_list<Kernel> kernels) {
  std::int64_t sum = 0;
  for (const Task& task : graph.tasks()) {
    for (const Kernel kernel : kernels) sum += task.kernel == kernel ? task.cost.bytes.count : 0;
  }
  return sum;
}

/// Odd sizes, so that no tile divides anything.
LlamaDecodeParameters odd() {
  return {.model = {.layers = 3, .hidden = 48, .heads = 6, .kv_heads = 2, .mlp = 100, .vocabulary = 1001, .kv_length = 77, .slices = 5},
          .qkv_rows = 7,
          .project_rows = 11,
          .gate_up_rows = 13,
          .down_rows = 9,
          .head_rows = 100};
}

void expect_whole_model(const LlamaDecodeParameters& parameters) {
  const TaskGraph graph = make_llama_decode(parameters);
  const DecodeProblem& m = parameters.model;
  const std::int64_t hidden = m.hidden;
  const std::int64_t layer_weights = hidden * m.qkv_rows() + hidden * hidden + 3 * hidden * m.mlp;
  const std::int64_t weights = m.layers * layer_weights + hidden * m.vocabulary;
  EXPECT_EQ(bytes_of(graph, {Kernel::kQkv, Kernel::kProject, Kernel::kGateUp, Kernel::kDown, Kernel::kHead}), 2 * weights);
  const std::int64_t kv = std::int64_t{m.layers} * m.kv_heads * m.head_dim() * m.kv_length * 2;
  EXPECT_EQ(bytes_of(graph, {Kernel::kAttention}), 2 * kv);
  EXPECT_EQ(bytes_of(graph, {Kernel::kRmsNorm, Kernel::kAttentionMerge, Kernel::kEmpty}), 0);
  std::int64_t flops = 0;
  for (const Task& task : graph.tasks()) flops += task.cost.flops.count;
  EXPECT_EQ(flops, 2 * weights + 4 * std::int64_t{m.layers} * m.heads * m.head_dim() * (m.kv_length + m.slices))
      << "attention and its merges";
  const GraphSize size = llama_decode_size(parameters);
  EXPECT_EQ(static_cast<std::int64_t>(graph.size()), size.tasks);
  EXPECT_EQ(static_cast<std::int64_t>(graph.edge_count()), size.edges);
  EXPECT_EQ(std::get<DecodeProblem>(graph.problem()), m);
}

TEST(LlamaDecode, MovesEveryWeightAndTheKvCacheExactlyOnce) {
  expect_whole_model({});
  expect_whole_model(odd());
}

TEST(LlamaDecode, DefaultsAreLlama32With1B) {
  const TaskGraph graph = make_llama_decode({});
  // 16 layers of 2048 x 3072 (qkv), 2048 x 2048, 3 x 2048 x 8192, and a head of 128256 x 2048, in BF16.
  EXPECT_EQ(bytes_of(graph, {Kernel::kQkv, Kernel::kProject, Kernel::kGateUp, Kernel::kDown, Kernel::kHead}), 2'471'493'632);
  EXPECT_EQ(bytes_of(graph, {Kernel::kAttention}), 134'217'728);
}

/// The rows of every matrix and the positions of every KV head are covered once, without gap or overlap.
TEST(LlamaDecode, TilesCoverEveryMatrixOnce) {
  const LlamaDecodeParameters parameters = odd();
  const TaskGraph graph = make_llama_decode(parameters);
  std::map<std::tuple<Kernel, int, int>, std::vector<int>> covered;
  for (const Task& task : graph.tasks()) {
    const bool attention = task.kernel == Kernel::kAttention;
    if (task.kernel == Kernel::kRmsNorm || task.kernel == Kernel::kAttentionMerge || task.kernel == Kernel::kEmpty) continue;
    auto& rows = covered[{task.kernel, task.args[0], attention ? task.args[1] : 0}];
    const int first = attention ? task.args[2] : task.args[1];
    const int count = attention ? task.args[3] : task.args[2];
    for (int row = first; row < first + count; ++row) rows.push_back(row);
  }
  const DecodeProblem& m = parameters.model;
  const std::map<Kernel, int> rows_of{{Kernel::kQkv, m.qkv_rows()}, {Kernel::kProject, m.hidden},  {Kernel::kGateUp, m.mlp},
                                      {Kernel::kDown, m.hidden},    {Kernel::kHead, m.vocabulary}, {Kernel::kAttention, m.kv_length}};
  EXPECT_EQ(covered.size(), static_cast<std::size_t>(3 * (4 + 2) + 1));
  for (auto& [key, rows] : covered) {
    std::vector<int> all(static_cast<std::size_t>(rows_of.at(std::get<0>(key))));
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int>(i);
    EXPECT_EQ(rows, all) << to_word(std::get<0>(key));
  }
}

/// Attention against an oracle that goes row by row.
TEST(LlamaDecode, AttentionWaitsForExactlyTheRowsItReads) {
  const LlamaDecodeParameters parameters = odd();
  const DecodeProblem& m = parameters.model;
  const TaskGraph graph = make_llama_decode(parameters);
  const auto ids = by_name(graph);
  for (int layer = 0; layer < m.layers; ++layer) {
    for (int kv_head = 0; kv_head < m.kv_heads; ++kv_head) {
      for (int slice = 0; slice < m.slices; ++slice) {
        std::set<std::string> expected;
        for (int row = 0; row < m.qkv_rows(); ++row) {
          const bool is_query = row < m.hidden && row / m.head_dim() / (m.heads / m.kv_heads) == kv_head;
          const int kv_row = row - m.hidden;
          const bool is_kv = kv_row >= 0 && kv_row / m.head_dim() % m.kv_heads == kv_head;
          const std::string suffix = std::to_string(layer) + "," + std::to_string(row / parameters.qkv_rows) + ")";
          if (is_query || (is_kv && slice == m.slices - 1)) expected.insert("qkv(" + suffix);
        }
        const std::string name = "attention(" + std::to_string(layer) + "," + std::to_string(kv_head) + "," + std::to_string(slice) + ")";
        EXPECT_EQ(before(graph, ids.find(name)->second), expected) << name;
      }
    }
  }
}

TEST(LlamaDecode, StagesFollowEachOther) {
  const TaskGraph graph = make_llama_decode(odd());
  const auto ids = by_name(graph);
  const auto names = [&](const std::string& name) { return before(graph, ids.at(name)); };
  const auto tiles = [&](const std::string& stage, int count) {
    std::set<std::string> all;
    for (int i = 0; i < count; ++i) all.insert(stage + std::to_string(i) + ")");
    return all;
  };
  EXPECT_EQ(names("rms_norm(0,0)"), std::set<std::string>{});
  EXPECT_EQ(names("qkv(1,3)"), std::set<std::string>{"rms_norm(1,0)"});
  EXPECT_EQ(names("attention_merge(1,1)"), tiles("attention(1,1,", 5));
  EXPECT_EQ(names("project(1,2)"), tiles("attention_merge(1,", 2));
  EXPECT_EQ(names("rms_norm(1,1)"), tiles("project(1,", 5));
  EXPECT_EQ(names("gate_up(1,0)"), std::set<std::string>{"rms_norm(1,1)"});
  EXPECT_EQ(names("join(1)"), tiles("gate_up(1,", 8));
  EXPECT_EQ(names("down(1,4)"), std::set<std::string>{"join(1)"});
  EXPECT_EQ(names("rms_norm(2,0)"), tiles("down(1,", 6));
  EXPECT_EQ(names("rms_norm(3,0)"), tiles("down(2,", 6));
  EXPECT_EQ(names("head(10)"), std::set<std::string>{"rms_norm(3,0)"});
}

TEST(LlamaDecode, GridsDoWhatTheirTilesDo) {
  const TaskGraph tiles = make_llama_decode({});
  const TaskGraph grids = make_llama_decode({.grids = true});
  EXPECT_EQ(grids.size(), 130u);
  EXPECT_EQ(static_cast<std::int64_t>(grids.size()), llama_decode_size({.grids = true}).tasks);
  std::map<Kernel, std::int64_t> blocks;
  std::map<Kernel, std::int64_t> bytes;
  for (const Task& task : tiles.tasks()) {
    if (task.kernel == Kernel::kEmpty) continue;
    ++blocks[task.kernel];
    bytes[task.kernel] += task.cost.bytes.count;
  }
  for (std::size_t i = 0; i < grids.size(); ++i) {
    const Task& task = grids[task_id(i)];
    const int count = grids.traits(task_id(i)).blocks;
    blocks[task.kernel] -= count;
    bytes[task.kernel] -= task.cost.bytes.count * count;
    EXPECT_EQ(grids.in_degree(task_id(i)), i == 0 ? 0u : 1u);
  }
  for (const auto& [kernel, left] : blocks) EXPECT_EQ(left, 0) << to_word(kernel);
  for (const auto& [kernel, left] : bytes) EXPECT_EQ(left, 0) << to_word(kernel);
}

TEST(LlamaDecode, BlocksOfAGridAreAlike) {
  try {
    generate(llama_decode_generator(), {{"form", "grids"}, {"qkv_rows", 25}}, 1);
    FAIL() << "it was made";
  } catch (const ParameterError& wrong) {
    EXPECT_STREQ(wrong.what(), "qkv_rows: is 25; must divide the rows of q, k and v, 3072, where tasks are grids, whose blocks are alike");
  }
}

}  // namespace
}  // namespace tasktwin::scenarios
