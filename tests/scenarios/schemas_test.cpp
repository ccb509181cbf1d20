
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "models/design/design.hpp"
#include "models/machine/machine.hpp"
#include "scenarios/generators/generators.hpp"
#include "scenarios/load/scenario_schema.hpp"
#include "scenarios/machine_files/machine_schema.hpp"
#include "scenarios/tasks/task_fields.hpp"

namespace tasktwin::scenarios {
namespace {

using ::testing::HasSubstr;

/// What the scenario schema says of a scenario with this graph, these designs and this machine; "" if nothing is wrong.
std::string fault_of(const std::string& graph, const std::string& design = "shared-queue", const std::string& machine = "nvidia-h200") {
  try {
    scenario_schema().check(
        parse_document("file", "{scenario: s, graph: " + graph + ", designs: [" + design + "], machine: " + machine + "}"));
  } catch (const InputError& wrong) {
    return wrong.what();
  }
  return "";
}

/// What is just inside the range is taken, what is just outside is refused at `path`.
template <class Fault>
void expect_range(const std::string& path, std::int64_t min, std::int64_t max, std::int64_t step, Fault fault) {
  const std::string range = "; must be " + std::to_string(min) + " to " + std::to_string(max);
  for (const std::int64_t inside : {min, max}) EXPECT_EQ(fault(std::to_string(inside)), "") << path;
  for (const std::int64_t outside : {min - step, max + step})
    EXPECT_THAT(fault(std::to_string(outside)), HasSubstr(path + ": is " + std::to_string(outside) + range));
}

template <class Words, class Fault>
void expect_words(const std::string& path, const Words& words, Fault fault) {
  for (const std::string_view word : words) EXPECT_EQ(fault(std::string(word)), "") << path;
  EXPECT_THAT(fault("telepathy"), HasSubstr(path + ": unknown value 'telepathy'; valid: " + std::string(words.front())));
}

TEST(Schemas, HoldEveryGeneratorsParametersToTheirTable) {
  for (const Generator& generator : generators()) {
    for (const Parameter& parameter : generator.parameters) {
      const std::string name(parameter.name);
      const auto fault = [&](const std::string& value) {
        return fault_of("{generator: " + std::string(generator.name) + ", " + name + ": " + value + "}");
      };
      if (parameter.is_word()) {
        expect_words("graph." + name, parameter.words, fault);
      } else {
        expect_range("graph." + name, parameter.min, parameter.max, parameter.multiple_of, fault);
      }
    }
  }
  EXPECT_THAT(fault_of("{generator: cholesky, tile_size: 24}"), HasSubstr("graph.tile_size: is 24; must be a multiple of 16"));
  EXPECT_THAT(fault_of("{generator: cholesky, length: 5}"), HasSubstr("graph.length: unknown key")) << "another generator's";
}

TEST(Schemas, HoldEveryAxisToItsTable) {
  for (const AxisField& axis : axis_fields()) {
    const std::string name(axis.name);
    const auto fault = [&name](const std::string& value) {
      return fault_of("{generator: chain}", "{name: x, " + name + ": " + value + "}");
    };
    if (axis.is_word()) {
      expect_words("designs[0]." + name, axis.words, fault);
    } else {
      expect_range("designs[0]." + name, axis.min, axis.max, 1, fault);
    }
  }
}

TEST(Schemas, HoldEveryWholeFieldOfATaskToItsTable) {
  int checked = 0;
  for (const TaskField& field : task_fields()) {
    if (!field.schema.contains("type") || field.schema["type"] != "integer") continue;
    const std::string name(field.name);
    expect_range("graph.tasks[0]." + name, field.schema["minimum"], field.schema["maximum"], 1,
                 [&name](const std::string& value) { return fault_of("{tasks: [{name: a, " + name + ": " + value + "}]}"); });
    ++checked;
  }
  EXPECT_GE(checked, 10);
}

TEST(Schemas, KnowEveryConstantAndKernelField) {
  const auto fault = [](const std::string& change) { return fault_of("{generator: chain}", "shared-queue", "{from: m, " + change + "}"); };
  for (const ConstantField& field : constant_fields()) {
    const std::string section = std::string(field.section) + ": {" + field.name + ": ";
    const std::string good = field.unit == Unit::kCount ? "3" : "0.5";
    EXPECT_EQ(fault(section + good + "}"), "");
    EXPECT_EQ(fault(section + "{value: " + good + "}}"), "");
    EXPECT_THAT(fault(section + "-1}"), HasSubstr("machine." + field.key + ": is -1; must be "));
    EXPECT_THAT(fault(section + "{value: -1}}"), HasSubstr("machine." + field.key + ".value: is -1; must be "));
  }
  for (const std::string_view kernel : all_words<Kernel>()) {
    const std::string path = "kernels." + std::string(kernel);
    for (const KernelField& field : kernel_fields()) {
      const std::string name(field.name);
      EXPECT_EQ(fault("kernels: {" + std::string(kernel) + ": {" + name + ": 1}}"), "");
      EXPECT_THAT(fault("kernels: {" + std::string(kernel) + ": {" + name + ": -1}}"), HasSubstr(path + "." + name + ": is -1; must be "));
    }
  }
  EXPECT_THAT(fault("collectives: {efficiency_ratio: 1.5}"), HasSubstr("collectives.efficiency_ratio: is 1.5; must be at most 1"));
}

TEST(Schemas, SayOfEveryKeyWhatItMeans) {
  const nlohmann::json& graph = scenario_schema().json()["properties"]["graph"];
  EXPECT_EQ(graph["allOf"].size(), generators().size() + 4) << "and listed tasks, operators, captures and imports";
  for (const nlohmann::json& kind : graph["allOf"]) {
    for (const auto& [key, schema] : kind["then"]["properties"].items())
      EXPECT_TRUE(schema.contains("description") || key == "generator" || key == "tasks") << key;
  }
  for (const MachineSection& section : machine_sections()) {
    const nlohmann::json& schema = machine_schema().json()["properties"][std::string(section.name)];
    EXPECT_TRUE(schema.contains("description")) << section.name;
    for (const auto& [key, constant] : schema["properties"].items()) EXPECT_TRUE(constant.contains("description")) << key;
  }
}

}  // namespace
}  // namespace tasktwin::scenarios
