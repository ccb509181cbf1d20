#include "gpu/bodies/page_copies.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "models/cost/prefetch.hpp"

#include "tests/gpu/problem_graphs.hpp"

namespace tasktwin::gpu {
namespace {

constexpr std::uint32_t kPage = 16 * 1024;

/// Addresses that are never read, far enough apart for every matrix.
template <class T>
T* pretended(std::uint64_t number) {
  return reinterpret_cast<T*>(number << 40);
}

BodyContext context_of(const DecodeProblem& model) {
  BodyContext context{};
  context.stream_buffer = pretended<void>(1);
  DecodeContext& decode = context.decode;
  decode.layers = model.layers;
  decode.hidden = model.hidden;
  decode.heads = model.heads;
  decode.kv_heads = model.kv_heads;
  decode.head_dim = model.head_dim();
  decode.mlp = model.mlp;
  decode.vocabulary = model.vocabulary;
  decode.kv_length = model.kv_length;
  decode.slices = model.slices;
  decode.qkv_weights = pretended<Bf16>(2);
  decode.project_weights = pretended<Bf16>(3);
  decode.gate_up_weights = pretended<Bf16>(4);
  decode.down_weights = pretended<Bf16>(5);
  decode.head_weights = pretended<Bf16>(6);
  decode.keys = pretended<Bf16>(7);
  decode.values = pretended<Bf16>(8);
  decode.norm_weights = pretended<float>(9);
  return context;
}

std::vector<PageCopy> copies_of(const TaskDescriptor& task, const BodyContext& context) {
  std::vector<PageCopy> copies;
  add_page_copies(task, context, kPage, 0, copies);
  return copies;
}

/// Where what is brought begins, and its bytes.
using Pieces = std::vector<std::pair<std::uint64_t, std::uint32_t>>;

void add(const void* from, std::uint32_t bytes, Pieces& pieces) {
  if (bytes == 0) return;
  pieces.emplace_back(reinterpret_cast<std::uint64_t>(from), bytes);
  EXPECT_EQ(pieces.back().first % 16, 0u);
  EXPECT_EQ(bytes % 16, 0u);
}

TEST(PageCopies, BringEveryWeightAndEveryEarlierKeyAndValueOnce) {
  for (const DecodeProblem& model : kDecodeCases) {
    const BodyContext context = context_of(model);
    const TaskGraph graph = uneven_decode(model);
    Pieces pieces;
    std::int64_t stated = 0;
    const std::vector<TaskDescriptor> tasks = make_descriptors(graph);
    for (std::size_t i = 0; i < graph.size(); ++i) {
      std::int64_t of_task = 0;
      for (const PageCopy& copy : copies_of(tasks[i], context)) {
        EXPECT_LE(copy.first_bytes + copy.second_bytes, kPage);
        add(copy.first, copy.first_bytes, pieces);
        add(copy.second, copy.second_bytes, pieces);
        of_task += copy.first_bytes + copy.second_bytes;
      }
      EXPECT_EQ(of_task, constant_bytes(graph, task_id(i))) << graph.name(task_id(i));
      stated += constant_bytes(graph, task_id(i));
    }
    std::ranges::sort(pieces);
    for (std::size_t i = 1; i < pieces.size(); ++i) ASSERT_LE(pieces[i - 1].first + pieces[i - 1].second, pieces[i].first) << "twice";
    const std::int64_t weights =
        std::int64_t{model.hidden} * (model.layers * (model.qkv_rows() + model.hidden + 3 * model.mlp) + model.vocabulary);
    const bool cached = model.heads / model.kv_heads <= 4;
    const std::int64_t cache = cached ? std::int64_t{2} * model.layers * model.kv_heads * (model.kv_length - 1) * model.head_dim() : 0;
    EXPECT_EQ(stated, 2 * (weights + cache) + 4 * model.hidden * (2 * model.layers + 1));
  }
}

TEST(PageCopies, HoldWholeRowsAndPairsOfGateAndUp) {
  const DecodeProblem& model = kDecodeCases[3];
  const BodyContext context = context_of(model);
  TaskDescriptor task{};
  task.args[2] = 21;
  task.kernel = static_cast<std::uint32_t>(Kernel::kQkv);
  EXPECT_EQ(copies_of(task, context).front().first_bytes, 4u * 4096);
  task.kernel = static_cast<std::uint32_t>(Kernel::kDown);
  EXPECT_EQ(copies_of(task, context).front().first_bytes, 1u * 8208);
  task.kernel = static_cast<std::uint32_t>(Kernel::kGateUp);
  for (const PageCopy& copy : copies_of(task, context)) EXPECT_EQ(copy.first_bytes % 8192, 0u);
}

TEST(PageCopies, OfAStreamGoOnAtTheBeginningOfItsBuffer) {
  TaskDescriptor task{};
  task.kernel = static_cast<std::uint32_t>(Kernel::kStream);
  task.bytes = 40'000;
  task.stream_offset = kStreamBufferBytes - 20'480;
  const std::vector<PageCopy> copies = copies_of(task, context_of(kDecodeCases[0]));
  ASSERT_EQ(copies.size(), 3u);
  EXPECT_EQ(copies[0].second, nullptr);
  EXPECT_EQ(copies[1].first_bytes, 4096u);
  EXPECT_EQ(copies[1].second, pretended<void>(1));
  EXPECT_EQ(copies[1].second_bytes, kPage - 4096);
  EXPECT_EQ(copies[2].first, pretended<char>(1) + (kPage - 4096));
  EXPECT_EQ(copies[2].first_bytes, 40'000u - 2 * kPage);
}

}  // namespace
}  // namespace tasktwin::gpu
