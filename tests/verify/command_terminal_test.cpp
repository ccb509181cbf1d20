#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/load/scenario.hpp"
#include "tests/verify/support/cases.hpp"
#include "tests/verify/support/process.hpp"
#include "tests/verify/support/pseudo_terminal.hpp"
#include "verify/output/text/text_table.hpp"

namespace tasktwin::tests {
namespace {

using testing::HasSubstr;
using testing::Not;

void expect_page_wide(const std::string& arguments) {
  const Outcome outcome = tasktwin(arguments);
  if (arguments.find("ascend-moe-fanout") != std::string::npos && outcome.code != 0) {  // which shows what hangs under some seeds
    EXPECT_EQ(outcome.code, 1) << arguments << '\n' << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("stands still")) << arguments;
    return;  // an error is one line, of any length
  }
  EXPECT_EQ(outcome.code, 0) << arguments << '\n' << outcome.err;
  EXPECT_FALSE(outcome.out.empty()) << arguments;
  std::istringstream lines(outcome.out + outcome.err);
  for (std::string line; std::getline(lines, line);) {
    if (line.find(".yaml") != std::string::npos) continue;  // a path is never cut
    EXPECT_LE(verify::columns(line), verify::kPageColumns) << arguments << ":\n" << line;
  }
}

/// Shipped scenarios small enough to simulate under all their designs in a moment.
std::vector<std::string> quick_scenarios() {
  std::vector<std::string> quick;
  for (const std::string& name : scenarios::shipped_scenarios()) {
    if (scenarios::load_scenario(name).graph.size() <= 5000) quick.push_back(name);
  }
  return quick;
}

TEST(Page, IsAHundredColumnsWideForEveryQuickScenario) {
  const std::vector<std::string> quick = quick_scenarios();
  EXPECT_GE(quick.size(), 8U);
  for (const std::string& name : quick) {
    const auto designs = scenarios::load_scenario(name).designs;
    expect_page_wide("simulate --gantt --runs 2 " + name);
    expect_page_wide("compare " + name);
    expect_page_wide("compare --runs 3 " + name);
    expect_page_wide("scenario show " + name);
    if (designs.size() > 1) expect_page_wide("explain " + name + " " + designs[0].name + " " + designs[1].name);
  }
}

TEST(Page, IsAHundredColumnsWideForEverythingElse) {
  for (const char* arguments :
       {"scenario list", "design list", "design show hybrid", "design axes",
        "sweep example --vary machine.device_mailboxes.hop_ns=200,800 --vary seed=1,2 --vary designs.backoff_ns=0 --details",
        "verify --recorded --breakdown cholesky", "verify cholesky", "verify --claims C14"}) {
    expect_page_wide(arguments);
  }
}

TEST(Page, RepeatsTheKeysOfASweepBesideEachPartOfItsTable) {
  const Outcome outcome = tasktwin(
      "sweep example --designs central-dispatcher,shared-queue --vary machine.device_mailboxes.hop_ns=800,1e2 --vary seed=2,1 --vary "
      "machine.device_control.poll_ns=20,30 --vary machine.device_control.dispatch_ns=100,200 --runs 2 --details");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  std::istringstream lines(outcome.out);
  std::vector<std::string> rows;
  int headers = 0;
  for (std::string line; std::getline(lines, line);) {
    headers += line.starts_with("design ") ? 1 : 0;
    if (line.starts_with("design ")) {
      EXPECT_THAT(line, HasSubstr("hop_ns  seed  poll_ns  dispatch_ns"));
    }
    if (headers == 1 && line.find(" µs") != std::string::npos) rows.push_back(line.substr(0, line.find(" µs")));
  }
  EXPECT_GE(headers, 2);
  ASSERT_EQ(rows.size(), 32U);
  EXPECT_THAT(rows[0], testing::MatchesRegex("central-dispatcher +1e2 +1 +20 +100 .*"));
  EXPECT_THAT(rows[1], testing::MatchesRegex("central-dispatcher +1e2 +1 +20 +200 .*"));
  EXPECT_THAT(rows[15], testing::MatchesRegex("central-dispatcher +800 +2 +30 +200 .*"));
  EXPECT_THAT(rows[16], testing::MatchesRegex("shared-queue +1e2 +1 +20 +100 .*"));
}

TEST(Page, MarksTheBestOfASweep) {
  const Outcome outcome = tasktwin("sweep example --designs shared-queue --vary graph.tasks[1].time_ns=90000,1000,50000");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("* lowest makespan: shared-queue at time_ns 1000\n"));
  EXPECT_THAT(outcome.out, testing::ContainsRegex("shared-queue +1000 +[0-9.]+ µs \\*\n"));
  EXPECT_THAT(outcome.out, Not(testing::ContainsRegex("shared-queue +50000 +[0-9.]+ µs \\*")));
}

