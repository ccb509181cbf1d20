#include <gmock/gmock.h>

#include <cmath>

#include "models/base/error.hpp"
#include "tests/verify/support/cases.hpp"
#include "verify/bench/claims/claim_records.hpp"
#include "verify/bench/claims/claim_report.hpp"
#include "verify/bench/claims/claim_rows.hpp"
#include "verify/bench/claims/metg_figures.hpp"
#include "verify/predict/graph_hash.hpp"
#include "verify/recordings/recorded.hpp"

namespace tasktwin::verify {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using tests::TemporaryFolder;

constexpr std::string_view kClaim = R"(claim: X1
title: queues are slower
claimed: c
source: s
workload: w
machine: nvidia-h200
graph: {generator: independent, tasks: 300}
comparisons:
  - {scenario: wide, baseline: shared-queue, contender: static-queues, ratio: {at_least: 2}}
  - {scenario: deep, graph: {generator: chain, length: 50}, baseline: shared-queue, contender: static-queues, ratio: {at_most: 4}}
)";

constexpr std::string_view kMetgClaim = R"(claim: X2
title: t
claimed: c
source: s
workload: w
machine: nvidia-h200
comparisons:
  - {scenario: metg, metg: trivial, baseline: layer-barrier, contender: static-queues, ratio: {at_least: 2}}
)";

scenarios::Claim claim_of(std::string_view text) {
  const TemporaryFolder folder;
  tests::write_text(folder / "claim.yaml", text);
  return scenarios::load_claim((folder / "claim.yaml").string());
}

/// Every shared queue takes `ratio` times as long as the lists.
class FakeMeasurer : public SideMeasurer {
 public:
  explicit FakeMeasurer(double ratio) : ratio_(ratio) {}

  MeasuredSide measure(const scenarios::Scenario& scenario) override {
    const Design& design = scenario.designs.front();
    if (design.name == refused) throw InputError("no executor for it");
    if (design.name == broken) throw RunError("it hung");
    const bool slow = design.name == "shared-queue";
    const auto ns = std::llround(1000 * (slow ? ratio_ : 1));
    return {.design = design.name,
            .axes = design_to_json(design).dump(),
            .graph_hash = graph_hash(scenario.graph),
            .makespans = {Duration{ns - 10}, Duration{ns}, Duration{ns + 30}},
            .host_call = {},
            .ordering_violations = design.name == out_of_order ? 3 : 0,
            .residual = {},
            .residual_limit = 0};
  }
  Figures measure_metg(const scenarios::MetgSides&) override { return {5000, 1000}; }

  std::string refused;
  std::string broken;
  std::string out_of_order;

 private:
  double ratio_;
};

const ClaimOrigin kOrigin{"A GPU", "1.2", "3.4", "2024-05-06", "abc", "tasktwin verify --claims X1 --live"};

std::vector<ClaimRow> live_rows(const scenarios::Claim& claim, FakeMeasurer& measurer) {
  return ClaimRows("nowhere", &measurer, kOrigin, [](const std::string&) {}).of(claim);
}

std::vector<ClaimRow> recorded_rows(const scenarios::Claim& claim, const std::filesystem::path& folder) {
  return ClaimRows(folder, nullptr, {}, [](const std::string&) {}).of(claim);
}

TEST(ClaimRows, MeasuredRatiosAreOfMediansAndJudgedByTheRange) {
  FakeMeasurer measurer(3);
  const scenarios::Claim claim = claim_of(kClaim);
  const auto rows = live_rows(claim, measurer);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].scenario, "wide");
  EXPECT_DOUBLE_EQ(rows[0].measured->ratio(), 3);
  EXPECT_EQ(rows[0].verdict(), ClaimVerdict::kHolds);
  EXPECT_EQ(rows[1].verdict(), ClaimVerdict::kHolds);
  EXPECT_EQ(rows[0].origin, kOrigin);
  ASSERT_TRUE(rows[0].predicted.has_value());
  EXPECT_EQ(rows[0].agrees(), rows[0].predicted->ratio() >= 2);
  EXPECT_DOUBLE_EQ(*rows[0].error(), rows[0].predicted->ratio() / 3 - 1);
  EXPECT_EQ(summarize(claim, rows).verdict(), ClaimVerdict::kHolds);

  FakeMeasurer slower(5);
  const auto partly = live_rows(claim, slower);
  EXPECT_EQ(partly[1].verdict(), ClaimVerdict::kDoesNotHold);
  EXPECT_EQ(summarize(claim, partly).verdict(), ClaimVerdict::kPartly);
}

