#include <gmock/gmock.h>

#include <algorithm>

#include "models/design.hpp"
#include "models/machine.hpp"
#include "scenarios/schema.hpp"
#include "tests/scenarios/generator_schema.hpp"

namespace tasktwin::scenarios {
namespace {

using Json = nlohmann::json;

template <class E>
Json words_of() {
  return all_words<E>();
}

TEST(Schemas, DescribeEveryGeneratorAsItsTableDoes) {
  const Json schema = Json::parse(kScenarioSchemaText);
  const Json table = Json::parse(generator_schema().dump());
  const Json& branches = schema["definitions"]["graph"]["allOf"];
  ASSERT_EQ(branches.size(), table.size() + 2) << "one branch a generator, after those of listed tasks and captures";
  Json names;
  for (std::size_t i = 0; i < table.size(); ++i) {
    EXPECT_EQ(branches[i + 2], table[i]) << "it should be\n" << generator_schema()[i].dump(2);
    names.push_back(table[i]["if"]["properties"]["generator"]["const"]);
  }
  EXPECT_EQ(schema["definitions"]["graph"]["properties"]["generator"]["enum"], names);
}

TEST(Schemas, KnowEveryAxisOfADesign) {
  const Json axes = Json::parse(kScenarioSchemaText)["definitions"]["design"]["properties"];
  EXPECT_EQ(axes.size(), axis_fields().size() + 3) << "beside the axes: name, from and replay";
  for (const AxisField& field : axis_fields()) {
    const std::string name(field.name);
    ASSERT_TRUE(axes.contains(name)) << name;
    Json expected = {{"description", field.meaning}};
    if (field.is_word()) {
      expected["enum"] = std::vector<std::string_view>(field.words.begin(), field.words.end());
    } else {
      expected.update({{"type", "integer"}, {"minimum", field.min}, {"maximum", field.max}});
    }
    EXPECT_EQ(axes[name], expected) << name;
  }
}

TEST(Schemas, KnowEveryConstantCoreTypeAndKernel) {
  const Json machine = Json::parse(kMachineSchemaText);
  const Json scenario = Json::parse(kScenarioSchemaText);
  for (const Json& constants : {machine["properties"]["constants"], scenario["definitions"]["machine"]["properties"]["constants"]}) {
    EXPECT_EQ(constants["properties"].size(), constant_fields().size());
    for (const ConstantField& field : constant_fields()) {
      ASSERT_TRUE(constants["properties"].contains(std::string(field.name))) << field.name;
      EXPECT_EQ(constants["properties"][std::string(field.name)]["description"], field.meaning);
    }
  }
  Json physical = words_of<CoreType>();
  physical.erase(std::ranges::find(physical, to_word(CoreType::kMix)));
  for (const Json& schema : {machine, scenario}) EXPECT_EQ(schema["definitions"]["core_group"]["properties"]["type"]["enum"], physical);
  const Json task = scenario["definitions"]["task"]["properties"];
  EXPECT_EQ(task["core_type"]["enum"], words_of<CoreType>());
  EXPECT_EQ(task["other"]["properties"]["core_type"]["enum"], physical);
  for (const Json& kernels : {machine["properties"]["kernels"], scenario["definitions"]["machine"]["properties"]["kernels"]}) {
    EXPECT_EQ(kernels["properties"].size(), kKernelCount);
    for (const std::string_view word : all_words<Kernel>()) EXPECT_TRUE(kernels["properties"].contains(std::string(word))) << word;
  }
}

}  // namespace
}  // namespace tasktwin::scenarios