TEST(Page, HoldsWideCharactersAndLongNames) {
  const TemporaryFolder folder;
  const std::string file = (folder / "wide.yaml").string();
  const std::string name(95, 'n');
  std::string description;
  for (int i = 0; i < 30; ++i) description += "任务图 在 机器上 ";
  write_text(file, "scenario: " + name + "\ndescription: " + description + R"(
machine: nvidia-h200
graph:
  tasks:
    - {name: first, time_ns: 4000}
    - {name: last, time_ns: 6000, sigma_ns: 500, after: [first]}
designs:
  - {name: a-)" + name +
                       R"(, from: shared-queue}
  - {name: b-)" + name +
                       R"(, from: central-dispatcher}
)");
  const std::string quoted = "'" + file + "'";
  expect_page_wide("scenario show " + quoted);
  expect_page_wide("simulate --gantt --runs 3 " + quoted);
  expect_page_wide("explain " + quoted + " a-" + name + " b-" + name);
  expect_page_wide("sweep " + quoted + " --vary machine.device_mailboxes.hop_ns=200,800 --details");
}

TEST(Quiet, LeavesResultsAndErrors) {
  const TemporaryFolder folder;
  write_text(folder / "tiny.yaml", kTinyScenario);
  const std::string tiny = "'" + (folder / "tiny.yaml").string() + "'";
  const std::string trace = " --trace '" + (folder / "t.json").string() + "'";
  const Outcome loud = tasktwin("simulate " + tiny + " --designs shared-queue" + trace);
  const Outcome quiet = tasktwin("simulate " + tiny + " --designs shared-queue --quiet" + trace);
  EXPECT_THAT(loud.out, HasSubstr("wrote "));
  EXPECT_THAT(quiet.out, Not(HasSubstr("wrote ")));
  EXPECT_EQ(quiet.out, loud.out.substr(0, loud.out.find("wrote ")));
  EXPECT_EQ(tasktwin("--quiet simulate " + tiny + " --designs shared-queue" + trace).out, quiet.out) << "in front as well";
  EXPECT_EQ(tasktwin("-q scenario list").out, tasktwin("scenario list").out);
  const Outcome wrong = tasktwin("simulate -q /no/such.yaml");
  EXPECT_EQ(wrong.code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("error: "));
}

TEST(Colour, IsForTerminalsUnlessAskedFor) {
  const TemporaryFolder folder;
  write_text(folder / "tiny.yaml", kTinyScenario);
  const std::string command = "compare '" + (folder / "tiny.yaml").string() + "'";
  const auto has_colour = [](const Outcome& outcome) { return outcome.out.find('\033') != std::string::npos; };
  EXPECT_FALSE(has_colour(tasktwin(command)));
  EXPECT_FALSE(has_colour(tasktwin(command + " --color never")));
  EXPECT_TRUE(has_colour(tasktwin(command + " --color always")));
  EXPECT_TRUE(has_colour(tasktwin("--color always " + command, "export NO_COLOR=1;"))) << "what is asked for goes before the environment";
  EXPECT_FALSE(has_colour(tasktwin(command + " --format json --color always"))) << "JSON is for programs";
  const Outcome wrong = tasktwin(command + " --color blue");
  EXPECT_EQ(wrong.code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("--color: unknown value 'blue'; valid: auto, always, never"));
}

TEST(Colour, NoColorKeepsATerminalPlain) {
  if (const auto why = why_no_pseudo_terminal()) GTEST_SKIP() << *why;
  const TemporaryFolder folder;
  write_text(folder / "tiny.yaml", kTinyScenario);
  if (bash("command -v script", folder.path()).code != 0) GTEST_SKIP() << "no script(1), which gives a terminal";
  const auto on_a_terminal = [&](const std::string& before) {
    return bash(before + " TERM=xterm script -qec 'tasktwin compare tiny.yaml' /dev/null", folder.path()).out;
  };
  EXPECT_THAT(on_a_terminal(""), HasSubstr("\033[1mtiny"));
  EXPECT_THAT(on_a_terminal("NO_COLOR=1"), Not(HasSubstr("\033[1m")));
  EXPECT_THAT(on_a_terminal("NO_COLOR="), HasSubstr("\033[1m")) << "empty is as unset";
}

TEST(Page, IsAsWideAsColumnsSays) {
  const auto widest = [](const std::string& columns) {
    const Outcome outcome = tasktwin("compare example", "COLUMNS=" + columns);
    std::size_t width = 0;
    std::istringstream lines(outcome.out);
    for (std::string line; std::getline(lines, line);) width = std::max(width, verify::columns(line));
    return width;
  };
  EXPECT_LE(widest("60"), 60U);
  EXPECT_GT(widest("60"), 40U);
  EXPECT_LE(widest("100"), 100U);
  EXPECT_EQ(widest("nonsense"), widest("100"));
}

}  // namespace
}  // namespace tasktwin::tests
