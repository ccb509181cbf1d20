// docs/reference/plan.schema.json lets pass what is written, and not what readers refuse.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

#include "scenarios/load/scenario.hpp"
#include "tests/verify/support/cases.hpp"
#include "tests/verify/support/strict_json.hpp"
#include "verify/plan/list_plan.hpp"
#include "verify/rerun/plan_file.hpp"

namespace tasktwin::verify {
namespace {

using nlohmann::json;
using Adapter = valijson::adapters::NlohmannJsonAdapter;

bool is_valid(const json& plan) {
  const json schema_json = tests::strict_json(tests::read_text("docs/reference/plan.schema.json"));
  valijson::Schema schema;
  valijson::SchemaParser(valijson::SchemaParser::kDraft7).populateSchema(Adapter(schema_json), schema);
  return valijson::Validator(valijson::Validator::kStrongTypes).validate(schema, Adapter(plan), nullptr);
}

json cholesky_plan() {
  const scenarios::Scenario scenario = scenarios::load_scenario("cholesky");
  for (const Design& design : scenario.designs) {
    if (design.name == "static-queues") return json::parse(list_plan_json(scenario, design).dump());
  }
  return nullptr;
}

TEST(PlanSchema, LetsPassWhatIsWritten) {
  EXPECT_TRUE(is_valid(cholesky_plan()));
  const gpu::rerun::Plan launches{.graph = true, .operations = {{.operation = 0, .kind = "kernel", .blocks = 1, .after = {}}}};
  TaskGraphBuilder builder;
  builder.add_task("k", {});
  const TaskGraph graph = std::move(builder).build();
  EXPECT_TRUE(is_valid(json::parse(to_json(PlanFile{.from = "a test", .plan = launches}, graph).dump())));
}

TEST(PlanSchema, RefusesWhatReadersRefuse) {
  const json plan = cholesky_plan();
  for (const char* const change :
       {R"({"workers": 3})", R"({"wokers": []})", R"({"tasktwin_plan": {"version": 2}})", R"({"tasktwin_plan": {"launch": "list"}})",
        R"({"tasktwin_plan": {"axes": null}})", R"({"events": [{"event": "e", "after": []}]})", R"({"operations": []})"}) {
    json changed = plan;
    changed.merge_patch(json::parse(change));
    EXPECT_FALSE(is_valid(changed)) << change;
  }
}

}  // namespace
}  // namespace tasktwin::verify
