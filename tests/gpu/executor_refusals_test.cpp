// What executors do not run is refused by name, which needs neither a GPU nor CUDA.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "gpu/device/conditional_support.hpp"
#include "gpu/device/hardware_queues.hpp"
#include "models/runtimes/runtimes.hpp"
#include "tests/gpu/executor_cases.hpp"

namespace tasktwin::gpu {
namespace {

using testing::HasSubstr;
using testing::Optional;

class ExecutorRefusals : public testing::TestWithParam<std::string> {
 protected:
  Design design() const { return design_for(GetParam()); }
  std::optional<std::string> refusal(const TaskGraph& graph, const Design& design) const {
    return why_unsupported(graph, scenarios::load_machine("nvidia-h200"), design);
  }

  /// What is said of a graph whose only task has been changed.
  std::optional<std::string> of_task(const std::function<void(Task&, TaskTraits&)>& change) const {
    TaskGraphBuilder builder;
    Task task;
    TaskTraits traits;
    change(task, traits);
    task.traits = builder.add_traits(traits);
    builder.add_task("odd", task);
    return refusal(std::move(builder).build(), design());
  }
};

TEST_P(ExecutorRefusals, AreNotOfThePlainCase) { EXPECT_EQ(refusal(chain(3), design()), std::nullopt); }

TEST_P(ExecutorRefusals, NameTheTaskThatNoExecutorRuns) {
  EXPECT_THAT(of_task([](Task& task, TaskTraits&) { task.cost.sigma_ns = 5; }), Optional(HasSubstr("task 'odd' has a sigma")));
  EXPECT_THAT(of_task([](Task& task, TaskTraits&) { task.core_type = CoreType::kAic; }),
              Optional(HasSubstr("task 'odd' needs a core of type 'aic'")));
  EXPECT_THAT(of_task([](Task& task, TaskTraits&) { task.core_type = CoreType::kMix; }), Optional(HasSubstr("'mix'")));
  EXPECT_THAT(of_task([](Task& task, TaskTraits& traits) {
                task.kernel = Kernel::kAttentionMerge;
                traits.probability = 0.5;
              }),
              Optional(HasSubstr("task 'odd' has a predicate, but what kernel 'attention_merge' computes is needed")));
  EXPECT_THAT(of_task([](Task&, TaskTraits& traits) { traits.samples = {Duration{5}}; }),
              Optional(HasSubstr("task 'odd' has its times drawn from samples")));
  EXPECT_THAT(of_task([](Task&, TaskTraits& traits) { traits.other_type = CoreType::kAic; }),
              Optional(HasSubstr("task 'odd' may run on two core types")));
  EXPECT_THAT(of_task([](Task& task, TaskTraits& traits) {
                task.kernel = Kernel::kAttentionMerge;
                traits.blocks = 4;
              }),
              Optional(HasSubstr("task 'odd' has 4 blocks")));
}

bool launches_kernels(const Design& design) { return !has_workers(design.driver); }

TEST_P(ExecutorRefusals, NameABlockThatNoKernelHasWhereTasksAreLaunched) {
  if (!launches_kernels(design())) return;
  EXPECT_THAT(of_task([](Task&, TaskTraits& traits) { traits.threads = 1025; }),
              Optional(HasSubstr("task 'odd' states 1025 threads, but a block has at most 1024")));
  EXPECT_THAT(of_task([](Task& task, TaskTraits& traits) {
                task.kernel = Kernel::kGemm;
                traits.threads = 128;
                traits.shared_memory = 4096;
              }),
              Optional(HasSubstr("task 'odd' states 128 threads and 4096 bytes of shared memory a block, but kernel 'gemm' computes with "
                                 "256 threads and 131584 bytes of shared memory a block")));
}

TEST_P(ExecutorRefusals, AreOfTasksThatDifferWhereOneKernelRunsThemAll) {
  TaskGraphBuilder builder;
  Task small;
  small.traits = builder.add_traits({.threads = 64});
  builder.add_task("whole", {});
  builder.add_task("small", small);
  const auto why = refusal(std::move(builder).build(), design());
  if (design().driver != Driver::kDeviceGraphLaunch) {
    EXPECT_EQ(why, std::nullopt);
    return;
  }
  EXPECT_THAT(why, Optional(HasSubstr("task 'small' has 64 threads and 0 bytes of shared memory a block, and task 'whole' 256 threads and "
                                      "131584 bytes")));
}

TEST_P(ExecutorRefusals, AreOfKernelsThatABlockOfAnotherTaskCannotRun) {
  if (design().driver != Driver::kDynamicParallelism) return;
  TaskGraphBuilder builder;
  Task small;
  small.traits = builder.add_traits({.threads = 64});
  builder.add_task("small", small);
  builder.add_task("merge", {.kernel = Kernel::kAttentionMerge});
  EXPECT_THAT(refusal(std::move(builder).build(), design()), Optional(HasSubstr("task 'merge' runs kernel 'attention_merge'")));
}

TEST_P(ExecutorRefusals, AreNotOfWhatABlockStatesOtherwise) {
  EXPECT_EQ(of_task([](Task&, TaskTraits& traits) {
              traits.threads = 96;
              traits.shared_memory = 200'000;
              traits.registers = 32;  // held against what was compiled, on a GPU
            }),
            std::nullopt);
}

TEST_P(ExecutorRefusals, AreOfCarveoutsAndClustersWhereTheDeviceLaunches) {
  const auto carveout = of_task([](Task&, TaskTraits& traits) {
    traits.threads = 96;
    traits.carveout = 50;
  });
  if (design().driver == Driver::kDynamicParallelism) {
    EXPECT_THAT(carveout, Optional(HasSubstr("task 'odd' states a carveout")));
  } else {
    EXPECT_EQ(carveout, std::nullopt);
  }
  if (launches_on_device(design().driver)) {
    EXPECT_THAT(of_task([](Task&, TaskTraits& traits) { traits.cluster = 2; }), Optional(HasSubstr("task 'odd' has clusters of 2 blocks")));
    EXPECT_THAT(of_task([](Task&, TaskTraits& traits) { traits.cooperative = true; }),
                Optional(HasSubstr("task 'odd' is launched cooperatively")));
  }
}

TEST_P(ExecutorRefusals, AreNotOfBlocksAsKernelsThatComputeHaveThem) {
  EXPECT_EQ(of_task([](Task&, TaskTraits& traits) {
              traits.threads = 256;
              traits.shared_memory = 131584;
            }),
            std::nullopt);
}

TEST_P(ExecutorRefusals, NameAnEdgeWithBytesThatNoBodyReads) {
  TaskGraphBuilder builder;
  builder.add_task("writer", {});
  builder.add_task("reader", {});
  builder.add_edge(TaskId{0}, TaskId{1}, {4096});
  EXPECT_THAT(refusal(std::move(builder).build(), design()),
              Optional(HasSubstr("task 'reader' gets bytes with its edge from task 'writer'")));
}

TEST(MessageRefusals, NameAnEdgeWhoseBytesNoMessageCarries) {
  Design design = named_design("static-queues");
  design.notification = Notification::kMessage;
  const auto with_bytes = [&](std::int64_t bytes) {
    TaskGraphBuilder builder;
    builder.add_task("writer", {});
    builder.add_task("reader", {});
    builder.add_edge(TaskId{0}, TaskId{1}, {bytes});
    return why_unsupported(std::move(builder).build(), scenarios::load_machine("nvidia-h200"), design);
  };
  EXPECT_EQ(with_bytes(384), std::nullopt);
  EXPECT_THAT(with_bytes(385),
              Optional(HasSubstr("task 'reader' gets 385 bytes with its edge from task 'writer', whose result no message")));
}

TEST(EarlyDispatchRefusals, NameTheAxisOrTheTask) {
  Design design = named_design("central-dispatcher");
  design.early_dispatch = EarlyDispatch::kOn;
  design.dispatchers = 1;
  const auto refused = [&](const TaskGraph& graph) { return why_unsupported(graph, scenarios::load_machine("nvidia-h200"), design); };
  EXPECT_THAT(refused(chain(3)), Optional(HasSubstr("early_dispatch 'on' on a GPU is run with mailbox_depth 1, not 5")));
  design.mailbox_depth = 1;
  EXPECT_EQ(refused(chain(3)), std::nullopt);
  design.dispatchers = 2;
  EXPECT_THAT(refused(chain(3)), Optional(HasSubstr("dispatchers 1, not 2")));
  design.dispatchers = 1;
  design.order = TaskOrder::kLifo;
  EXPECT_THAT(refused(chain(3)), Optional(HasSubstr("order 'fifo', not 'lifo'")));
  design.order = TaskOrder::kFifo;
  design.early_dispatch = EarlyDispatch::kIdlePass;
  EXPECT_THAT(refused(chain(3)), Optional(HasSubstr("early_dispatch 'idle_pass'")));
}

TEST_P(ExecutorRefusals, AreNotOfAPredicateUnlessItsTaskSpawnsOthers) {
  EXPECT_EQ(of_task([](Task&, TaskTraits& traits) { traits.probability = 0.5; }), std::nullopt);
  TaskGraphBuilder builder;
  Task chance;
  chance.traits = builder.add_traits({.probability = 0.5});
  builder.add_task("parent", chance);
  builder.add_task("child", {});
  builder.set_spawner(TaskId{1}, TaskId{0});
  EXPECT_THAT(refusal(std::move(builder).build(), design()), Optional(HasSubstr("task 'parent' has a predicate and spawns tasks")));
}

INSTANTIATE_TEST_SUITE_P(Designs, ExecutorRefusals, testing::ValuesIn(kExecutors), [](const auto& test) { return plain_name(test.param); });

using LayerBarrierRefusals = ExecutorRefusals;
TEST_P(LayerBarrierRefusals, NameWideAndSpawnedTasksAndTheAxesWithoutEffect) {
  EXPECT_THAT(of_task([](Task&, TaskTraits& traits) { traits.blocks = 4; }), Optional(HasSubstr("task 'odd' has 4 blocks")));
  TaskGraphBuilder builder;
  builder.add_task("parent", {});
  builder.add_task("child", {});
  builder.set_spawner(TaskId{1}, TaskId{0});
  EXPECT_THAT(refusal(std::move(builder).build(), design()), Optional(HasSubstr("task 'child' is spawned")));
  Design changed = design();
  changed.fill = Fill::kWhenNoCoreIdle;
  EXPECT_THAT(refusal(chain(2), changed), Optional(HasSubstr("fill 'when_no_core_idle'")));
  changed = design();
  changed.termination = Termination::kVote;
  EXPECT_THAT(refusal(chain(2), changed), Optional(HasSubstr("termination 'vote'")));
}
INSTANTIATE_TEST_SUITE_P(Designs, LayerBarrierRefusals, testing::Values("layer-barrier"),
                         [](const auto& test) { return plain_name(test.param); });

using GraphRefusals = ExecutorRefusals;
TEST_P(GraphRefusals, NameSpawnedTasksButNoWideOnes) {
  TaskGraphBuilder builder;
  builder.add_task("parent", {});
  builder.add_task("child", {});
  builder.set_spawner(TaskId{1}, TaskId{0});
  EXPECT_THAT(refusal(std::move(builder).build(), design()), Optional(HasSubstr("task 'child' is spawned")));
  EXPECT_EQ(of_task([](Task&, TaskTraits& traits) { traits.blocks = 4; }), std::nullopt);
}
INSTANTIATE_TEST_SUITE_P(Designs, GraphRefusals, testing::Values("cuda-graph"), [](const auto& test) { return plain_name(test.param); });

TEST(ConditionalNodeRefusals, NameWhatTheDriverWouldHaveToSupport) {
  EXPECT_EQ(why_no_conditional_nodes(GraphPredicates::kKernel, 11'080), std::nullopt);
  EXPECT_EQ(why_no_conditional_nodes(GraphPredicates::kIf, 12'040), std::nullopt);
  EXPECT_EQ(why_no_conditional_nodes(GraphPredicates::kWhile, 12'030),
            "graph_predicates 'while' needs a driver that supports CUDA 12.4; this one supports 12.3");
  EXPECT_EQ(why_no_conditional_nodes(GraphPredicates::kSwitch, 12'060),
            "graph_predicates 'switch' needs a driver that supports CUDA 12.8; this one supports 12.6");
}

TEST(WorkerQueueRefusals, NameTheAxisAndWhatIsPossible) {
  const Machine machine = scenarios::load_machine("nvidia-h200");
  const auto refusal = [&](const char* name, const std::function<void(Design&)>& change) {
    Design design = named_design(name);
    change(design);
    return why_unsupported(chain(2), machine, design);
  };
  const auto by_priority = [](Design& design) { design.order = TaskOrder::kPriority; };
  EXPECT_THAT(refusal("shared-queue", by_priority), Optional(HasSubstr("order 'priority'")));
  EXPECT_THAT(refusal("work-stealing", by_priority), Optional(HasSubstr("use 'fifo' or 'lifo'")));
  EXPECT_THAT(refusal("hybrid", by_priority), Optional(HasSubstr("order 'priority'")));
  EXPECT_THAT(refusal("shared-queue", [](Design& design) { design.fill = Fill::kWhenNoCoreIdle; }),
              Optional(HasSubstr("fill 'when_no_core_idle'")));
  EXPECT_THAT(refusal("work-stealing", [](Design& design) { design.graph_build = GraphBuild::kDevice; }),
              Optional(HasSubstr("graph_build 'device'")));
  EXPECT_THAT(refusal("static-queues", [](Design& design) { design.notification = Notification::kSemaphore; }),
              Optional(HasSubstr("notification 'semaphore'")));
  EXPECT_THAT(refusal("static-queues", [](Design& design) { design.mailbox_depth = 2; }), Optional(HasSubstr("mailbox_depth 2")));
  EXPECT_THAT(refusal("static-queues", [](Design& design) { design.termination = Termination::kVote; }),
              Optional(HasSubstr("termination 'vote': a worker stops at the end of its list; use 'counter'")));
  EXPECT_THAT(refusal("work-stealing", [](Design& design) { design.mailbox_depth = 3; }),
              Optional(HasSubstr(
                  "mailbox_depth 3: a worker that fetches for itself has a power of two of slots, and four at most; use 1, 2 or 4")));
  EXPECT_THAT(refusal("central-dispatcher", [](Design& design) { design.termination = Termination::kSentinels; }),
              Optional(HasSubstr("termination 'sentinels'")));
  EXPECT_THAT(refusal("host-dispatcher", [](Design& design) { design.shards = 2; }),
              Optional(HasSubstr("shards 2: this executor does not read it; use 0")));
  EXPECT_THAT(refusal("hybrid", [](Design& design) { design.notification = Notification::kFlag; }),
              Optional(HasSubstr("notification 'flag'")));
}

TEST(WorkerQueueRefusals, AreOfWideTasksUnlessTheirBlocksMayStartApartAndOfThoseInLists) {
  TaskGraphBuilder builder;
  Task wide;
  wide.traits = builder.add_traits({.blocks = 4});
  builder.add_task("wide", wide);
  const TaskGraph graph = std::move(builder).build();
  const Machine machine = scenarios::load_machine("nvidia-h200");
  Design design = named_design("shared-queue");
  EXPECT_THAT(why_unsupported(graph, machine, design), Optional(HasSubstr("gang 'together'")));
  design.gang = Gang::kApart;
  EXPECT_EQ(why_unsupported(graph, machine, design), std::nullopt);
  EXPECT_THAT(why_unsupported(graph, machine, named_design("hybrid")), Optional(HasSubstr("task 'wide' has 4 blocks")));
}

TEST(WorkersBesideRefusals, NameTheAxisTheTaskOrTheRoom) {
  const Machine machine = scenarios::load_machine("nvidia-h200");
  const auto refusal = [&machine](const char* name, const TaskGraph& graph, int workers) {
    Design design = named_design(name);
    design.workers_per_core = workers;
    return why_unsupported(graph, machine, design);
  };
  TaskGraphBuilder tile;
  tile.add_task("tile", {.kernel = Kernel::kGemm});
  const TaskGraph computes = std::move(tile).build();
  TaskGraphBuilder blocks;
  Task of_two;
  of_two.traits = blocks.add_traits({.blocks = 2});
  blocks.add_task("wide", of_two);
  const TaskGraph wide = std::move(blocks).build();
  for (const char* name : {"static-queues", "shared-queue", "work-stealing", "hybrid", "layer-barrier"}) {
    for (const int workers : {1, 2, 3, 4}) EXPECT_EQ(refusal(name, chain(3), workers), std::nullopt) << name << " " << workers;
    EXPECT_THAT(refusal(name, chain(3), 5), Optional(HasSubstr("workers_per_core 5: workers' kernels are compiled for four blocks a "
                                                               "multiprocessor at most; use 1, 2, 3 or 4")))
        << name;
    EXPECT_EQ(refusal(name, computes, 1), std::nullopt) << name;
    EXPECT_THAT(refusal(name, computes, 2), Optional(HasSubstr("workers_per_core 2: task 'tile' runs kernel 'gemm'"))) << name;
    EXPECT_NE(refusal(name, wide, 2), std::nullopt) << name;
  }
  for (const char* name : {"central-dispatcher", "host-dispatcher", "cuda-streams"})
    EXPECT_THAT(refusal(name, chain(3), 2), Optional(HasSubstr("workers_per_core 2: this executor does not read it; use 1"))) << name;
  Machine small = machine;
  small.core_limits.threads = 1024;
  Design design = named_design("shared-queue");
  design.workers_per_core = 4;
  EXPECT_THAT(why_unsupported(chain(3), small, design), Optional(HasSubstr("blocks of 320 threads need 1280 threads, and a core of machine "
                                                                           "'nvidia-h200' has 1024")));
}

TEST(StreamRefusals, NameHardwareQueuesThatTheProcessCannotHave) {
  const Machine machine = scenarios::load_machine("nvidia-h200");
  Design design = named_design("cuda-streams");
  design.hardware_queues = 33;
  EXPECT_THAT(why_unsupported(chain(2), machine, design), Optional(HasSubstr("hardware_queues is 33")));
  ask_for_hardware_queues(4);
  design.hardware_queues = 4;
  EXPECT_EQ(why_unsupported(chain(2), machine, design), why_no_hardware_queues(4));  // refused if another test has asked before
  const int other = why_no_hardware_queues(4) ? 4 : 8;
  design.hardware_queues = other;
  EXPECT_THAT(why_unsupported(chain(2), machine, design),
              Optional(HasSubstr("hardware_queues is " + std::to_string(other) + ", but this process has asked the GPU for")));
}

}  // namespace
}  // namespace tasktwin::gpu