TEST(ClaimRows, WhatNoExecutorRunsIsSaidAndWhatFailsIsAFault) {
  const scenarios::Claim claim = claim_of(kClaim);
  FakeMeasurer measurer(3);
  measurer.refused = "static-queues";
  ClaimRow row = live_rows(claim, measurer)[0];
  EXPECT_EQ(row.verdict(), ClaimVerdict::kNotMeasured);
  EXPECT_EQ(row.why_unmeasured, "no executor for it");
  EXPECT_FALSE(row.failed);
  EXPECT_EQ(row.agrees(), std::nullopt);

  measurer.refused.clear();
  measurer.broken = "static-queues";
  row = live_rows(claim, measurer)[0];
  EXPECT_TRUE(row.failed);
  EXPECT_EQ(row.why_unmeasured, "it hung");

  measurer.broken.clear();
  measurer.out_of_order = "shared-queue";
  const auto rows = live_rows(claim, measurer);
  EXPECT_TRUE(rows[0].failed);
  EXPECT_EQ(rows[0].why_unmeasured, "'shared-queue' was out of order 3 times");
  EXPECT_EQ(to_record(claim, rows), std::nullopt) << "nothing that failed is kept";
}

TEST(ClaimRecords, ComeBackAsTheyWereAndReplaceTheirOwnKind) {
  const TemporaryFolder folder;
  const scenarios::Claim claim = claim_of(kClaim);
  FakeMeasurer measurer(3);
  const auto record = to_record(claim, live_rows(claim, measurer));
  ASSERT_TRUE(record.has_value());
  const auto file = folder / "claims.json";
  EXPECT_TRUE(read_claim_records(file).empty()) << "no such file yet";
  RecordedClaim other = *record;
  other.id = "X0";
  write_claim_record(file, other);
  write_claim_record(file, *record);
  EXPECT_THAT(read_claim_records(file), ElementsAre(other, *record));
  RecordedClaim again = *record;
  again.origin.date = "2025-01-01";
  write_claim_record(file, again);
  EXPECT_THAT(read_claim_records(file), ElementsAre(other, again));
}

TEST(ClaimRecords, GiveTheSameRowsAsTheMeasurement) {
  const TemporaryFolder folder;
  const scenarios::Claim claim = claim_of(kClaim);
  FakeMeasurer measurer(3);
  const auto measured = live_rows(claim, measurer);
  prepare_recording_folder(folder.path(), "nvidia-h200");
  write_claim_record(claim_records_path(folder.path(), "nvidia-h200"), *to_record(claim, measured));
  const auto read = recorded_rows(claim, folder.path());
  ASSERT_EQ(read.size(), 2U);
  for (std::size_t i = 0; i < read.size(); ++i) {
    EXPECT_EQ(read[i].sides, measured[i].sides);
    EXPECT_DOUBLE_EQ(read[i].measured->ratio(), 3);
    EXPECT_EQ(read[i].origin, kOrigin);
    EXPECT_DOUBLE_EQ(read[i].predicted->ratio(), measured[i].predicted->ratio());
  }
}

