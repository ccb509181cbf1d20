#include "models/cost/prefetch.hpp"

#include <gtest/gtest.h>

#include "models/runtimes/runtimes.hpp"
#include "tests/models/design_refusal.hpp"

namespace tasktwin {
namespace {

constexpr DecodeProblem kModel{
    .layers = 1, .hidden = 2048, .heads = 32, .kv_heads = 8, .mlp = 8192, .vocabulary = 100, .kv_length = 512, .slices = 2};

TaskGraph graph_of(const std::vector<Task>& tasks, const Problem& problem = kModel) {
  TaskGraphBuilder builder;
  builder.set_problem(problem);
  for (std::size_t i = 0; i < tasks.size(); ++i) builder.add_task("t" + std::to_string(i), tasks[i]);
  return std::move(builder).build();
}

Machine machine_with(std::int64_t shared_memory) {
  Machine machine;
  machine.core_limits.shared_memory = shared_memory;
  machine.core_limits.reserved = 1024;
  return machine;
}

constexpr std::int64_t kSharedMemory = 228 * 1024;
const Task kRows{.cost = {.bytes = {24 * 4096}}, .args = {0, 0, 24, 0}, .kernel = Kernel::kQkv};
const Task kDownRows{.cost = {.bytes = {16 * 16384}}, .args = {0, 0, 16, 0}, .kernel = Kernel::kDown};
const Task kStreamed{.cost = {.bytes = {1000}}, .kernel = Kernel::kStream};
const Task kSpinning{.cost = {.time = Duration{100}}};
const Task kTile{.cost = {.flops = {1000}}, .args = {2, 1, 0, 64}, .kernel = Kernel::kGemm};

TEST(ConstantBytes, AreWeightsCacheAndWhatStreams) {
  const Task earlier{.cost = {.bytes = {256 * 256}}, .args = {0, 0, 0, 256}, .kernel = Kernel::kAttention};
  const Task newest{.cost = {.bytes = {256 * 256}}, .args = {0, 0, 256, 256}, .kernel = Kernel::kAttention};
  const Task norm{.kernel = Kernel::kRmsNorm};
  const TaskGraph graph = graph_of({kRows, kDownRows, kStreamed, earlier, newest, kSpinning, kTile, norm});
  const std::int64_t expected[] = {24 * 4096, 16 * 16384, 1000, 256 * 256, 255 * 256, 0, 0, 4 * 2048};
  for (std::size_t i = 0; i < graph.size(); ++i) EXPECT_EQ(constant_bytes(graph, task_id(i)), expected[i]) << i;
}

TEST(ConstantBytes, AreNotOfCachesThatABodyReadsSeveralTimes) {
  DecodeProblem model = kModel;
  model.kv_heads = 4;
  const Task attention{.cost = {.bytes = {256 * 256}}, .args = {0, 0, 0, 256}, .kernel = Kernel::kAttention};
  EXPECT_EQ(constant_bytes(graph_of({attention}, model), task_id(0)), 0);
}

TEST(PageRing, TakesWhatBodiesLeave) {
  const PageRing ring = page_ring(graph_of({kDownRows, kRows}), machine_with(kSharedMemory));
  EXPECT_EQ(ring.page_bytes, 16 * 1024);
  EXPECT_EQ(ring.pages, (kSharedMemory - 1024 - 9 * 1024 - 4 * 8192) / (16 * 1024));
  EXPECT_EQ(page_ring(graph_of({kDownRows, kTile}), machine_with(kSharedMemory)).pages, 5) << "beside two tiles";
}

TEST(PageRing, HasPagesOfALongRow) {
  DecodeProblem model = kModel;
  model.mlp = 14336;
  EXPECT_EQ(page_ring(graph_of({kDownRows}, model), machine_with(kSharedMemory)).page_bytes, 2 * 14336);
}

TEST(PageRing, HasNoneWithoutConstantInputsOrRoom) {
  EXPECT_EQ(page_ring(graph_of({kSpinning, kTile}), machine_with(kSharedMemory)).pages, 0);
  EXPECT_EQ(page_ring(graph_of({kStreamed}), machine_with(0)).pages, 0);
  EXPECT_EQ(page_ring(graph_of({kStreamed}), machine_with(1024 + 9 * 1024 + 256 + 2 * 16 * 1024 - 1)).pages, 0);
  EXPECT_EQ(page_ring(graph_of({kStreamed}), machine_with(1024 + 9 * 1024 + 256 + 2 * 16 * 1024)).pages, 2);
}

TEST(PrefetchAxis, NeedsListsThatAreKnownBeforehand) {
  Design design = named_design("shared-queue");
  design.prefetch = 2;
  EXPECT_NE(refusal(design, {}).find("prefetch has no effect here: it needs release 'counters' and frozen 'per_worker' lists"),
            std::string::npos);
}

}  // namespace
}  // namespace tasktwin
