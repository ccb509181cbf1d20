#include "models/cost/footprint.hpp"

#include <gtest/gtest.h>

namespace tasktwin {
namespace {

constexpr std::int64_t kKib = 1024;

TEST(Footprint, IsOfATaskThatStatesNoneAWholeCore) {
  EXPECT_EQ(footprint({}), (Footprint{.whole_core = true, .threads = 256, .shared_memory = 131'584}));
  EXPECT_FALSE(states_footprint({.blocks = 5}));
}

TEST(Footprint, IsWhatTheTaskStates) {
  EXPECT_EQ(footprint({.threads = 64, .registers = 40, .shared_memory = 4096, .carveout = 50, .cluster = 2}),
            (Footprint{.threads = 64, .registers = 40, .shared_memory = 4096, .carveout = 50, .cluster = 2}));
}

TEST(Footprint, IsCooperativeWhateverTheBlock) {
  TaskGraphBuilder builder;
  for (const TaskTraits& traits : {TaskTraits{.cooperative = true}, TaskTraits{.threads = 64, .cooperative = true}}) {
    EXPECT_TRUE(footprint(traits).cooperative);
    builder.add_task("gemm" + std::to_string(builder.size()), {.kernel = Kernel::kGemm, .traits = builder.add_traits(traits)});
  }
  const TaskGraph graph = std::move(builder).build();
  EXPECT_TRUE(launched_block(graph, task_id(0)).cooperative);
  EXPECT_TRUE(launched_block(graph, task_id(1)).cooperative);
}

TEST(Footprint, HasTheThreadsOfAWholeCoreWhereNoneAreStated) { EXPECT_EQ(footprint({.shared_memory = 4096}).threads, 256); }

TEST(Footprint, IsLaunchedAsAWholeCoreWhereTheKernelRunsInNoOther) {
  TaskGraphBuilder builder;
  const std::uint32_t traits = builder.add_traits({.threads = 256, .shared_memory = 131'584});
  builder.add_task("gemm", {.kernel = Kernel::kGemm, .traits = traits});
  builder.add_task("spin", {.kernel = Kernel::kSpin, .traits = traits});
  const TaskGraph graph = std::move(builder).build();
  EXPECT_TRUE(launched_block(graph, task_id(0)).whole_core);
  EXPECT_FALSE(launched_block(graph, task_id(1)).whole_core);
}

std::int64_t shared_bytes(Kernel kernel, const Problem& problem = {}) {
  TaskGraphBuilder builder;
  builder.set_problem(problem);
  builder.add_task("it", {.kernel = kernel});
  return body_shared_bytes(std::move(builder).build(), task_id(0));
}

TEST(Footprint, SharedMemoryOfABodyIsWhatItsKernelKeepsThere) {
  const DecodeProblem decode{
      .layers = 1, .hidden = 2048, .heads = 32, .kv_heads = 8, .mlp = 8192, .vocabulary = 100, .kv_length = 512, .slices = 2};
  EXPECT_EQ(shared_bytes(Kernel::kQkv, decode), 4 * 2048);
  EXPECT_EQ(shared_bytes(Kernel::kDown, decode), 4 * 8192);
  EXPECT_EQ(shared_bytes(Kernel::kRmsNorm, decode), 4 * 8) << "a sum of each warp";
  EXPECT_EQ(shared_bytes(Kernel::kAttention, decode), 4 * 4 * (9 * 256 + 16)) << "for the longest head";
  EXPECT_EQ(shared_bytes(Kernel::kAttentionMerge, decode), 0);
  EXPECT_EQ(shared_bytes(Kernel::kGemm, CholeskyProblem{4, 64}), 4 * (2 * 64 * 64 + 64));
  EXPECT_EQ(shared_bytes(Kernel::kSpin, CholeskyProblem{4, 64}), 0);
  EXPECT_EQ(shared_bytes(Kernel::kStream), 0) << "it does without its ring";
  OwnKernels own;
  own.kernels.emplace_back().shared_memory = 16 * kKib;
  EXPECT_EQ(shared_bytes(own_kernel(0), own), 16 * kKib);
}

CoreLimits hopper() {
  return {.blocks = 32,
          .threads = 2048,
          .registers = 65536,
          .shared_memory = 228 * kKib,
          .reserved = kKib,
          .carveouts = {0, 8, 16, 32, 64, 100, 132, 164, 196, 228}};
}

/// In KiB, of blocks of `threads` threads and `kib` KiB of which 1 KiB is the hardware's.
Carveout carveout_of(int threads, std::int64_t kib, int percent = -1) {
  const Carveout found = carveout(hopper(), kib * kKib, std::min(32, 2048 / threads), percent);
  return {found.chosen / kKib, found.least / kKib, found.most / kKib};
}

// As an H100 was seen to divide its multiprocessors.
TEST(Carveout, HoldsAllBlocksThatFitBeside) {
  EXPECT_EQ(carveout_of(256, 17), (Carveout{164, 164, 228}));  // 8 blocks of 17 KiB
  EXPECT_EQ(carveout_of(256, 49), (Carveout{196, 196, 228}));  // 4 of 49
  EXPECT_EQ(carveout_of(256, 65), (Carveout{196, 196, 228}));  // 3 of 65
  EXPECT_EQ(carveout_of(256, 129), (Carveout{132, 132, 228}));
  EXPECT_EQ(carveout_of(256, 101), (Carveout{228, 228, 228}));
  EXPECT_EQ(carveout_of(64, 5), (Carveout{164, 164, 228}));
  EXPECT_EQ(carveout_of(64, 9), (Carveout{228, 228, 228}));
}

TEST(Carveout, IsGenerousToSmallBlocksOf128To512Threads) {
  EXPECT_EQ(carveout_of(256, 3), (Carveout{64, 32, 228}));    // 24 KiB twice
  EXPECT_EQ(carveout_of(256, 5), (Carveout{100, 64, 228}));   // 40 KiB twice
  EXPECT_EQ(carveout_of(256, 9), (Carveout{132, 100, 228}));  // 72 KiB, and no more than 132
  EXPECT_EQ(carveout_of(256, 13), (Carveout{132, 132, 228}));
  EXPECT_EQ(carveout_of(512, 9), (Carveout{100, 64, 228}));
  EXPECT_EQ(carveout_of(128, 3), (Carveout{100, 64, 228}));
  EXPECT_EQ(carveout_of(1024, 9), (Carveout{32, 32, 228}));
  EXPECT_EQ(carveout_of(64, 3), (Carveout{100, 100, 228}));
}

TEST(Carveout, HasSomeForBlocksWithoutAny) {
  EXPECT_EQ(carveout_of(1024, 1), (Carveout{8, 8, 228}));
  EXPECT_EQ(carveout_of(512, 1), (Carveout{16, 8, 228}));
  EXPECT_EQ(carveout_of(256, 1), (Carveout{32, 8, 228}));
  EXPECT_EQ(carveout_of(64, 1), (Carveout{32, 32, 228}));
}

TEST(Carveout, IsAtLeastTheShareThatIsAskedForAndAtMostThat) {
  EXPECT_EQ(carveout_of(256, 1, 100), (Carveout{228, 8, 228}));
  EXPECT_EQ(carveout_of(256, 1, 50), (Carveout{132, 8, 132}));  // 114 KiB
  EXPECT_EQ(carveout_of(256, 33, 50), (Carveout{132, 132, 132}));
  EXPECT_EQ(carveout_of(256, 9, 0), (Carveout{16, 16, 16}));  // one block has room
}

TEST(Carveout, IsAllOfItWhereNothingIsDivided) { EXPECT_EQ(carveout({.shared_memory = 1000}, 10, 4, -1), (Carveout{1000, 0, 1000})); }

}  // namespace
}  // namespace tasktwin
