#include <gmock/gmock.h>

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
  ASSERT_EQ(branches.size(), table.size() + 1) << "one branch a generator, after that of listed tasks";
  Json names;
  for (std::size_t i = 0; i < table.size(); ++i) {
    EXPECT_EQ(branches[i + 1], table[i]) << "it should be\n" << generator_schema()[i].dump(2);
    names.push_back(table[i]["if"]["properties"]["generator"]["const"]);
  }
  EXPECT_EQ(schema["definitions"]["graph"]["properties"]["generator"]["enum"], names);
}

TEST(Schemas, KnowEveryAxisOfADesign) {
  const Json axes = Json::parse(kScenarioSchemaText)["definitions"]["design"]["properties"];
  EXPECT_EQ(axes["driver"]["enum"], words_of<Driver>());
  EXPECT_EQ(axes["release"]["enum"], words_of<Release>());
  EXPECT_EQ(axes["ready_queue"]["enum"], words_of<ReadyQueue>());
  EXPECT_EQ(axes["order"]["enum"], words_of<TaskOrder>());
  EXPECT_EQ(axes["placement"]["enum"], words_of<Placement>());
  EXPECT_EQ(axes["fill"]["enum"], words_of<Fill>());
  EXPECT_EQ(axes["streams"]["maximum"], kMaxStreams);
  EXPECT_EQ(axes["mailbox_depth"]["maximum"], kMaxMailboxDepth);
}

TEST(Schemas, KnowEveryConstantCoreTypeAndKernel) {
  const Json machine = Json::parse(kMachineSchemaText);
  const Json scenario = Json::parse(kScenarioSchemaText);
  Json names = Json::array();
  for (const ConstantField& field : constant_fields()) {
    names.push_back(field.name);
    for (const Json& constants : {machine["properties"]["constants"], scenario["definitions"]["machine"]["properties"]["constants"]}) {
      ASSERT_TRUE(constants["properties"].contains(std::string(field.name))) << field.name;
      EXPECT_EQ(constants["properties"][std::string(field.name)]["description"], field.meaning);
      EXPECT_EQ(constants["properties"].size(), constant_fields().size());
    }
  }
  EXPECT_EQ(machine["properties"]["constants"]["required"], names);
  for (const Json& schema : {machine, scenario})
    EXPECT_EQ(schema["definitions"]["core_group"]["properties"]["type"]["enum"], words_of<CoreType>());
  EXPECT_EQ(scenario["definitions"]["task"]["properties"]["core_type"]["enum"], words_of<CoreType>());
  for (const Json& kernels : {machine["properties"]["kernels"], scenario["definitions"]["machine"]["properties"]["kernels"]}) {
    EXPECT_EQ(kernels["properties"].size(), kKernelCount);
    for (const std::string_view word : all_words<Kernel>()) EXPECT_TRUE(kernels["properties"].contains(std::string(word))) << word;
  }
}

}  // namespace
}  // namespace tasktwin::scenarios
