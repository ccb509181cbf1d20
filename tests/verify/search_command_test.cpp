// `tasktwin search`, its file, and the gate of `tasktwin compare`, from outside.
#include <algorithm>
#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/verify/support/cases.hpp"
#include "tests/verify/support/process.hpp"
#include "tests/verify/support/strict_json.hpp"

namespace tasktwin::tests {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class SearchCommand : public testing::Test {
 protected:
  SearchCommand() { write_text(folder_ / "tiny.yaml", kTinyScenario); }

  std::string quoted(const std::string& name) const { return "'" + (folder_ / name).string() + "' "; }

  /// 1800 points.
  std::string space() const {
    return quoted("tiny.yaml") +
           "--designs central-dispatcher,shared-queue --vary machine.device_mailboxes.hop_ns=100,200,300,400,500 --vary "
           "designs.mailbox_depth=1,2,3 --vary seed=1,2,3,4,5,6 --vary "
           "graph.tasks[0].time_ns=1000,2000,3000,4000,5000,6000,7000,8000,9000,9500 ";
  }

  TemporaryFolder folder_;
};

TEST_F(SearchCommand, FindsTheBestAndSaysHowToSimulateIt) {
  const Outcome found = tasktwin("search " + space() + "--method grid --no-prune --format json");
  ASSERT_EQ(found.code, 0) << found.err;
  const json answer = strict_json(found.out);
  EXPECT_EQ(answer["space"], 1800);
  EXPECT_EQ(answer["points"][0]["stands"], "best");
  std::string command = answer["points"][0]["command"];
  const Outcome again = tasktwin(command.substr(command.find(' ') + 1) + " --format json");
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(strict_json(again.out)["rows"][0]["makespan_ns"], answer["points"][0]["makespan_ns"]);
}

TEST_F(SearchCommand, KilledAtAnyMomentGoesOnToTheSameRows) {
  const std::string undisturbed = tasktwin("search " + space() + "--method grid --format csv").out;
  ASSERT_EQ(std::ranges::count(undisturbed, '\n'), 1801);
  const std::string script =
      "for wait in 0.05 0.11 0.23 0.17 0.3; do\n  if [ -s results.db ]; then set -- --resume results.db; else set -- " + space() +
      "--method grid --results results.db; fi\n  tasktwin search \"$@\" --jobs 2 >killed.csv 2>&1 & id=$!\n"
      "  sleep $wait; kill -9 $id 2>/dev/null || true; wait $id 2>/dev/null || true\ndone\n"
      "tasktwin search --resume results.db --jobs 2 --format csv";
  const Outcome resumed = bash(script, folder_.path());
  EXPECT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_EQ(resumed.out, undisturbed);
}

TEST_F(SearchCommand, HasTheSameRowsUnderMpi) {
  if (std::system("command -v mpirun >/dev/null 2>&1") != 0) GTEST_SKIP() << "no mpirun";
  const std::string alone = tasktwin("search " + space() + "--budget 120 --format csv").out;
  for (const char* processes : {"1", "2", "4"}) {
    const Outcome outcome = bash("OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun --oversubscribe -n " +
                                     std::string(processes) + " \"$(command -v tasktwin)\" search " + space() + "--budget 120 --format csv",
                                 folder_.path());
    if (outcome.err.find("this build has no MPI") != std::string::npos) GTEST_SKIP() << "no MPI in this build";
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.out, alone) << processes << " processes";
  }
}

TEST_F(SearchCommand, SaysWhatDoesNotGoTogether) {
  const auto refused = [](const std::string& arguments, const std::string& why) {
    const Outcome outcome = tasktwin("search " + arguments);
    EXPECT_EQ(outcome.code, 2) << arguments;
    EXPECT_THAT(outcome.err, HasSubstr(why)) << arguments;
  };
  refused("", "SCENARIO is required");
  refused(quoted("tiny.yaml") + "--designs shared-queue", "there is nothing to choose from");
  refused(quoted("tiny.yaml") + "--vary designs.mailbox_depth", "'designs.mailbox_depth' is a number");
  refused(quoted("tiny.yaml") + "--vary seed=1,1", "has the value 1 twice");
  refused("--resume " + quoted("tiny.yaml"), "is no");
  refused("--resume " + quoted("none.db"), "no such file");
  refused(quoted("tiny.yaml") + "--adversary shared-queue nothing", "unknown design 'nothing'");
}

TEST_F(SearchCommand, RefusesToGoOnWithAScenarioThatHasChanged) {
  ASSERT_EQ(tasktwin("search " + space() + "--budget 20 --results " + quoted("r.db")).code, 0);
  write_text(folder_ / "tiny.yaml", std::string(kTinyScenario) + "description: other\n");
  const Outcome outcome = tasktwin("search --resume " + quoted("r.db"));
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("is no longer what it was"));
}

TEST_F(SearchCommand, WritesAGraphThatADesignLosesOn) {
  const Outcome outcome =
      tasktwin("search cholesky --adversary shared-queue static-queues --budget 400 --output " + quoted("adverse.yaml") + "--format json");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const json found = strict_json(outcome.out);
  EXPECT_LE(found["tasks"], 200);
  EXPECT_GT(found["loss"], 0);
  const Outcome simulated = tasktwin("simulate " + quoted("adverse.yaml") + "--format json");
  EXPECT_EQ(simulated.code, 0) << simulated.err;
}

TEST_F(SearchCommand, AGateFailsOnWhatBecameSlowerAndNamesTheCause) {
  const auto json_of = [&](const std::string& arguments) {
    const Outcome outcome = tasktwin("compare " + arguments + " --designs static-queues,shared-queue --runs 8 --format json");
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return outcome.out;
  };
  write_text(folder_ / "baseline.json", json_of(quoted("tiny.yaml")));
  const std::string gate = "compare " + quoted("tiny.yaml") + "--designs static-queues,shared-queue --runs 8 --fail-above 2% --baseline ";
  EXPECT_EQ(tasktwin(gate + quoted("baseline.json")).code, 0) << "nothing has changed";

  std::string slower(kTinyScenario);
  slower.replace(slower.find("machine: nvidia-h200"), 20, "machine: {from: nvidia-h200, resident_cores: {counter_hop_ns: 9000}}");
  write_text(folder_ / "tiny.yaml", slower);
  const Outcome failed = tasktwin(gate + quoted("baseline.json"));
  EXPECT_EQ(failed.code, 1);
  EXPECT_THAT(failed.err, HasSubstr("too slow: tiny under static-queues is "));
  EXPECT_THAT(failed.err, HasSubstr("notification +"));
  EXPECT_EQ(tasktwin("compare " + quoted("tiny.yaml") + "--fail-above 2").code, 2) << "of what";
  const Outcome few = tasktwin("compare " + quoted("tiny.yaml") + "--fail-if-worse-than shared-queue");
  EXPECT_EQ(few.code, 2);
  EXPECT_THAT(few.err, HasSubstr("1 run(s) do not tell a difference from chance"));
}

}  // namespace
}  // namespace tasktwin::tests
