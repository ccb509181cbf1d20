#include "models/machine.hpp"

#include <cstring>
#include <set>

#include <gtest/gtest.h>

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
  Constants constants;
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

}  // namespace
}  // namespace tasktwin