TEST(ClaimRecords, OfAnotherGraphOrDesignDoNotCount) {
  const TemporaryFolder folder;
  FakeMeasurer measurer(3);
  const scenarios::Claim claim = claim_of(kClaim);
  prepare_recording_folder(folder.path(), "nvidia-h200");
  write_claim_record(claim_records_path(folder.path(), "nvidia-h200"), *to_record(claim, live_rows(claim, measurer)));

  std::string longer(kClaim);
  longer.replace(longer.find("tasks: 300"), 10, "tasks: 301");
  auto rows = recorded_rows(claim_of(longer), folder.path());
  EXPECT_EQ(rows[0].verdict(), ClaimVerdict::kNotMeasured);
  EXPECT_EQ(rows[0].why_unmeasured, "'shared-queue' was measured on another graph; record it anew: tasktwin verify --claims X1 --live");
  EXPECT_EQ(rows[1].verdict(), ClaimVerdict::kHolds);

  std::string deeper(kClaim);
  deeper.insert(deeper.find("comparisons:"), "designs: [{name: mine, from: static-queues, mailbox_depth: 3}]\n");
  deeper.replace(deeper.find("contender: static-queues"), 24, "contender: mine         ");
  rows = recorded_rows(claim_of(deeper), folder.path());
  EXPECT_THAT(rows[0].why_unmeasured, HasSubstr("measured with another design: mailbox_depth was 1, but is 3 now"));

  std::string renamed(kClaim);
  renamed.replace(renamed.find("scenario: wide"), 14, "scenario: new ");
  rows = recorded_rows(claim_of(renamed), folder.path());
  EXPECT_EQ(rows[0].verdict(), ClaimVerdict::kNotRecorded);
  EXPECT_EQ(rows[0].why_unmeasured, "");
}

TEST(ClaimRecords, ADamagedFileIsRefusedByName) {
  const TemporaryFolder folder;
  const auto file = folder / "claims.json";
  const auto refused = [&file](std::string_view text) {
    tests::write_text(file, text);
    try {
      read_claim_records(file);
    } catch (const InputError& wrong) {
      return std::string(wrong.what());
    }
    return std::string();
  };
  EXPECT_THAT(refused("{"), HasSubstr(file.string() + ":1:2: is no JSON"));
  EXPECT_THAT(refused(R"({"format": 2, "claims": []})"), HasSubstr("format: is '2'; must be a whole number, 1 to 1"));
  EXPECT_THAT(refused(R"({"format": 1, "claims": 3})"), HasSubstr("claims: must be a list, not number"));
  EXPECT_THAT(refused(R"({"format": 1, "claims": [{"id": 3}]})"), HasSubstr("claims[0].id: must be text, not number"));
  const scenarios::Claim claim = claim_of(kClaim);
  FakeMeasurer measurer(3);
  write_claim_record(folder / "good.json", *to_record(claim, live_rows(claim, measurer)));
  std::string text = tests::read_text(folder / "good.json");
  EXPECT_EQ(refused(text), "");
  const std::size_t at = text.find("2990");
  ASSERT_NE(at, std::string::npos);
  text.replace(at, 4, "-990");
  EXPECT_THAT(refused(text), HasSubstr("claims[0].comparisons[0].baseline.makespans_ns[0]: is '"));
}

TEST(ClaimRecords, EveryShippedOneIsOfTheClaimAsItIsNow) {
  for (const std::string& id : scenarios::shipped_claims()) {
    for (const scenarios::Comparison& comparison : scenarios::load_claim(id).comparisons) {
      const auto* sides = std::get_if<scenarios::MakespanSides>(&comparison.sides);
      if (sides == nullptr) continue;
      for (const RecordedClaim& claim : read_claim_records(claim_records_path(recordings_folder(), sides->baseline.machine.name))) {
        if (claim.id != id) continue;
        for (const RecordedComparison& one : claim.comparisons) {
          if (one.scenario != comparison.name) continue;
          EXPECT_EQ(why_outdated(one.baseline, sides->baseline), std::nullopt) << id << " " << one.scenario;
          EXPECT_EQ(why_outdated(one.contender, sides->contender), std::nullopt) << id << " " << one.scenario;
        }
      }
    }
  }
}

