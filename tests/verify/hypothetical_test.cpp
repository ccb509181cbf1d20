// Machines that are imagined without what a group of constants costs.
#include "verify/explain/hypothetical.hpp"

#include <set>

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace tasktwin::verify
