#include <gmock/gmock.h>

#include <filesystem>

#include "scenarios/claim_files/claim_file.hpp"
#include "tests/verify/support/cases.hpp"
#include "tests/verify/support/process.hpp"
#include "tests/verify/support/strict_json.hpp"
#include "verify/bench/claims/claim_records.hpp"
#include "verify/predict/graph_hash.hpp"

namespace tasktwin::tests {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;

/// A data folder with one claim, whose comparisons the simulator knows, and recordings beside it.
class ClaimsCommand : public testing::Test {
 protected:
  ClaimsCommand() {
    fs::create_directories(folder_ / "data/scenarios/claims");
    fs::create_directories(folder_ / "data/verify/recorded/nvidia-h200");
    fs::create_directory_symlink(fs::absolute("scenarios/machines"), folder_ / "data/scenarios/machines");
    write_text(folder_ / "data/scenarios/claims/X1.yaml", R"(claim: X1
title: queues are slower
claimed: c
source: s
workload: w
machine: nvidia-h200
graph: {generator: chain, length: 50}
comparisons:
  - {scenario: deep, baseline: shared-queue, contender: static-queues, ratio: {at_least: 1.2}}
)");
  }

  void record(std::int64_t baseline_ns, std::int64_t contender_ns) const {
    const scenarios::Claim claim = scenarios::load_claim((folder_ / "data/scenarios/claims/X1.yaml").string());
    const auto& sides = std::get<scenarios::MakespanSides>(claim.comparisons.front().sides);
    const auto side = [](const scenarios::Scenario& scenario, std::int64_t ns) {
      const Design& design = scenario.designs.front();
      return verify::MeasuredSide{.design = design.name,
                                  .axes = verify::design_to_json(design).dump(),
                                  .graph_hash = verify::graph_hash(scenario.graph),
                                  .makespans = {Duration{ns}},
                                  .host_call = {},
                                  .ordering_violations = 0,
                                  .residual = {},
                                  .residual_limit = 0};
    };
    verify::write_claim_record(folder_ / "data/verify/recorded/nvidia-h200/claims.json",
                               {.id = "X1",
                                .machine_hash = "0123456789abcdef",
                                .origin = {"A GPU", "1.2", "3.4", "2024-05-06", "abc", "tasktwin verify --claims X1"},
                                .comparisons = {{"deep", side(sides.baseline, baseline_ns), side(sides.contender, contender_ns)}}});
  }

  Outcome run(const std::string& arguments) const {
    return tasktwin("verify --claims " + arguments, "export TASKTWIN_DATA='" + (folder_ / "data/scenarios").string() + "';");
  }

  TemporaryFolder folder_;
};

TEST_F(ClaimsCommand, ListsWhatIsNotRecordedAndFailsOnlyIfStrict) {
  const Outcome outcome = run("");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("claims against recorded measurements (no GPU: "));
  EXPECT_THAT(outcome.out, HasSubstr("not recorded"));
  EXPECT_THAT(outcome.out, HasSubstr("X1 not recorded: queues are slower\n"));
  EXPECT_EQ(run("--strict").code, 1);
}

TEST_F(ClaimsCommand, HasTheAgreedShape) {
  record(4000, 2000);
  const Outcome outcome = run("X1 --recorded --format json");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const json result = strict_json(outcome.out);
  EXPECT_EQ(result["source"], "recorded");
  ASSERT_EQ(result["claims"].size(), 1U);
  const json& row = result["claims"][0];
  EXPECT_EQ(row["id"], "X1");
  EXPECT_EQ(row["scenario"], "deep");
  EXPECT_EQ(row["measured_ratio"], 2.0);
  EXPECT_EQ(row["verdict"], "holds");
  EXPECT_EQ(row["device"], "A GPU");
  ASSERT_TRUE(row["predicted_ratio"].is_number());
  EXPECT_NEAR(row["ratio_error"].get<double>(), row["predicted_ratio"].get<double>() / 2 - 1, 1e-12);
  EXPECT_EQ(row["prediction_agrees"], row["predicted_ratio"].get<double>() >= 1.2);
}

TEST_F(ClaimsCommand, StrictFailsWhereThePredictionSaysOtherwise) {
  const json unrecorded = strict_json(run("--recorded --format json").out);
  const bool predicted = unrecorded["claims"][0]["predicted_verdict"] == "holds";
  record(predicted ? 4000 : 1000, 2000);
  EXPECT_EQ(run("--recorded --strict").code, 0);
  record(predicted ? 1000 : 4000, 2000);
  EXPECT_EQ(run("--recorded --strict").code, 1);
  EXPECT_EQ(run("--recorded").code, 0);
}

TEST_F(ClaimsCommand, TakesAFileAndRefusesAnUnknownIdOrOneTwice) {
  EXPECT_EQ(run("'" + (folder_ / "data/scenarios/claims/X1.yaml").string() + "' --recorded").code, 0);
  const Outcome unknown = run("X2 --recorded");
  EXPECT_EQ(unknown.code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("error: X2: no such file, and no shipped claim 'X2'; did you mean 'X1'?"));
  const Outcome twice = run("X1 X1 --recorded");
  EXPECT_EQ(twice.code, 2);
  EXPECT_THAT(twice.err, HasSubstr("--claims: 'X1' is named twice"));
}

TEST_F(ClaimsCommand, OptionsThatDoNotGoTogetherAreRefused) {
  const auto refused = [](const std::string& arguments, const std::string& message) {
    const Outcome outcome = tasktwin("verify " + arguments);
    EXPECT_EQ(outcome.code, 2) << arguments;
    EXPECT_THAT(outcome.err, HasSubstr(message)) << arguments;
  };
  refused("--claims --limit 3", "--claims excludes --limit");
  refused("--claims --designs hybrid", "--claims excludes --designs");
  refused("--strict", "--strict requires --claims");
  refused("--repeats 3", "--repeats requires --claims");
  refused("--record x", "--record requires --claims");
  refused("--claims --recorded --repeats 3", "--repeats excludes --recorded");
  refused("--claims --recorded --record x", "--record excludes --recorded");
}

TEST_F(ClaimsCommand, LiveNeedsAGpu) {
  for (const char* arguments : {"--live", "--record out"}) {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, 1) << arguments;
    EXPECT_THAT(outcome.err, HasSubstr("error: no GPU: ")) << arguments;
  }
}

}  // namespace
}  // namespace tasktwin::tests