TEST(MetgClaims, AreReadFromTheBenchmarksRecord) {
  const TemporaryFolder folder;
  const scenarios::Claim claim = claim_of(kMetgClaim);
  EXPECT_EQ(recorded_rows(claim, folder.path())[0].verdict(), ClaimVerdict::kNotRecorded);
  prepare_recording_folder(folder.path(), "nvidia-h200");
  const auto write = [&folder](std::string_view barrier) {
    tests::write_text(folder / "nvidia-h200/metg.json",
                      R"({"device": "A GPU", "driver": "1", "runtime": "2", "date": "2024-05-06", "commit": "c", "command": "d", "metg": [
      {"executor": "static-queues", "pattern": "stencil", "metg50_us": 9}, {"executor": "static-queues", "pattern": "trivial", "metg50_us": 0.5},
      {"executor": "layer-barrier", "pattern": "trivial", "metg50_us": )" +
                          std::string(barrier) + "}]}");
  };
  write("2.0");
  const ClaimRow row = recorded_rows(claim, folder.path())[0];
  EXPECT_DOUBLE_EQ(row.measured->ratio(), 4);
  EXPECT_EQ(row.origin.device, "A GPU");
  EXPECT_EQ(row.verdict(), ClaimVerdict::kHolds);
  ASSERT_TRUE(row.predicted.has_value()) << row.why_unpredicted;
  EXPECT_GT(row.predicted->ratio(), 0);
  EXPECT_EQ(to_record(claim, {row}), std::nullopt) << "the benchmark records it";
  write("null");
  EXPECT_EQ(recorded_rows(claim, folder.path())[0].why_unmeasured,
            "METG of layer-barrier on trivial was not found within the lengths tried");
}

TEST(MetgClaims, NameAnUnknownExecutorAtItsPlace) {
  std::string text(kMetgClaim);
  text.replace(text.find("layer-barrier"), 13, "layer-barier ");
  try {
    recorded_rows(claim_of(text), "nowhere");
    ADD_FAILURE() << "there is no such executor";
  } catch (const InputError& wrong) {
    EXPECT_THAT(wrong.what(), HasSubstr(":8:5: no executor of the METG benchmark is called 'layer-barier'; did you mean 'layer-barrier'?"));
  }
}

TEST(ClaimReport, HasARowAComparisonAndALineAClaim) {
  const scenarios::Claim claim = claim_of(kClaim);
  FakeMeasurer measurer(5);
  std::vector<ClaimRow> rows = live_rows(claim, measurer);
  rows[0].predicted = Figures{6000, 1000};
  rows[1].predicted = Figures{3000, 1000};
  const std::vector summaries{summarize(claim, rows)};
  const std::string text = claims_to_text(rows, summaries);
  EXPECT_THAT(text, HasSubstr("X1 wide              ≥ 2      5.00       6.00  +20.0 %          holds      agrees\n"
                              "X1 deep              ≤ 4      5.00       3.00  -40.0 %  does not hold     differs\n"));
  EXPECT_THAT(text, HasSubstr("X1 partly: queues are slower (1 of 2 measured hold; predicted alike in 1 of 2; A GPU, 2024-05-06)"));
  const Json json = claims_to_json(rows, summaries, true);
  EXPECT_EQ(json["source"], "live");
  EXPECT_EQ(json["claims"][1]["id"], "X1");
  EXPECT_EQ(json["claims"][1]["scenario"], "deep");
  EXPECT_EQ(json["claims"][1]["measured_ratio"], 5.0);
  EXPECT_EQ(json["claims"][1]["predicted_ratio"], 3.0);
  EXPECT_EQ(json["claims"][1]["verdict"], "does not hold");
  EXPECT_EQ(json["claims"][1]["predicted_verdict"], "holds");
  EXPECT_EQ(json["claims"][1]["prediction_agrees"], false);
  EXPECT_EQ(json["claims"][1]["claimed"]["at_least"], nullptr);
  EXPECT_EQ(json["claims"][0]["baseline"]["measured_ns"], 5000.0);
  EXPECT_EQ(json["claims"][0]["contender"]["repeats"], 3);
  EXPECT_EQ(json["summary"][0]["verdict"], "partly");
}

TEST(ClaimReport, WhatIsMissingIsSaidOnceForEachReason) {
  const scenarios::Claim claim = claim_of(kClaim);
  FakeMeasurer measurer(3);
  measurer.refused = "static-queues";
  const std::vector<ClaimRow> rows = live_rows(claim, measurer);
  const std::vector summaries{summarize(claim, rows)};
  EXPECT_EQ(summaries[0].verdict(), ClaimVerdict::kNotMeasured);
  EXPECT_THAT(claims_to_text(rows, summaries), HasSubstr("X1 not measured: wide, deep; no executor for it\n"));
  const Json json = claims_to_json(rows, summaries, true);
  EXPECT_EQ(json["claims"][0]["measured_ratio"], nullptr);
  EXPECT_EQ(json["claims"][0]["verdict"], "not measured");
}

}  // namespace
}  // namespace tasktwin::verify
