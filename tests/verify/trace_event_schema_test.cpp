#include <algorithm>
#include <functional>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

#include "tests/verify/support/cases.hpp"
#include "tests/verify/support/strict_json.hpp"
#include "verify/output/timelines/chrome_trace.hpp"

namespace tasktwin::verify {
namespace {

using nlohmann::json;
using Adapter = valijson::adapters::NlohmannJsonAdapter;

/// What the schema finds wrong with a trace; empty where it is valid.
std::string faults(const json& trace) {
  const json schema_json = tests::strict_json(tests::read_text("tests/verify/support/trace_event.schema.json"));
  valijson::Schema schema;
  valijson::SchemaParser(valijson::SchemaParser::kDraft7).populateSchema(Adapter(schema_json), schema);
  valijson::Validator validator(valijson::Validator::kStrongTypes);
  valijson::ValidationResults results;
  if (validator.validate(schema, Adapter(trace), &results)) return "";
  std::string text;
  valijson::ValidationResults::Error error;
  while (results.popError(error)) {
    for (const std::string& place : error.context) text += place;
    text += ": " + error.description + '\n';
  }
  return text;
}

/// Of every kind of event that traces have.
json full_trace() {
  const TaskGraph graph = tests::diamond();
  Timeline timeline = tests::diamond_timeline();
  timeline.memory = {{at_ns(5), 100, 4096}};
  timeline.steps = {{{at_ns(0), at_ns(4), StepKind::kPoll}}, {}, {}, {}};
  const Timeline plain = tests::diamond_timeline();
  const std::vector<TraceRun> runs{{"predicted", &timeline, Driver::kPersistent}, {"measured", &plain, Driver::kStreams}};
  const tests::TemporaryFolder folder;
  write_chrome_trace(folder / "t.json", graph, runs, {{"seed", 3}});
  return tests::strict_json(tests::read_text(folder / "t.json"));
}

TEST(TraceEventSchema, AcceptsTheTracesThatAreWritten) { EXPECT_EQ(faults(full_trace()), ""); }

/// The first event of a phase, spoiled, must be refused: the schema looks at each.
TEST(TraceEventSchema, RefusesEachKindOfEventSpoiled) {
  const std::vector<std::pair<std::string, std::function<void(json&)>>> spoils{
      {"X", [](json& event) { event.erase("dur"); }},  {"X", [](json& event) { event["dur"] = -1; }},
      {"X", [](json& event) { event["ts"] = "1"; }},   {"X", [](json& event) { event["pid"] = "1"; }},
      {"X", [](json& event) { event["ph"] = "Q"; }},   {"X", [](json& event) { event["colour"] = "red"; }},
      {"s", [](json& event) { event.erase("id"); }},   {"f", [](json& event) { event["bp"] = "x"; }},
      {"f", [](json& event) { event.erase("ts"); }},   {"C", [](json& event) { event["args"]["tasks"] = "many"; }},
      {"C", [](json& event) { event.erase("args"); }}, {"M", [](json& event) { event.erase("args"); }},
  };
  const json trace = full_trace();
  for (const auto& [phase, spoil] : spoils) {
    json spoiled = trace;
    const auto event = std::ranges::find_if(spoiled["traceEvents"], [&phase](const json& one) { return one["ph"] == phase; });
    ASSERT_NE(event, spoiled["traceEvents"].end()) << phase;
    const std::string before = event->dump();
    spoil(*event);
    EXPECT_NE(faults(spoiled), "") << before << " as " << event->dump();
  }
  const auto named = std::ranges::find_if(trace["traceEvents"], [](const json& one) { return one["name"] == "thread_name"; });
  ASSERT_NE(named, trace["traceEvents"].end());
  json alone = trace;
  alone["traceEvents"] = json::array({*named});
  EXPECT_EQ(faults(alone), "");
  alone["traceEvents"][0]["args"].erase("name");
  EXPECT_NE(faults(alone), "");
}

}  // namespace
}  // namespace tasktwin::verify
