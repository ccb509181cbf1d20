#include "models/machine/machine.hpp"
#include "models/run/as_run.hpp"

#include <set>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/base/error.hpp"
#include "models/checks/mechanisms.hpp"
#include "models/design/design.hpp"
#include "models/runtimes/runtimes.hpp"
#include "tests/support/free_machine.hpp"

namespace tasktwin {
namespace {

TEST(ConstantFields, NameEveryConstantOnceWithItsUnit) {
  std::set<std::string_view> keys;
  for (const ConstantField& field : constant_fields()) {
    EXPECT_TRUE(keys.insert(field.key).second) << field.key;
    EXPECT_EQ(field.key, std::string(field.section) + "." + field.name);
    EXPECT_FALSE(field.meaning.empty()) << field.key;
    EXPECT_TRUE(field.name.ends_with(suffix(field.unit))) << field.key;
    EXPECT_EQ(find_constant(field.key), &field);
  }
}

TEST(ConstantFields, SetAndGetReachEachItsOwnConstant) {
  Machine machine = free_machine();
  double value = 1;
  for (const ConstantField& field : constant_fields()) field.set(machine, value++);
  value = 1;
  for (const ConstantField& field : constant_fields()) EXPECT_EQ(field.get(machine), value++) << field.key;
}

/// A member that no field reaches would keep what it had.
template <class M>
void expect_each_member_reached() {
  constexpr auto fields = M::fields();
  static_assert(fields.size() <= 40);
  std::size_t bytes = 0;
  for (const Field<M>& field : fields) bytes += field.count != nullptr ? sizeof(int) : sizeof(double);
  EXPECT_LT(sizeof(M) - bytes, alignof(M)) << M::fields().front().member;
}

/// Likewise of what the device's control cores and the host's threads share: each member is reached by one of the two.
template <class Shared, class OnDevice, class OnHost>
void expect_each_member_reached_by_either() {
  std::set<std::string_view> members;
  for (const Field<Shared>& field : OnDevice::fields()) members.insert(field.member);
  for (const Field<Shared>& field : OnHost::fields()) members.insert(field.member);
  EXPECT_EQ(members.size() * sizeof(double), sizeof(Shared)) << *members.begin();
}

TEST(ConstantFields, ReachEveryMemberOfEveryMechanism) {
  expect_each_member_reached_by_either<mechanism::ControlLoop, mechanism::DeviceControl, mechanism::HostControl>();
  expect_each_member_reached_by_either<mechanism::Mailboxes, mechanism::DeviceMailboxes, mechanism::HostMailboxes>();
  expect_each_member_reached<mechanism::Allocators>();
  expect_each_member_reached<mechanism::Barriers>();
  expect_each_member_reached<mechanism::ConditionalNodes>();
  expect_each_member_reached<mechanism::Copies>();
  expect_each_member_reached<mechanism::DeviceGraphLaunch>();
  expect_each_member_reached<mechanism::DynamicParallelism>();
  expect_each_member_reached<mechanism::FirstLooks>();
  expect_each_member_reached<mechanism::GraphLaunch>();
  expect_each_member_reached<mechanism::HostCalls>();
  expect_each_member_reached<mechanism::LaunchedKernels>();
  expect_each_member_reached<mechanism::Links>();
  expect_each_member_reached<mechanism::Memory>();
  expect_each_member_reached<mechanism::ReadyQueues>();
  expect_each_member_reached<mechanism::ResidentCores>();
  expect_each_member_reached<mechanism::Streams>();
}

TEST(ConstantFields, MeaningsNameCountsAndDoNotHoldThem) {
  for (const ConstantField& field : constant_fields()) {
    // How large the graph is that it is about, and how many launches share it.
    if (field.key == "graph_launch.reference_launch_ns" || field.key == "host_calls.first_launches_ns") continue;
    EXPECT_EQ(field.meaning.find_first_of("0123456789"),
              field.meaning.find("0 for") != std::string_view::npos ? field.meaning.find("0 for") : field.meaning.find("0 where"))
        << field.key << ": " << field.meaning;
  }
}

TEST(Section, IsEmptyOfAnyCardsNumbersWhenItIsAdded) {
  Machine machine;
  for (const MachineSection& section : machine_sections()) section.add(machine);
  for (const ConstantField& field : constant_fields()) {
    const bool is_factor = field.key == "copies.traffic_ratio" || field.key == "collectives.efficiency_ratio";
    const double neutral = is_factor ? 1 : 0;
    EXPECT_EQ(field.get(machine), neutral) << field.key;
  }
}

TEST(Section, ThatIsNotThereIsNotRead) {
  Machine machine;
  EXPECT_FALSE(machine.links);
  try {
    static_cast<void>(machine.links->h2d_bandwidth);
    FAIL();
  } catch (const std::logic_error& wrong) {
    EXPECT_STREQ(wrong.what(), "a machine without 'links' is asked for it");
  }
  EXPECT_THROW(static_cast<void>(*machine.memory), std::logic_error);
  EXPECT_THROW(machine.copies.where(true), std::logic_error);
  EXPECT_EQ(machine.copies.where(false).call, Nanoseconds{0});
}

TEST(Section, KeepsItsNameWhateverItIsAssigned) {
  Machine machine = free_machine();
  machine.host_control = free_machine().host_control;
  EXPECT_EQ(machine.host_control.name(), "host_control");
}

TEST(Mechanisms, ADesignIsRefusedThatNeedsOneThatIsNotThere) {
  Machine machine = free_machine();
  machine.name = "bare";
  machine.graph_launch.reset();
  EXPECT_NO_THROW(check_mechanisms(named_design("cuda-streams"), machine));
  try {
    check_mechanisms(named_design("cuda-graph"), machine);
    FAIL();
  } catch (const InputError& wrong) {
    EXPECT_THAT(wrong.what(), testing::StartsWith("design 'cuda-graph' needs 'graph_launch' ("));
    EXPECT_THAT(wrong.what(), testing::HasSubstr("which machine 'bare' does not have"));
  }
}

TEST(Mechanisms, AConstantThatIsNotStatedIsRefusedWhereADesignReadsIt) {
  Machine machine = free_machine();
  machine.name = "bare";
  machine.file = "bare.yaml";
  machine.unstated.insert("streams.gap_ns");
  EXPECT_NO_THROW(check_mechanisms(named_design("static-queues"), machine));
  try {
    check_mechanisms(named_design("cuda-streams"), machine);
    FAIL();
  } catch (const InputError& wrong) {
    EXPECT_THAT(wrong.what(), testing::StartsWith("machine 'bare' (bare.yaml) does not state streams.gap_ns ("));
    EXPECT_THAT(wrong.what(), testing::HasSubstr("which design 'cuda-streams' reads"));
  }
}

TEST(Mechanisms, AllThatADesignLacksIsToldAtOnce) {
  Machine machine = free_machine();
  machine.name = "bare";
  machine.host_calls.reset();
  machine.launched_kernels.reset();
  machine.unstated = {"streams.gap_ns", "streams.event_gap_ns", "memory.atomic_latency_ns", "ready_queues.lock_ns"};
  try {
    check_mechanisms(named_design("cuda-streams"), machine);
    FAIL();
  } catch (const InputError& wrong) {
    EXPECT_THAT(wrong.what(),
                testing::MatchesRegex("design 'cuda-streams' needs 'host_calls' \\(.*\\) and 'launched_kernels', which machine "
                                      "'bare' does not have; machine 'bare' does not state memory.atomic_latency_ns \\(.*\\), "
                                      "streams.event_gap_ns and streams.gap_ns, which design 'cuda-streams' reads; .*"));
  }
}

TEST(Mechanisms, WhatADesignNeedsIsASectionOfMachines) {
  for (const Design& design : named_designs()) {
    for (const std::string_view section : mechanisms_of(design)) EXPECT_NE(find_section(section), nullptr) << section;
  }
}

TEST(Machine, CountsItsCoresAndKnowsItsTypes) {
  Machine machine = free_machine();
  EXPECT_EQ(machine.core_count(), 0);
  machine.compute_cores = {{CoreType::kAic, 24}, {CoreType::kAiv, 48}, {CoreType::kSm, 0}};
  EXPECT_EQ(machine.core_count(), 72);
  EXPECT_TRUE(machine.has(CoreType::kAiv));
  EXPECT_FALSE(machine.has(CoreType::kSm));
}

TEST(Machine, ASlowHostTakesLongerForItsCallsAlone) {
  Machine machine = free_machine();
  machine.host_calls->launch = Nanoseconds{4000};
  machine.streams->launch_latency = Nanoseconds{7000};
  machine.graph_launch->launch = Nanoseconds{400};
  machine.graph_launch->per_root = Nanoseconds{800};
  machine.graph_launch->latency = Nanoseconds{5000};
  machine.graph_launch->gap = Nanoseconds{1000};
  machine.allocators->malloc = Nanoseconds{90000};
  machine.allocators->pool_look = Nanoseconds{2000};
  const AsRun slow = as_run(named_design("cuda-streams"), machine, {.host_pace = 1.5});
  EXPECT_EQ(slow.host_calls->launch, Nanoseconds{6000});
  EXPECT_EQ(slow.streams->launch_latency, Nanoseconds{9000}) << "it begins with the call";
  EXPECT_EQ(slow.graph_launch->per_root, Nanoseconds{1200});
  EXPECT_EQ(slow.graph_launch->latency, Nanoseconds{5600});
  EXPECT_EQ(slow.graph_launch->gap, Nanoseconds{1000});
  EXPECT_EQ(slow.allocators->pool_look, Nanoseconds{2000}) << "it waits for the device";
  EXPECT_EQ(slow.allocators->malloc, Nanoseconds{90000});
}

TEST(Machine, HowSlowAHostIsIsToldByTheCallOfTheDriver) {
  Machine machine = free_machine();
  machine.host_calls->reference_launch = Nanoseconds{3600};
  machine.graph_launch->reference_launch = Nanoseconds{27000};
  EXPECT_DOUBLE_EQ(host_slowdown(named_design("cuda-streams"), machine, Nanoseconds{5400}), 1.5);
  EXPECT_DOUBLE_EQ(host_slowdown(named_design("cuda-graph"), machine, Nanoseconds{54000}), 2);
  EXPECT_DOUBLE_EQ(host_slowdown(named_design("cuda-graph"), machine, Nanoseconds{0}), 1) << "not measured";
  EXPECT_DOUBLE_EQ(host_slowdown(named_design("static-queues"), machine, Nanoseconds{5400}), 1);
  machine.host_calls->reference_launch = Nanoseconds{0};
  EXPECT_DOUBLE_EQ(host_slowdown(named_design("cuda-streams"), machine, Nanoseconds{5400}), 1);
}

}  // namespace
}  // namespace tasktwin
