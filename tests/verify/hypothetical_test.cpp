// Runs that are imagined without what a group of constants, or a cause on their path, costs.
#include "verify/explain/hypothetical.hpp"

#include <array>
#include <optional>
#include <set>

#include <gtest/gtest.h>

#include "tests/models/host_programs.hpp"
#include "verify/explain/explanation.hpp"

namespace tasktwin::verify {
namespace {

/// Has every mechanism, and each constant at 1.
Machine all_ones() {
  Machine machine;
  for (const MachineSection& section : machine_sections()) section.add(machine);
  for (const ConstantField& field : constant_fields()) field.set(machine, 1);
  for (KernelCost& kernel : machine.kernels) kernel.publish = kernel.release = kernel.cold = Nanoseconds{1};
  return machine;
}

TEST(Hypothetical, WithoutTheHostNoTimeOfHostOrDriverIsLeft) {
  const std::set<std::string> of_no_run{"host_calls.reference_launch_ns", "graph_launch.reference_launch_ns"};
  const Machine machine = without(all_ones(), CostGroup::kHost);
  for (const ConstantField& field : constant_fields()) {
    const bool is_paid = field.payer == Payer::kHost || field.payer == Payer::kDriver;
    if (!is_paid || field.unit != Unit::kNanoseconds || of_no_run.contains(field.key)) continue;
    EXPECT_EQ(field.get(machine), 0) << field.key;
  }
  EXPECT_EQ(machine.graph_launch->latency, Nanoseconds{0});
  EXPECT_EQ(machine.peers->graph_begin, Nanoseconds{0}) << "added to that";
}

TEST(Hypothetical, WithoutAGroupTheOthersStay) {
  for (const auto& [group, word] : Words<CostGroup>::entries) {
    const Machine machine = without(all_ones(), group);
    std::size_t gone = 0;
    for (const ConstantField& field : constant_fields()) {
      if (field.key == "memory.bandwidth_gb_per_s" && group == CostGroup::kBandwidth) continue;  // without end
      EXPECT_EQ(field.get(machine), field.group == group ? 0 : 1) << "without " << word << ": " << field.key;
      gone += field.group == group ? 1 : 0;
    }
    EXPECT_GT(gone, 2u) << word;
    EXPECT_EQ(machine.kernels[0].publish, Nanoseconds{group == CostGroup::kFences ? 0.0 : 1.0}) << word;
    EXPECT_EQ(machine.kernels[0].cold, Nanoseconds{1}) << word;
  }
}

TEST(Hypothetical, WhatAMachineLacksStaysAway) {
  const Machine machine = without(Machine{}, CostGroup::kHost);
  for (const MachineSection& section : machine_sections()) EXPECT_FALSE(section.present(machine)) << section.name;
}

TEST(Hypothetical, WithoutTheWaitForCoresTasksAreOnAnyWhoseCoresAreNamedOrListed) {
  const auto ten_tasks = [](const std::optional<std::array<std::int32_t, 2>>& workers) {
    scenarios::Scenario scenario;
    scenario.name = "ten";
    scenario.machine = scenarios::load_machine("nvidia-h100");
    TaskGraphBuilder builder;
    for (std::size_t i = 0; i < 10; ++i)
      builder.add_task("t" + std::to_string(i), {.cost = {.time = Duration{10'000}}, .traits = builder.add_traits({.workers = workers})});
    scenario.graph = std::move(builder).build();
    return scenario;
  };
  const Design lists = named_design("static-queues");
  const scenarios::Scenario named = ten_tasks(std::array{0, 0});
  const Timeline timeline = Hypothetical{named, lists}.timeline(1);
  ASSERT_GT(timeline.makespan(), Duration{100'000});
  EXPECT_LT(without(named, lists, PathCause::kCoreWait).makespan(1), Duration{20'000});

  scenarios::Scenario listed = ten_tasks(std::nullopt);
  Design replay = lists;
  replay.placement = Placement::kReplay;
  replay.replay = "own.csv";
  listed.replays[replay.name] = timeline;
  ASSERT_EQ(Hypothetical({listed, replay}).makespan(1), timeline.makespan());
  EXPECT_LT(without(listed, replay, PathCause::kCoreWait).makespan(1), Duration{20'000});
}

/// Kernels of 5 us in one stream that a captured program has launched; what the profiler adds to their time is in it.
scenarios::Scenario captured(const HostProgram& program, std::size_t kernels) {
  scenarios::Scenario scenario;
  scenario.name = "captured";
  scenario.machine = scenarios::load_machine("nvidia-h100");
  TaskGraphBuilder builder;
  for (std::size_t i = 0; i < kernels; ++i) {
    builder.add_task("k-" + std::to_string(i), {.cost = {.time = Duration{5'000}}, .kernel = Kernel::kSpin});
    if (i > 0) builder.add_edge(task_id(i - 1), task_id(i));
  }
  scenario.graph = std::move(builder).build();
  scenario.program = program;
  return scenario;
}

constexpr std::size_t kKernels = 20;

/// 100 us before each launch, of which 30 in cudaMalloc and 20 in the range "step"; 40 us in each launch; a synchronisation after all.
scenarios::Scenario busy_host() {
  HostProgramBuilder calls(1);
  for (std::uint32_t i = 0; i < kKernels; ++i)
    calls.call({.kind = HostCallKind::kLaunch,
                .first = task_id(i),
                .tasks = 1,
                .name = 1,
                .within = {{2, Duration{30'000}}},
                .ranges = {{3, Duration{20'000}}}},
               100'000, 40'000);
  calls.call({.kind = HostCallKind::kDeviceSync, .name = 4}, 1'000, 1'000);
  HostProgram program = calls.build();
  program.names = {"", "cudaLaunchKernel", "cudaMalloc", "step", "cudaDeviceSynchronize"};
  return captured(program, kKernels);
}

Design one_stream() {
  Design design = as_captured(1);
  design.name = "events";
  design.stream_wait = StreamWait::kEvents;
  return design;
}

TEST(Hypothetical, CapturedProgramRunsAsItIsPredicted) {
  scenarios::Scenario scenario = busy_host();
  ASSERT_GT(scenario.machine.launched_kernels->body, Nanoseconds{0});
  for (const Design& design : {named_design("cuda-graph"), one_stream(), as_captured(1)}) {
    for (const double pace : {1.0, 2.0}) {
      scenario.host_pace = pace;
      EXPECT_EQ(Hypothetical({scenario, design}).makespan(1), predict_makespan(scenario, design, 1)) << design.name << " at " << pace;
    }
  }
}

TEST(Hypothetical, WithoutTheHostACapturedProgramsHostTakesNothing) {
  const scenarios::Scenario scenario = busy_host();
  for (const Design& design : {one_stream(), as_captured(1)}) {
    const Duration before = predict_makespan(scenario, design, 1);
    EXPECT_GE(before, Duration{kKernels * 130'000}) << design.name;
    EXPECT_LE(predict_makespan(without(scenario, CostGroup::kHost), design, 1), Duration{kKernels * 10'000}) << design.name;
    EXPECT_EQ(predict_makespan(without(scenario, CostGroup::kPolling), design, 1), before) << design.name;
  }
}

/// What the run gains without the cause, as a share of its part of the path.
double gained(const scenarios::Scenario& scenario, const Design& design, PathCause cause) {
  const DesignAccount one = account(scenario, design, 1);
  EXPECT_GT(one.path.of(cause), one.makespan / 10) << to_word(cause);
  const Duration gain = one.makespan - without(scenario, design, cause).makespan(1);
  return static_cast<double>(to_ns(gain)) / static_cast<double>(to_ns(one.path.of(cause)));
}

TEST(Hypothetical, LaunchesOfACapturedProgramCountUnderOtherDesigns) {
  const scenarios::Scenario scenario = busy_host();
  for (const PathCause cause : {PathCause::kHostCall, PathCause::kHostOwn})
    EXPECT_NEAR(gained(scenario, one_stream(), cause), 1, 0.05) << to_word(cause);
}

/// Its threads are busy at once: under a design with calls of its own each instant counts once, and is gained once.
TEST(Hypothetical, ThreadsOfACapturedProgramCountOnceUnderOtherDesigns) {
  HostProgramBuilder calls(1);
  for (std::uint32_t i = 0; i < kKernels; ++i) calls.launch(i, 0, 50'000, 50'000, i % 2);
  const scenarios::Scenario scenario = captured(calls.build(), kKernels);
  for (const PathCause cause : {PathCause::kHostCall, PathCause::kHostOwn})
    EXPECT_NEAR(gained(scenario, one_stream(), cause), 1, 0.05) << to_word(cause);
}

TEST(Hypothetical, CallsThatAreStillMadeAreNamedUnderOtherDesigns) {
  const scenarios::Scenario scenario = busy_host();
  const DesignAccount captured_account = account_with_costs(scenario, as_captured(1), 1);
  const DesignAccount one = account_with_costs(scenario, one_stream(), 1);
  EXPECT_EQ(one.path.of(PathCause::kHostOwn), Duration{kKernels * 70'000});
  EXPECT_EQ(one.path.of(PathCause::kHostOwn), captured_account.path.of(PathCause::kHostOwn));
  EXPECT_LE(one.path.of(PathCause::kHostCall), Duration{kKernels * 70'000});
  EXPECT_GE(one.path.of(PathCause::kHostCall), Duration{(kKernels - 1) * 70'000}) << "the last kernel starts within its call";
  ASSERT_EQ(one.calls.size(), 2u);
  EXPECT_EQ(one.calls[0].name, "cudaLaunchKernel");
  EXPECT_EQ(one.calls[1].name, "cudaMalloc");
  EXPECT_EQ(one.calls[1].gain, one.calls[1].on_path);
  ASSERT_EQ(one.ranges.size(), 2u);
  EXPECT_EQ(one.ranges[1].name, "step");
  EXPECT_EQ(one.ranges[1].on_path, Duration{kKernels * 20'000});
}

TEST(Hypothetical, MoreCoresDoNotAskForStreamsThatHaveNoEffect) {
  Design design = named_design("cuda-streams");
  design.stream_granularity = StreamGranularity::kPerTaskType;
  const int streams = design.streams;
  scenarios::Scenario scenario;
  EXPECT_EQ(without(scenario, design, PathCause::kWaves).design.streams, streams);
  design.stream_granularity = StreamGranularity::kHinted;
  EXPECT_EQ(without(scenario, design, PathCause::kWaves).design.streams, kMaxStreams);
}

}  // namespace
}  // namespace tasktwin::verify
