// `tasktwin advise` from outside.
#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/verify/support/captured_text.hpp"
#include "tests/verify/support/cases.hpp"
#include "tests/verify/support/process.hpp"
#include "tests/verify/support/strict_json.hpp"
#include "verify/rerun/rerun_file.hpp"

namespace tasktwin::tests {
namespace {

using testing::HasSubstr;

class AdviseCommand : public testing::Test {
 protected:
  AdviseCommand() {
    write_text(folder_ / "program.json", verify::CapturedText()
                                             .kernel("f(float*)", 7, {4096}, 100)
                                             .kernel("f(float*)", 7, {8192}, 100)
                                             .sync()
                                             .kernel("g(float*)", 7, {12288}, 100)
                                             .sync()
                                             .text());
  }

  Outcome advise(const std::string& options) const { return bash("exec tasktwin advise program.json " + options, folder_.path()); }

  TemporaryFolder folder_;
};

TEST_F(AdviseCommand, WritesAScheduleThatSimulateTakesForTheSame) {
  const Outcome out = advise("--plan-out plan.json --format json");
  ASSERT_EQ(out.code, 0) << out.err;
  const nlohmann::json proposals = strict_json(out.out)["advice"]["proposals"];
  const auto first = std::ranges::find_if(proposals, [](const nlohmann::json& one) { return one["schedule"] == true; });
  ASSERT_NE(first, proposals.end());
  const Outcome planned = bash(
      "tasktwin scenario import program.json --output program.yaml >&2 && exec tasktwin simulate program.yaml --plan plan.json --format "
      "json",
      folder_.path());
  ASSERT_EQ(planned.code, 0) << planned.err;
  EXPECT_EQ(strict_json(planned.out)["designs"][0]["makespan_ns"], (*first)["makespan_ns"]);
}

TEST_F(AdviseCommand, WhatARerunMeasuredIsShownBesideWhatIsPredicted) {
  verify::RerunFile rerun;
  rerun.command = {"./program"};
  rerun.device = {{"name", "NVIDIA H200"}};
  rerun.schedules = {
      {.name = "as-captured", .device_us = {310, 312, 311}, .host_us = {320, 330, 325}},
      {.name = "graph", .device_us = {205, 206, 207}, .host_us = {210, 220, 215}, .predicted_us = 205.0, .check = verify::RerunCheck{}}};
  write_text(folder_ / "rerun.json", verify::to_json(rerun).dump());
  ASSERT_EQ(bash("tasktwin scenario import program.json --output program.yaml", folder_.path()).code, 0);
  const Outcome text = bash("exec tasktwin compare program.yaml --rerun rerun.json", folder_.path());
  ASSERT_EQ(text.code, 0) << text.err;
  EXPECT_THAT(text.out, testing::ContainsRegex("graph .*215\\.0 µs +205\\.0 µs +-4\\.7 %.*equal"));
  const Outcome json = bash("exec tasktwin compare program.yaml --rerun rerun.json --format json", folder_.path());
  ASSERT_EQ(json.code, 0) << json.err;
  const nlohmann::json schedules = strict_json(json.out)["rerun"]["schedules"];
  ASSERT_EQ(schedules.size(), 2u);
  EXPECT_EQ(schedules[1]["host_us"], 215);
  EXPECT_EQ(schedules[0]["predicted_us"], nullptr);
  const Outcome other = bash("exec tasktwin compare cholesky --rerun rerun.json", folder_.path());
  EXPECT_EQ(other.code, 2);
  EXPECT_THAT(other.err, HasSubstr("--rerun: 'cholesky' is no captured program"));
}

TEST_F(AdviseCommand, RefusesProposalsThatAreNoSchedule) {
  const Outcome many = advise("--plan-out plan.json --proposal 100");
  EXPECT_EQ(many.code, 2);
  EXPECT_THAT(many.err, HasSubstr("proposals; those that are schedules: "));
  const Outcome alone = advise("--proposal 1");
  EXPECT_EQ(alone.code, 2);
  EXPECT_THAT(alone.err, HasSubstr("--proposal: needs --plan-out"));
  const Outcome onto_itself = advise("--plan-out program.json");
  EXPECT_EQ(onto_itself.code, 2);
  EXPECT_THAT(onto_itself.err, HasSubstr("--plan-out"));
}

}  // namespace
}  // namespace tasktwin::tests
