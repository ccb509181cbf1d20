// What a kernel adds to the phases around its bodies on resident cores, and bodies given from outside.
#include <algorithm>

#include <gtest/gtest.h>

#include "models/runtimes/runtimes.hpp"
#include "sim/simulator.hpp"
#include "tests/sim/small_worlds.hpp"

namespace tasktwin::sim {
namespace {

Machine machine_of(int cores, const KernelCost& spin) {
  Machine machine = plain_machine(cores);
  machine.kernels[static_cast<std::size_t>(Kernel::kSpin)] = spin;
  return machine;
}

Design round_robin() {
  Design design = with_depth("static-queues", 1);
  design.placement = Placement::kRoundRobin;
  return design;
}

Timeline run(const TaskGraph& graph, const Machine& machine, const Design& design) { return simulate(graph, machine, design).timeline; }

TEST(KernelPhases, ReleaseAddsToWhatHasSuccessorsAlone) {
  Machine machine = machine_of(1, {.publish = Nanoseconds{900}, .release = Nanoseconds{30}});
  machine.resident_cores->release = Nanoseconds{5};
  const Timeline timeline = run(small_graph({{"a", 100}, {"b", 100}}, {{0, 1}}), machine, round_robin());
  EXPECT_EQ(timeline.tasks[0].published - timeline.tasks[0].ended, Duration{35});
  EXPECT_EQ(timeline.tasks[1].published, timeline.tasks[1].ended);
}

TEST(KernelPhases, PublishAddsToWhatIsPublishedToADispatcher) {
  Machine machine = machine_of(1, {.publish = Nanoseconds{30}, .release = Nanoseconds{900}});
  machine.device_mailboxes->publish = Nanoseconds{5};
  const Timeline timeline = run(small_graph({{"a", 100}}), machine, with_depth("central-dispatcher", 1));
  EXPECT_EQ(timeline.tasks[0].published - timeline.tasks[0].ended, Duration{35});
}

/// Two cores; the second begins its body `later`.
std::int64_t second_lasts(std::int64_t later, bool bytes = false) {
  Machine machine = machine_of(2, {.cold = Nanoseconds{50}});
  machine.memory->bandwidth = machine.memory->core_bandwidth = 1;
  machine.kernels[static_cast<std::size_t>(Kernel::kFma)] = {.arithmetic = {{1, 1}}};
  TaskGraphBuilder builder;
  Task fma{.kernel = Kernel::kFma};
  fma.cost.flops = {later};
  builder.add_task("first", {.cost = {.time = Duration{100}}});
  builder.add_task("gate", fma);
  builder.add_task("idle", {.cost = {}, .kernel = Kernel::kEmpty});
  builder.add_task("second", {.cost = {.time = Duration{bytes ? 0 : 100}, .bytes = {bytes ? 100 : 0}}});
  builder.add_edge(task_id(1), task_id(3));
  const Timeline timeline = run(std::move(builder).build(), machine, round_robin());
  EXPECT_EQ(to_ns(timeline.tasks[3].started.time_since_epoch()), later);
  return to_ns(timeline.tasks[3].ended - timeline.tasks[3].started);
}

TEST(KernelPhases, ABodyStandsStillUntilTheKernelsCodeIsThere) {
  EXPECT_EQ(second_lasts(0), 150);
  EXPECT_EQ(second_lasts(20), 130);
  EXPECT_EQ(second_lasts(49), 101);
  EXPECT_EQ(second_lasts(50), 100);
  EXPECT_EQ(second_lasts(80), 100);
  EXPECT_EQ(second_lasts(20, true), 130) << "its bytes wait as well";
}

/// Started to ended of the first of two bodies of attention, one behind the other, that bring so many bytes to a cache of 100.
std::int64_t first_of_attention_lasts(std::int64_t bytes) {
  Machine machine = plain_machine(1);
  machine.memory_limits.cache = 100;
  machine.kernels[static_cast<std::size_t>(Kernel::kAttention)] = {.overhead = Nanoseconds{10},
                                                                   .cold = Nanoseconds{5},
                                                                   .uncached_cold = Nanoseconds{40},
                                                                   .uncached = Nanoseconds{3},
                                                                   .arithmetic = {{.flops = 10, .ns = 100, .uncached_ns = 20}}};
  TaskGraphBuilder builder;
  for (const std::int32_t layer : {0, 1})
    builder.add_task("of layer " + std::to_string(layer),
                     {.cost = {.flops = {5}, .bytes = {bytes / 2}}, .args = {layer, 0, 0, 1}, .kernel = Kernel::kAttention});
  builder.add_edge(task_id(0), task_id(1));
  const Timeline timeline = run(std::move(builder).build(), machine, round_robin());
  const auto lasts = [&timeline](std::size_t task) { return to_ns(timeline.tasks[task].ended - timeline.tasks[task].started); };
  EXPECT_EQ(lasts(1), bytes > 100 ? 10 + 50 + 3 + 10 : 10 + 50)
      << "the second finds the code, and its own data where the first found its own";
  return lasts(0);
}

TEST(KernelPhases, CodeAndDataComeFromMemoryWhereTheRunFindsTheCacheEmpty) {
  EXPECT_EQ(first_of_attention_lasts(100), 5 + 10 + 50);
  EXPECT_EQ(first_of_attention_lasts(102), 40 + 10 + 50 + 3 + 10);
}

TEST(KernelPhases, ABodyTakesLessRightBehindAnotherOfItsKernel) {
  Machine machine = machine_of(1, {.overhead = Nanoseconds{30}, .again = Nanoseconds{12}});
  machine.kernels[static_cast<std::size_t>(Kernel::kEmpty)] = {.overhead = Nanoseconds{1}};
  TaskGraphBuilder builder;
  const Task spin{.cost = {.time = Duration{100}}};
  for (const Task& task : {spin, spin, Task{.kernel = Kernel::kEmpty}, spin, spin}) builder.add_task("of one core", task);
  const TaskGraph graph = std::move(builder).build();
  const auto lasting = [&] {
    std::vector<std::int64_t> bodies;
    for (const TaskTimes& task : run(graph, machine, round_robin()).tasks) bodies.push_back(to_ns(task.ended - task.started));
    return bodies;
  };
  EXPECT_EQ(lasting(), (std::vector<std::int64_t>{130, 118, 1, 130, 118}));
  machine.kernels[static_cast<std::size_t>(Kernel::kSpin)].again = Nanoseconds{50};
  EXPECT_EQ(lasting(), (std::vector<std::int64_t>{130, 100, 1, 130, 100})) << "of its overhead, no more than that";
}

TEST(KernelPhases, ABodyTakesLongerWhereItsWorkerFetchesAndPublishesBesideIt) {
  const TaskGraph graph = small_graph({{"a", 100}});
  const Machine machine = machine_of(1, {.overhead = Nanoseconds{30}, .pipelined = 1.5});
  const auto lasts = [&](const Design& design, std::span<const Duration> given = {}) {
    const TaskTimes task = simulate(graph, machine, design, {.bodies = given}).timeline.tasks[0];
    return to_ns(task.ended - task.started);
  };
  EXPECT_EQ(lasts(round_robin()), 130);
  for (const char* const design : {"shared-queue", "work-stealing", "central-dispatcher"}) {
    EXPECT_EQ(lasts(named_design(design)), 195) << design;
    EXPECT_EQ(lasts(named_design(design), std::vector{Duration{70}}), 70) << design << ": as seen";
  }
}

TEST(KernelPhases, BodiesAsGivenHaveTheWaitForTheirCodeInThem) {
  const std::vector<Duration> given{Duration{70}};
  const Timeline timeline =
      simulate(small_graph({{"a", 100}}), machine_of(1, {.cold = Nanoseconds{50}}), round_robin(), {.bodies = given}).timeline;
  EXPECT_EQ(timeline.tasks[0].ended - timeline.tasks[0].started, Duration{70});
}

TEST(KernelPhases, ARunOfResidentCoresBeginsWithTheirFirstLook) {
  const TaskGraph graph = small_graph({{"a", 100}, {"b", 50}}, {{0, 1}});
  Machine plain = plain_machine(2);
  plain.control_cores.count = 4;  // threads of a host
  for (const char* name :
       {"static-queues", "layer-barrier", "shared-queue", "work-stealing", "hybrid", "central-dispatcher", "host-dispatcher"}) {
    Machine machine = plain;
    machine.first_looks->look = Nanoseconds{30};
    Timeline at_once = run(graph, plain, named_design(name));
    const Timeline later = run(graph, machine, named_design(name));
    EXPECT_EQ(later.makespan() - Duration{30}, at_once.makespan()) << name;
    at_once.delay(Duration{30});
    EXPECT_EQ(later, at_once) << name;
    EXPECT_EQ(run(graph, machine, named_design("cuda-streams")), run(graph, plain, named_design("cuda-streams"))) << name;
  }
}

TEST(KernelPhases, AFirstLookTakesLongerInARunThatFindsTheCacheEmpty) {
  TaskGraphBuilder builder;
  builder.add_task("reader", {.cost = {.bytes = {100}}, .kernel = Kernel::kStream});
  const TaskGraph graph = std::move(builder).build();
  Machine machine = plain_machine(2);
  machine.memory_limits.cache = 1000;
  machine.memory->bandwidth = machine.memory->core_bandwidth = 1;
  for (const char* name : {"static-queues", "layer-barrier", "shared-queue", "work-stealing", "central-dispatcher"}) {
    machine.first_looks->uncached = Nanoseconds{0};
    const TimePoint cached = run(graph, machine, named_design(name)).tasks[0].started;
    machine.first_looks->uncached = Nanoseconds{7};
    EXPECT_EQ(run(graph, machine, named_design(name)).tasks[0].started, cached + Duration{7}) << name;
  }
}

TEST(KernelPhases, TrafficMultipliesTheBytes) {
  Machine machine = machine_of(1, {.traffic = 1.5});
  machine.memory->bandwidth = machine.memory->core_bandwidth = 2;
  const Timeline timeline = run(small_graph({{"a", 10, 400}}), machine, round_robin());
  EXPECT_EQ(timeline.tasks[0].ended - timeline.tasks[0].started, Duration{300});
}

TEST(GivenBodies, TakeThePlaceOfTheMachines) {
  Machine machine = machine_of(1, {.overhead = Nanoseconds{7}});
  machine.memory->bandwidth = machine.memory->core_bandwidth = 1;
  const TaskGraph graph = small_graph({{"a", 10, 400}, {"b", 20}, {"c", 30}});
  const std::vector<Duration> bodies{Duration{5}, Duration{-1}, Duration{0}};
  for (const char* design : {"static-queues", "central-dispatcher", "shared-queue", "cuda-streams"}) {
    const Timeline timeline = simulate(graph, machine, named_design(design), {.bodies = bodies}).timeline;
    const auto lasted = [&](std::size_t task) { return to_ns(timeline.tasks[task].ended - timeline.tasks[task].started); };
    EXPECT_EQ(lasted(0), 5) << design;
    EXPECT_EQ(lasted(1), 27) << design << ": as the machine says";
    EXPECT_EQ(lasted(2), 0) << design;
  }
}

}  // namespace
}  // namespace tasktwin::sim
