#include <algorithm>
#include <optional>

#include <gtest/gtest.h>

#include "gpu/bodies/body.cuh"
#include "gpu/cuda/clock_rate.hpp"
#include "gpu/cuda/device_buffer.hpp"
#include "gpu/executor.hpp"
#include "gpu/problems/hash_fill.hpp"
#include "gpu/problems/problem_data.hpp"
#include "tests/gpu/problem_graphs.hpp"

namespace tasktwin::gpu {
namespace {

/// One block runs the tasks [0, count) one after the other.
__global__ void __launch_bounds__(kBodyThreads, 1)
    walk(const TaskDescriptor* tasks, std::size_t count, const __grid_constant__ BodyContext context) {
  extern __shared__ float4 scratch[];
  for (std::size_t i = 0; i < count; ++i) {
    run_body(tasks[i], context, reinterpret_cast<std::byte*>(scratch));
    __syncthreads();
  }
}

/// How many cycles each length takes the second time.
__global__ void time_spins(const std::uint64_t* lengths, std::size_t count, std::uint64_t scaled_cycles_per_ns, long long* cycles) {
  for (std::size_t i = 0; i < 2 * count; ++i) {
    const std::uint64_t ns = lengths[i % count];
    if (ns == 0) continue;  // so that it has come
    const long long begin = clock64();
    spin_alone(ns, scaled_cycles_per_ns);
    cycles[i % count] = clock64() - begin;
  }
}

class Bodies : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto why = why_no_gpu()) GTEST_SKIP() << *why;
    check(cudaFuncSetAttribute(walk, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(kBodySharedBytes)),
          "sizing shared memory");
  }

  /// Runs the graph in topological order in one block, without `left_out`.
  static std::optional<Residual> run(const TaskGraph& graph, ProblemData& data, std::optional<TaskId> left_out = {}) {
    const std::vector<TaskDescriptor> all = make_descriptors(graph);
    std::vector<TaskDescriptor> ordered;
    for (const TaskId id : graph.topological_order()) {
      if (id != left_out) ordered.push_back(all[index(id)]);
    }
    const DeviceBuffer<TaskDescriptor> tasks(std::span<const TaskDescriptor>(ordered), "the tasks");
    data.reset(nullptr);
    walk<<<1, kBodyThreads, kBodySharedBytes>>>(tasks.data(), tasks.size(), data.context());
    check(cudaGetLastError(), "launching the bodies");
    check(cudaDeviceSynchronize(), "running the bodies");
    return data.check();
  }

  static void expect_right(const TaskGraph& graph) {
    const auto data = make_problem_data(graph, {});
    for (int repeat = 0; repeat < 2; ++repeat) {
      const auto residual = run(graph, *data);
      ASSERT_TRUE(residual.has_value());
      EXPECT_LE(residual->error, residual->limit) << "repeat " << repeat;
    }
  }

  static void expect_runs(const TaskGraph& graph) {
    const auto data = make_problem_data(graph, {});
    EXPECT_FALSE(run(graph, *data).has_value());
  }
};

TEST_F(Bodies, FactoriseMatricesOfEveryTileSize) {
  for (int tile_size = 16; tile_size <= 128; tile_size += 16) {
    SCOPED_TRACE(tile_size);
    expect_right(scenarios::make_cholesky({4, tile_size}));
  }
}

TEST_F(Bodies, DecodeModelsOfEveryShape) {
  for (const DecodeProblem& model : kDecodeCases) {
    SCOPED_TRACE("hidden " + std::to_string(model.hidden) + ", kv_length " + std::to_string(model.kv_length));
    expect_right(uneven_decode(model));
  }
}

TEST_F(Bodies, AnyCholeskyTaskLeftOutShows) {
  const TaskGraph graph = scenarios::make_cholesky({4, 32});
  const auto data = make_problem_data(graph, {});
  for (const TaskId id : graph.topological_order()) {
    const auto residual = run(graph, *data, id);
    EXPECT_GT(residual->error, residual->limit) << graph.name(id);
  }
}

TEST_F(Bodies, AnyDecodeTaskLeftOutShows) {
  const TaskGraph graph = uneven_decode(kDecodeCases[0]);
  const auto data = make_problem_data(graph, {});
  for (const TaskId id : graph.topological_order()) {
    if (graph[id].kernel == Kernel::kEmpty) continue;
    const auto residual = run(graph, *data, id);
    EXPECT_GT(residual->error, residual->limit) << graph.name(id);
  }
}

TEST_F(Bodies, GenerateTheWeightsThatTheHostKnows) {
  constexpr std::size_t kCount = 100'001;
  const DeviceBuffer<Bf16> weights(kCount, "weights");
  fill_hashed(weights.data(), kCount, HashedTensor::kDown, 0.3f, nullptr);
  const std::vector<Bf16> generated = weights.to_host("weights");
  for (std::size_t i = 0; i < kCount; ++i) ASSERT_EQ(generated[i], hashed_bf16(HashedTensor::kDown, i, 0.3f)) << i;
}

TEST_F(Bodies, StreamAnySizeAcrossTheEndOfTheBuffer) {
  TaskGraphBuilder builder;
  for (const std::int64_t bytes : {std::int64_t{0}, std::int64_t{1}, std::int64_t{4096}, std::int64_t{100'000},
                                   std::int64_t{kStreamBufferBytes} - 200'000, std::int64_t{1} << 20}) {
    builder.add_task(std::to_string(bytes), {.cost = {.bytes = {bytes}}, .kernel = Kernel::kStream});
  }
  expect_runs(std::move(builder).build());
}

TEST_F(Bodies, SpinAndMultiplyFromNothingUp) {
  TaskGraphBuilder builder;
  for (const std::int64_t size : {0, 1, 100, 10'000, 1'000'000}) {
    builder.add_task("spin" + std::to_string(size), {.cost = {.time = Duration{size}}, .kernel = Kernel::kSpin});
    builder.add_task("fma" + std::to_string(size), {.cost = {.flops = {size}}, .kernel = Kernel::kFma});
  }
  builder.add_task("empty", {.kernel = Kernel::kEmpty});
  expect_runs(std::move(builder).build());
}

TEST_F(Bodies, SpinAsExactlyForEveryLength) {
  std::vector<std::uint64_t> lengths;
  for (std::uint64_t ns = 300; ns < 360; ++ns) lengths.push_back(ns);
  for (std::uint64_t ns = 2'970; ns < 3'030; ++ns) lengths.push_back(ns);
  const DeviceBuffer<std::uint64_t> wanted(std::span<const std::uint64_t>(lengths), "lengths");
  const DeviceBuffer<long long> cycles(lengths.size(), "cycles");
  const double cycles_per_ns = measure_cycles_per_ns();
  time_spins<<<1, 1>>>(wanted.data(), lengths.size(), static_cast<std::uint64_t>(cycles_per_ns * (1 << kCycleScaleBits)), cycles.data());
  check(cudaGetLastError(), "launching the spins");
  std::vector<double> beyond;
  for (const long long taken : cycles.to_host("cycles")) {
    beyond.push_back(static_cast<double>(taken) / cycles_per_ns - static_cast<double>(lengths[beyond.size()]));
  }
  const auto [least, most] = std::ranges::minmax(beyond);
  EXPECT_LE(most - least, 8) << "ns";  // a look at the clock takes 17
  EXPECT_GE(least, -10) << "ns";
  EXPECT_LE(most, 10) << "ns";
}

}  // namespace
}  // namespace tasktwin::gpu
