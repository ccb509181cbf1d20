#include <algorithm>
#include <cstdint>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/design/design.hpp"
#include "models/runtimes/runtimes.hpp"
#include "tests/verify/support/cases.hpp"
#include "tests/verify/support/process.hpp"
#include "tests/verify/support/strict_json.hpp"

namespace tasktwin::tests {
namespace {

using nlohmann::json;
using testing::IsSupersetOf;

const std::vector<std::string> kDesigns{"cuda-streams", "central-dispatcher", "static-queues", "shared-queue"};

class CommandJson : public testing::Test {
 protected:
  CommandJson() { write_text(folder_ / "tiny.yaml", kTinyScenario); }
  std::string tiny(const std::string& more = "") const { return "'" + (folder_ / "tiny.yaml").string() + "' " + more; }

  json read(const std::string& arguments) const {
    const Outcome outcome = tasktwin(arguments + " --format json");
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "") << "quiet in a pipe";
    return strict_json(outcome.out);
  }

  TemporaryFolder folder_;
};

void expect_provenance(const json& object) {
  EXPECT_EQ(object["scenario"], "tiny");
  EXPECT_EQ(object["machine"], "nvidia-h200");
  EXPECT_EQ(object["seed"], 3);
  EXPECT_FALSE(object["machine_hash"].get<std::string>().empty());
  EXPECT_TRUE(object["version"].get<std::string>().starts_with("0."));
}

void expect_share(const json& value) {
  ASSERT_TRUE(value.is_number());
  EXPECT_GE(value.get<double>(), 0);
  EXPECT_LE(value.get<double>(), 1 + 1e-9);
}

TEST_F(CommandJson, SimulateHasTheAgreedShape) {
  const json result = read("simulate " + tiny());
  ASSERT_TRUE(result.is_object());
  expect_provenance(result);
  ASSERT_EQ(result["designs"].size(), kDesigns.size());
  for (std::size_t i = 0; i < kDesigns.size(); ++i) {
    const json& one = result["designs"][i];
    EXPECT_EQ(one["design"], kDesigns[i]);
    ASSERT_TRUE(one["makespan_ns"].is_number_integer());
    EXPECT_GT(one["makespan_ns"], 12'000);
    EXPECT_EQ(one["tasks"], 4);
    expect_share(one["core_busy_share"]);
    expect_share(one["dispatcher_busy_share"]);
    ASSERT_TRUE(one["bounds"]["critical_path_ns"].is_number_integer());
    ASSERT_TRUE(one["bounds"]["area_ns"].is_number_integer());
    EXPECT_GE(one["bounds"]["critical_path_ns"], 13'000);
    EXPECT_FALSE(one.contains("tasks_per_second")) << "with --timing alone";
    EXPECT_THAT(keys(one["resolved_design"]), IsSupersetOf({"driver", "release", "ready_queue", "order", "placement", "mailbox_depth"}));
  }
}

TEST_F(CommandJson, SimulateOfSeveralScenariosIsAnArray) {
  const json result = read("simulate " + tiny(tiny("--designs shared-queue --seed 9")));
  ASSERT_TRUE(result.is_array());
  ASSERT_EQ(result.size(), 2U);
  EXPECT_EQ(result[0]["seed"], 9);
  EXPECT_EQ(result[1]["designs"].size(), 1U);
}

TEST_F(CommandJson, SeedChangesOnlyWhatIsDrawn) {
  const auto makespan = [this](const std::string& seed) {
    return read("simulate " + tiny("--designs shared-queue --seed " + seed))["designs"][0]["makespan_ns"];
  };
  EXPECT_EQ(makespan("3"), read("simulate " + tiny("--designs shared-queue"))["designs"][0]["makespan_ns"]);
  EXPECT_NE(makespan("3"), makespan("4"));
}

TEST_F(CommandJson, CompareNamesTheWinner) {
  const json result = read("compare " + tiny());
  expect_provenance(result);
  std::int64_t least = INT64_MAX;
  std::string winner;
  for (const json& one : result["designs"]) {
    if (one["makespan_ns"].get<std::int64_t>() >= least) continue;
    least = one["makespan_ns"];
    winner = one["design"];
  }
  EXPECT_EQ(result["winner"], winner);
  for (const json& one : result["designs"]) {
    EXPECT_DOUBLE_EQ(one["ratio_to_best"].get<double>(), one["makespan_ns"].get<double>() / static_cast<double>(least));
    EXPECT_DOUBLE_EQ(one["ratio_to_bound"].get<double>(), one["makespan_ns"].get<double>() / one["highest_bound_ns"].get<double>());
    expect_share(one["core_busy_share"]);
    expect_share(one["overhead_share"]);
  }
}

TEST_F(CommandJson, SimulateKnowsItsWindowAndBounds) {
  const json result = read("simulate " + tiny());
  for (const json& one : result["designs"]) {
    const bool looks = one["resolved_design"]["release"] == "dispatcher";
    EXPECT_EQ(one["window_ns"].is_null(), !looks) << one["design"];
    if (looks) {
      EXPECT_LT(one["window_ns"], one["makespan_ns"].get<std::int64_t>() + 10'000);
    }
    EXPECT_TRUE(one.contains("stopped_ns"));
    const json& bounds = one["bounds"];
    EXPECT_THAT(keys(bounds), IsSupersetOf({"critical_path_ns", "area_ns", "memory_ns", "highest_ns", "highest"}));
    EXPECT_EQ(bounds[bounds["highest"].get<std::string>() + "_ns"], bounds["highest_ns"]);
    EXPECT_GE(one["makespan_ns"], bounds["highest_ns"]);
    EXPECT_EQ(one["resolved_design"].size(), axis_fields().size());
  }
}

TEST_F(CommandJson, SeveralRunsGiveTheirDistribution) {
  const json one = read("simulate " + tiny("--designs shared-queue --runs 5"))["designs"][0];
  const json& runs = one["runs"];
  ASSERT_EQ(runs["makespans_ns"].size(), 5U);
  EXPECT_EQ(runs["makespans_ns"][0], one["makespan_ns"]);
  EXPECT_EQ(runs["makespans_ns"][2], read("simulate " + tiny("--designs shared-queue --seed 5"))["designs"][0]["makespan_ns"])
      << "seed 3 + 2";
  double sum = 0;
  for (const json& makespan : runs["makespans_ns"]) sum += makespan.get<double>();
  EXPECT_DOUBLE_EQ(runs["mean_ns"].get<double>(), sum / 5);
  EXPECT_GT(runs["sigma_ns"], 0);
  EXPECT_EQ(runs["random"].size(), 1U);
}

TEST_F(CommandJson, RunsThatCannotDifferAreMadeOnce) {
  const json one = read("simulate cholesky --designs shared-queue --runs 1000")["designs"][0];
  EXPECT_EQ(one["runs"]["simulated"], 1);
  EXPECT_EQ(one["runs"]["random"].size(), 0U);
  EXPECT_THAT(tasktwin("compare cholesky --designs shared-queue,static-queues --runs 1000").out,
              testing::HasSubstr("all 1000 runs are equal, and one is enough"));
}

TEST_F(CommandJson, CompareSaysWhichColumnsAreOfTheFirstRunAlone) {
  const std::string told = tasktwin("compare " + tiny("--runs 12")).out;
  const std::size_t said = told.find("mean, to best: of 12 runs; over bound and all behind it: of the first, seed 3");
  ASSERT_NE(said, std::string::npos) << told;
  EXPECT_LT(said, told.find("over bound  ")) << "above the table that has them";
  EXPECT_THAT(tasktwin("compare " + tiny()).out, testing::Not(testing::HasSubstr("of the first")));
}

TEST_F(CommandJson, BoundsOfAScenarioAreOfAllDevices) {
  const TemporaryFolder folder;
  write_text(folder / "s.yaml",
             "scenario: s\nmachine: dgx-h100\ngraph:\n  tasks:\n    - {name: any, time_ns: 8000, blocks: 132}\n"
             "    - {name: own, time_ns: 2000, blocks: 132, device: 3}\ndesigns: [cuda-streams]\n");
  const json result = read("scenario show '" + (folder / "s.yaml").string() + "'");
  const auto area_ns = result["bounds"]["area_ns"].get<std::int64_t>();  // with what the machine adds to a body
  EXPECT_GE(area_ns, 2000) << "10 000 over eight devices is less than what one device must do";
  EXPECT_LT(area_ns, 2200);
}

TEST_F(CommandJson, CompareJudgesEveryPair) {
  const json result = read("compare " + tiny("--runs 12"));
  EXPECT_EQ(result["pairs"].size(), 6U);
  for (const json& pair : result["pairs"]) {
    EXPECT_LE(pair["ci_low"], pair["gain"]);
    EXPECT_LE(pair["gain"], pair["ci_high"]);
    EXPECT_EQ(pair["beyond_noise"], pair["ci_low"] > 0 || pair["ci_high"] < 0);
  }
  EXPECT_EQ(result["winner"], result["best"]) << "12 runs of this scenario separate its designs";
}

TEST_F(CommandJson, ExplainAccountsForTheWholeMakespan) {
  const json result = read("explain " + tiny("static-queues central-dispatcher"));
  expect_provenance(result);
  ASSERT_EQ(result["designs"].size(), 2U);
  for (const json& one : result["designs"]) {
    std::int64_t sum = 0;
    for (const auto& [cause, ns] : one["path"].items()) sum += ns.get<std::int64_t>();
    EXPECT_EQ(sum, one["makespan_ns"].get<std::int64_t>());
  }
  EXPECT_EQ(result["faster"], "static-queues");
  EXPECT_GE(result["sentences"].size(), 3U);
  EXPECT_LE(result["sentences"].size(), 9U);
}

TEST_F(CommandJson, SweepSimulatesEveryCombination) {
  const json result =
      read("sweep " + tiny("--vary seed=3,4 --vary designs.shared-queue.mailbox_depth=1,2,3 --designs shared-queue,central-dispatcher"));
  ASSERT_EQ(result["rows"].size(), 12U);
  EXPECT_EQ(result["rows"][0]["values"], json::parse(R"(["3", "1"])"));
  EXPECT_EQ(result["rows"][11]["values"], json::parse(R"(["4", "3"])"));
  const json one = read("simulate " + tiny("--designs shared-queue --seed 4"))["designs"][0];
  EXPECT_EQ(result["rows"][8]["makespan_ns"].get<std::int64_t>(), one["makespan_ns"]) << "seed 4, mailbox depth 2, its own";
}

TEST_F(CommandJson, SweepWorksOutDetailsWhereTheyAreAskedFor) {
  const std::string sweep = "sweep " + tiny("--vary seed=3,4 --designs shared-queue ");
  EXPECT_FALSE(read(sweep)["rows"][0].contains("bounds"));
  const json row = read(sweep + "--details")["rows"][1];
  const json one = read("simulate " + tiny("--designs shared-queue --seed 4"))["designs"][0];
  for (const char* key : {"makespan_ns", "bounds", "ratio_to_bound", "core_busy_share", "overhead_share"})
    EXPECT_EQ(row[key], one[key]) << key;
  EXPECT_THAT(tasktwin(sweep + "--format csv").out, testing::Not(testing::HasSubstr("highest_bound")));
  EXPECT_THAT(tasktwin(sweep + "--format csv --details").out, testing::HasSubstr(",runs,highest_bound_ns,highest_bound,"));
}

TEST_F(CommandJson, SweepWritesCsv) {
  const Outcome outcome = tasktwin("sweep " + tiny("--vary designs.shared-queue.mailbox_depth=1,2 --designs shared-queue --format csv"));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(outcome.out.starts_with("designs.shared-queue.mailbox_depth,design,makespan_ns,")) << outcome.out;
  EXPECT_EQ(std::ranges::count(outcome.out, '\n'), 3);
}

TEST_F(CommandJson, ScenarioShowListAndValidate) {
  const json shown = read("scenario show " + tiny());
  expect_provenance(shown);
  EXPECT_EQ(shown["tasks"], 4);
  EXPECT_EQ(shown["edges"], 4);
  EXPECT_EQ(shown["kernels"], json::parse(R"([{"kernel":"spin","tasks":4,"bytes":0,"flops":0}])"));
  EXPECT_EQ(shown["designs"].size(), 4U);

  const json list = read("scenario list");
  const json cholesky = {{"format", "tasktwin/1"}, {"scenario", "cholesky"}, {"description", "Tiled Cholesky, 24 x 24 tiles of 64, FP32"}};
  const json fft = {
      {"format", "tasktwin/1"}, {"scenario", "suite/fft-5us"}, {"description", "Task Bench's fast Fourier transform, tasks of 5 us"}};
  EXPECT_NE(std::find(list.begin(), list.end(), cholesky), list.end());
  EXPECT_NE(std::find(list.begin(), list.end(), fft), list.end());

  const json valid = read("scenario validate " + tiny());
  EXPECT_EQ(valid[0]["valid"], true);
}

TEST_F(CommandJson, DesignListShowAndAxes) {
  const json list = read("design list");
  ASSERT_EQ(list.size(), named_designs().size());
  EXPECT_EQ(list[4]["design"], "shared-queue");
  EXPECT_EQ(list[4]["description"], named_design_meanings()[4]);

  const json shown = read("design show shared-queue");
  EXPECT_EQ(shown["design"], "shared-queue");
  ASSERT_EQ(shown["axes"].size(), axis_fields().size());
  EXPECT_EQ(shown["axes"][1], json::parse(R"({"axis": "release", "value": "counters", "default": "dispatcher",
      "meaning": "who finds out that a task's predecessors are done: the finishing worker tells its successors"})"));

  EXPECT_EQ(read("design axes").size(), axis_fields().size());
  EXPECT_EQ(read("design axes gang mailbox_depth"), json::parse(R"([
      {"format": "tasktwin/1", "axis": "gang", "meaning": "how a task that needs several cores starts", "default": "together",
       "values": [{"value": "together", "meaning": "on all of them at once, or not at all"},
                  {"value": "parts_apart", "meaning": "the same of several blocks; of a `mix` task each part as soon as its core of the cluster is free"},
                  {"value": "apart", "meaning": "each block, or part, as soon as a core is free"}]},
      {"format": "tasktwin/1", "axis": "mailbox_depth", "meaning": "tasks a core may hold, the running one included", "default": 1, "min": 1, "max": 16}])"));
}

TEST_F(CommandJson, TheSchemaOfScenariosIsOne) {
  const json schema = strict_json(tasktwin("scenario schema").out);
  EXPECT_EQ(schema["$schema"], "http://json-schema.org/draft-07/schema#");
  EXPECT_EQ(schema["properties"]["designs"]["items"]["properties"]["fill"]["else"]["enum"],
            json::parse(R"(["always", "when_no_core_idle", "not_in_tail"])"));
}

TEST_F(CommandJson, TwoRunsAreTheSameBytes) {
  const auto outputs = [this](const std::string& name) {
    const std::string trace = (folder_ / (name + ".json")).string();
    const std::string timeline = (folder_ / (name + ".csv")).string();
    json result = read("simulate " + tiny("--designs central-dispatcher --trace '" + trace + "' --timeline '" + timeline + "'"));
    for (json& one : result["designs"]) {
      for (const char* varying : {"trace_file", "timeline_file"}) EXPECT_EQ(one.erase(varying), 1U);
    }
    return result.dump() + read_text(trace) + read_text(timeline);
  };
  EXPECT_EQ(outputs("one"), outputs("two"));
  EXPECT_EQ(tasktwin("compare --gantt " + tiny()).out, tasktwin("compare --gantt " + tiny()).out);
}

}  // namespace
}  // namespace tasktwin::tests
