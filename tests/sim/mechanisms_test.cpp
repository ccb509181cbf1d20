// A run reads the sections of its machine that mechanisms_of names, and no others; without one of them it is refused by name.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "models/base/error.hpp"
#include "models/checks/mechanisms.hpp"
#include "models/runtimes/runtimes.hpp"
#include "sim/simulator.hpp"
#include "tests/sim/endings.hpp"
#include "tests/sim/random_designs.hpp"

namespace tasktwin::sim {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// Kernels, copies, allocations and functions of the host; tasks that are spawned, and tasks that may be left out.
std::vector<Stage> stages_of_all_kinds() {
  std::vector<EffectWorld> worlds;
  for (const EffectWorld& plain : plain_worlds()) {
    worlds.push_back(plain);
    for (const StatedField& field : stated_fields()) {
      if (field.name != "operation" && field.name != "host_memory" && field.name != "probability" && field.name != "spawned_by") continue;
      EffectWorld world = plain;
      if (!field.state(world)) continue;
      world.name += " with " + std::string(field.name);
      worlds.push_back(std::move(world));
    }
  }
  return staged(worlds);
}

const std::vector<Stage>& stages() {
  static const std::vector<Stage> all = stages_of_all_kinds();
  return all;
}

/// The design, and what one axis makes of it: launched programmatically, with conditional nodes, built on the device, and so on.
std::vector<Design> variants(const Design& design) {
  std::vector<Design> designs{design};
  for (const AxisField& field : axis_fields()) std::ranges::copy(with_each_value(design, field), std::back_inserter(designs));
  return designs;
}

bool is_needed(const MachineSection& section, const std::vector<NeededSection>& needed) {
  return std::ranges::find(needed, section.name, &NeededSection::name) != needed.end();
}

Machine with_these_alone(Machine machine, const std::vector<NeededSection>& needed) {
  for (const MachineSection& section : machine_sections()) {
    if (!is_needed(section, needed)) section.remove(machine);
  }
  return machine;
}

/// What a run is refused with; empty where it is not.
std::string refusal(const Stage& stage, const Machine& machine, const Design& design) {
  try {
    simulate(stage.graph, machine, design);
  } catch (const InputError& wrong) {
    return wrong.what();
  } catch (const RunError&) {
  }
  return "";
}

class NeededSections : public testing::TestWithParam<std::string> {};

TEST_P(NeededSections, AreAllThatARunReads) {
  int runs = 0;
  for (const Design& design : variants(named_design(GetParam()))) {
    for (const Stage& stage : stages()) {
      if (!passes(design, stage.machine)) continue;
      const Ending whole = run(stage.graph, stage.machine, design);
      if (whole.refused) continue;
      ++runs;
      const Machine bare = with_these_alone(stage.machine, mechanisms_of(design, stage.graph));
      EXPECT_EQ(run(stage.graph, bare, design), whole) << stage.name;
    }
  }
  EXPECT_GT(runs, 20);
}

TEST_P(NeededSections, AreRefusedByNameWhereTheyAreNotThereOrNotStated) {
  const Design& design = named_design(GetParam());
  for (const Stage& stage : stages()) {
    if (!passes(design, stage.machine) || run(stage.graph, stage.machine, design).refused) continue;
    for (const auto& [name, task] : mechanisms_of(design, stage.graph)) {
      const std::string for_task = task ? "for task '" + std::string(stage.graph.name(*task)) + "'" : "";
      Machine without = stage.machine;
      find_section(name)->remove(without);
      EXPECT_THAT(refusal(stage, without, design), AllOf(HasSubstr("design '" + design.name + "' needs '" + std::string(name) + "' ("),
                                                         HasSubstr(for_task), HasSubstr("(" + stage.machine.file + ")")));
      for (const ConstantField* field : constants_of(stage.machine)) {
        if (field->section != name) continue;
        Machine unstated = stage.machine;
        unstated.unstated.insert(field->key);
        if (field->may_lack) {
          EXPECT_EQ(refusal(stage, unstated, design), "") << field->key;
          continue;
        }
        EXPECT_THAT(refusal(stage, unstated, design), AllOf(HasSubstr("(" + stage.machine.file + ") does not state " + field->key + " ("),
                                                            HasSubstr(for_task), HasSubstr("which design '" + design.name + "' reads")));
      }
    }
  }
}

std::vector<std::string> all_names() {
  std::vector<std::string> names;
  for (const Design& design : named_designs()) names.push_back(design.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(NamedDesigns, NeededSections, testing::ValuesIn(all_names()), [](const auto& test) {
  std::string name = test.param;
  std::ranges::replace(name, '-', '_');
  return name;
});

}  // namespace
}  // namespace tasktwin::sim
