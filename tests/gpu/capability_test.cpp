// What GPUs of other kinds cannot do, which is known without any.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gpu/device/capability.hpp"
#include "gpu/device/device_machine.hpp"
#include "models/runtimes/runtimes.hpp"

namespace tasktwin::gpu {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Optional;

constexpr Capability kA100{8, 0, 163 * 1024};
constexpr Capability kL4{8, 9, 99 * 1024};
constexpr Capability kH100{9, 0, 227 * 1024};

TaskGraph graph_of(Kernel kernel, const Problem& problem, TaskTraits traits = {}) {
  TaskGraphBuilder builder;
  builder.set_problem(problem);
  Task task;
  task.kernel = kernel;
  task.traits = builder.add_traits(traits);
  builder.add_task("it", task);
  return std::move(builder).build();
}

TEST(Capability, ExecutorsNeedEight) {
  EXPECT_EQ(why_too_old({7, 5, 64 * 1024}), "has compute capability 7.5; the executors need 8.0 or higher");
  for (const Capability& gpu : {kA100, kL4, kH100, Capability{12, 0, 99 * 1024}}) EXPECT_EQ(why_too_old(gpu), std::nullopt);
}

TEST(Capability, ATileThatABlockHasNoRoomForIsRefusedByName) {
  const TaskGraph large = graph_of(Kernel::kGemm, CholeskyProblem{4, 128});
  EXPECT_EQ(body_shared_bytes(large, TaskId{0}), 131'584);
  EXPECT_EQ(why_not_capable(kH100, large, named_design("static-queues")), std::nullopt);
  EXPECT_EQ(why_not_capable(kA100, large, named_design("static-queues")), std::nullopt);
  EXPECT_THAT(why_not_capable(kL4, large, named_design("static-queues")),
              Optional(HasSubstr("task 'it' of kernel 'gemm' needs 134656 bytes of shared memory, and a block can have 101376")));
  EXPECT_EQ(why_not_capable(kL4, graph_of(Kernel::kGemm, CholeskyProblem{4, 96}), named_design("static-queues")), std::nullopt);
}

TEST(Capability, AVectorThatABlockHasNoRoomForIsRefusedByName) {
  DecodeProblem decode{
      .layers = 1, .hidden = 2048, .heads = 32, .kv_heads = 8, .mlp = 28672, .vocabulary = 1000, .kv_length = 16, .slices = 1};
  EXPECT_THAT(why_not_capable(kL4, graph_of(Kernel::kDown, decode), named_design("cuda-graph")), Optional(HasSubstr("kernel 'down'")));
  EXPECT_EQ(why_not_capable(kL4, graph_of(Kernel::kQkv, decode), named_design("cuda-graph")), std::nullopt);
}

TEST(Capability, WhatCameWithNineIsRefusedBeforeIt) {
  Design programmatic = named_design("cuda-streams");
  programmatic.programmatic_launch = ProgrammaticLaunch::kOn;
  const TaskGraph plain = graph_of(Kernel::kSpin, {});
  EXPECT_THAT(why_not_capable(kA100, plain, programmatic), Optional(HasSubstr("programmatic_launch 'on' needs compute capability 9.0")));
  EXPECT_EQ(why_not_capable(kH100, plain, programmatic), std::nullopt);
  const TaskGraph clusters = graph_of(Kernel::kSpin, {}, {.blocks = 4, .threads = 64, .cluster = 4});
  EXPECT_THAT(why_not_capable(kL4, clusters, named_design("cuda-streams")), Optional(HasSubstr("task 'it' has clusters of blocks")));
}

TEST(Capability, WorkersBesideEachOtherNeedRoomOnAMultiprocessor) {
  const TaskGraph plain = graph_of(Kernel::kSpin, {});
  Design design = named_design("shared-queue");
  Capability small = kL4;
  small.multiprocessor = {.blocks = 24, .threads = 1024, .registers = 65536, .shared_memory = 100 * 1024, .reserved = 1024};
  design.workers_per_core = 3;
  EXPECT_EQ(why_not_capable(small, plain, design), std::nullopt);
  design.workers_per_core = 4;
  EXPECT_EQ(why_not_capable(small, plain, design),
            "workers_per_core 4: blocks of 320 threads need 1280 threads, and a multiprocessor has 1024");
  small.multiprocessor.threads = 1536;
  EXPECT_EQ(why_not_capable(small, plain, design), std::nullopt);
  OwnKernels own;
  own.kernels.emplace_back();
  own.kernels.back().name = "walk";
  own.kernels.back().shared_memory = 16 * 1024;
  const TaskGraph walks = graph_of(own_kernel(0), own);
  EXPECT_THAT(why_not_capable(small, walks, design),
              Optional(HasSubstr("blocks that can run task 'it' of kernel 'walk' need 104448 bytes of shared memory, 26112 each, and a "
                                 "multiprocessor has 102400")));
  design.workers_per_core = 3;
  EXPECT_EQ(why_not_capable(small, walks, design), std::nullopt);
}

TEST(DeviceMachine, IsNamedAfterTheGpu) {
  EXPECT_EQ(machine_name("NVIDIA H100 80GB HBM3"), "nvidia-h100-80gb-hbm3");
  EXPECT_EQ(machine_name("NVIDIA H200"), "nvidia-h200");
  EXPECT_EQ(machine_name(" ()"), "gpu");
}

TEST(DeviceMachine, KnowsHowMultiprocessorsAreDivided) {
  EXPECT_EQ(carveouts_of(kL4).back(), 100);
  EXPECT_EQ(carveouts_of(kA100).back(), 164);
  EXPECT_THAT(carveouts_of(kH100), ElementsAre(0, 8, 16, 32, 64, 100, 132, 164, 196, 228));
  EXPECT_EQ(carveouts_of({12, 0, 0}).back(), 100);
}

}  // namespace
}  // namespace tasktwin::gpu
