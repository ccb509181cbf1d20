#include "models/machine.hpp"

#include <cstring>
#include <set>

#include <gtest/gtest.h>

#include "models/design.hpp"

namespace tasktwin {
namespace {

TEST(ConstantFields, NameEveryConstantOnceWithItsUnit) {
  static_assert(sizeof(Constants) % sizeof(double) == 0);
  EXPECT_EQ(constant_fields().size(), sizeof(Constants) / sizeof(double));
  std::set<std::string_view> names;
  for (const ConstantField& field : constant_fields()) {
    EXPECT_TRUE(names.insert(field.name).second) << field.name;
    EXPECT_FALSE(field.meaning.empty()) << field.name;
    EXPECT_NE(field.time == nullptr, field.rate == nullptr) << field.name;
    if (field.time != nullptr) {
      EXPECT_TRUE(field.name.ends_with("_ns")) << field.name;
    } else {
      EXPECT_TRUE(field.name.ends_with("_gb_per_s") || field.name.ends_with("_ratio")) << field.name;
    }
  }
}

TEST(ConstantFields, SetAndGetReachEachItsOwnConstant) {
  Machine constants;
  double value = 1;
  for (const ConstantField& field : constant_fields()) field.set(constants, value++);
  value = 1;
  for (const ConstantField& field : constant_fields()) EXPECT_EQ(field.get(constants), value++) << field.name;

  double stored[sizeof(Constants) / sizeof(double)];
  std::memcpy(stored, &constants, sizeof(constants));
  const std::set<double> distinct(std::begin(stored), std::end(stored));
  EXPECT_EQ(distinct.size(), std::size(stored)) << "a constant that no field reaches";
  EXPECT_FALSE(distinct.contains(0));
}

TEST(Machine, CountsItsCoresAndKnowsItsTypes) {
  Machine machine;
  EXPECT_EQ(machine.core_count(), 0);
  machine.compute_cores = {{CoreType::kAic, 24}, {CoreType::kAiv, 48}, {CoreType::kSm, 0}};
  EXPECT_EQ(machine.core_count(), 72);
  EXPECT_TRUE(machine.has(CoreType::kAiv));
  EXPECT_FALSE(machine.has(CoreType::kSm));
}

TEST(Machine, ASlowHostTakesLongerForItsCallsAlone) {
  Machine machine;
    machine.host_calls->launch = Nanoseconds{4000};
  machine.streams->launch_latency = Nanoseconds{7000};
  machine.graph_launch->launch = Nanoseconds{400};
  machine.graph_launch->per_root = Nanoseconds{800};
  machine.graph_launch->latency = Nanoseconds{5000};
  machine.graph_launch->gap = Nanoseconds{1000};
  machine.allocators->malloc = Nanoseconds{90000};
  machine.allocators->pool_look = Nanoseconds{2000};
  machine.host_slowdown = 1.5;
  const Constants slow = machine.scaled_constants();
  EXPECT_EQ(slow.launch, Nanoseconds{6000});
  EXPECT_EQ(slow.launch_latency, Nanoseconds{9000}) << "it begins with the call";
  EXPECT_EQ(slow.graph_launch_per_root, Nanoseconds{1200});
  EXPECT_EQ(slow.graph_latency, Nanoseconds{5600});
  EXPECT_EQ(slow.graph_gap, Nanoseconds{1000});
  EXPECT_EQ(slow.pool_look, Nanoseconds{2000}) << "it waits for the device";
  EXPECT_EQ(slow.malloc, Nanoseconds{90000});
}

TEST(Machine, HowSlowAHostIsIsToldByTheCallOfTheDriver) {
  Machine machine;
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
