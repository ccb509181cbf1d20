// `tasktwin search`, its file, and the gate of `tasktwin compare`, from outside.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/verify/support/cases.hpp"
#include "tests/verify/support/process.hpp"
#include "tests/verify/support/strict_json.hpp"
#include "verify/search/result_database.hpp"

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
  EXPECT_EQ(answer["space"], 1802) << "and both designs as they are";
  EXPECT_EQ(answer["points"][0]["stands"], "best");
  std::string command = answer["points"][0]["command"];
  const Outcome again = tasktwin(command.substr(command.find(' ') + 1) + " --format json");
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(strict_json(again.out)["rows"][0]["makespan_ns"], answer["points"][0]["makespan_ns"]);
}

TEST_F(SearchCommand, SaysThatPrunedPointsMayBeOnTheFront) {
  write_text(folder_ / "front.yaml",
             "scenario: front\nmachine: ascend-a2a3\ngraph: {generator: layered_random, tasks: 200, width: 40, core_type: aiv, "
             "min_time_ns: 5000, max_time_ns: 15000}\ndesigns: [ascend-host-built]\n");
  const std::string asked =
      "search " + quoted("front.yaml") + "--vary designs.dispatchers=1,2,4 --vary designs.mailbox_depth=1,2 --method grid";
  const auto said = [](std::string text) {
    std::ranges::replace(text, '\n', ' ');
    return text;
  };
  const Outcome pruned = tasktwin(asked);
  ASSERT_EQ(pruned.code, 0) << pruned.err;
  EXPECT_THAT(said(pruned.out), HasSubstr("no point that ran is faster with as few control cores, the Pareto front; slower points"));
  EXPECT_THAT(said(pruned.out), HasSubstr("which --no-prune simulates too"));
  const Outcome all = tasktwin(asked + " --no-prune");
  EXPECT_THAT(said(all.out), HasSubstr("control cores, the Pareto front"));
  EXPECT_THAT(said(all.out), testing::Not(HasSubstr("slower points")));
}

TEST_F(SearchCommand, KilledAtAnyMomentGoesOnToTheSameRows) {
  const std::string undisturbed = tasktwin("search " + space() + "--method grid --format csv").out;
  ASSERT_EQ(std::ranges::count(undisturbed, '\n'), 1803);
  const std::string script = "search() {\n  if [ -s results.db ]; then set -- --resume results.db \"$@\"; else set -- " + space() +
                             "--method grid --results results.db \"$@\"; fi\n  exec tasktwin search --jobs 2 \"$@\"\n}\n"
                             "for wait in 0.05 0.11 0.23 0.17 0.3; do\n  search >killed.csv 2>&1 & id=$!\n"
                             "  sleep $wait; kill -9 $id 2>/dev/null || true; wait $id 2>/dev/null || true\ndone\n"
                             "search --format csv";  // a machine that is busy may not have come to its first row
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
  refused("example --designs shared-queue --vary designs.central-dispatcher.mailbox_depth=1,2",
          "--designs leaves 'central-dispatcher' out; those chosen are shared-queue");
  refused("--resume " + quoted("tiny.yaml"), "is no");
  refused("--resume " + quoted("none.db"), "no such file");
  refused(space() + "--results " + quoted("none/r.db"), "there is no folder");
  refused(quoted("tiny.yaml") + "--adversary shared-queue nothing", "unknown design 'nothing'");
  refused(quoted("tiny.yaml") + "--vary seed=1,2 --output a.yaml", "--output requires --adversary or --verify");
  refused(space() + "--verify 3", "--verify: needs --program");
  refused(space() + "--program ./step", "--program: needs --verify");
  refused(space() + "--verify 3 --program ./step", "--verify: needs --range");
  refused(space() + "--range step", "--range: needs --verify");
  refused(space() + "--verify 3 --program ./step --range step --format json", "--verify: prints a table");
  refused(space() + "--verify 3 --program ./step --range step", "--verify: the search varies machine.device_mailboxes.hop_ns");
  refused(quoted("tiny.yaml") + "--vary designs.mailbox_depth=1,2 --verify 3 --program ./step --range step", "is of no captured program");
}

TEST_F(SearchCommand, SaysWhatARunOfItsBestNeedNotShow) {
  write_text(folder_ / "race.yaml",
             "scenario: race\nmachine: ascend-a2a3\ngraph: {tasks: [{name: a, core_type: aiv, time_ns: 500}, {name: b, core_type: aiv, "
             "time_ns: 500, after: [a]}]}\ndesigns: [{name: q, from: ascend-host-built}]\nseed: 1\n");
  const Outcome outcome = tasktwin("search " + quoted("race.yaml") + "--vary designs.output_flush=both,none");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("output_flush 'none' is a race"));
}

TEST_F(SearchCommand, NeverWritesOverItsResults) {
  const std::string points = quoted("tiny.yaml") + "--vary seed=1,2 ";
  const Outcome same = tasktwin("search " + points + "--results " + quoted("r.db") + "--report " + quoted("r.db"));
  EXPECT_EQ(same.code, 2);
  EXPECT_THAT(same.err, HasSubstr("two outputs would be written to"));
  ASSERT_EQ(tasktwin("search " + points + "--results " + quoted("r.db")).code, 0);
  const Outcome over = tasktwin("search --resume " + quoted("r.db") + "--report " + quoted("r.db"));
  EXPECT_EQ(over.code, 2);
  EXPECT_THAT(over.err, HasSubstr("is also an input"));
  EXPECT_EQ(tasktwin("search --resume " + quoted("r.db")).code, 0) << "the results are still there";
}

TEST_F(SearchCommand, RefusesRowsThatNoSearchHasWritten) {
  const auto resumed_after = [this](const char* sql) {
    std::filesystem::remove(folder_ / "r.db");
    EXPECT_EQ(tasktwin("search " + space() + "--budget 20 --results " + quoted("r.db")).code, 0);
    verify::Database((folder_ / "r.db").string(), verify::Database::Mode::kOpen).run(sql);
    const Outcome outcome = tasktwin("search --resume " + quoted("r.db"));
    EXPECT_EQ(outcome.code, 2) << sql;
    return outcome.err;
  };
  EXPECT_THAT(resumed_after("UPDATE runs SET makespan_ns = -5"), HasSubstr("has a makespan_ns that is none: -5"));
  EXPECT_THAT(resumed_after("UPDATE runs SET makespan_ns = 'soon'"), HasSubstr("has a makespan_ns that is none: soon"));
  EXPECT_THAT(resumed_after("UPDATE runs SET point = point + 1000000"), HasSubstr("is of no point that ran"));
  EXPECT_THAT(resumed_after("UPDATE points SET outcome = 'run'"), HasSubstr("has outcome 'run'"));
  EXPECT_THAT(resumed_after("ALTER TABLE points RENAME TO p; CREATE VIEW points AS SELECT * FROM p"), HasSubstr("has a view 'points'"));
  EXPECT_THAT(resumed_after("CREATE TRIGGER gone AFTER INSERT ON runs BEGIN DELETE FROM runs; END"), HasSubstr("has a trigger 'gone'"));
}

TEST_F(SearchCommand, SaysWhatIsDamaged) {
  ASSERT_EQ(tasktwin("search " + space() + "--budget 20 --results " + quoted("r.db")).code, 0);
  std::filesystem::resize_file(folder_ / "r.db", std::filesystem::file_size(folder_ / "r.db") / 2);
  const Outcome outcome = tasktwin("search --resume " + quoted("r.db"));
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("is damaged, or cut short"));
}

TEST_F(SearchCommand, RefusesToGoOnWithAScenarioThatHasChanged) {
  ASSERT_EQ(tasktwin("search " + space() + "--budget 20 --results " + quoted("r.db")).code, 0);
  write_text(folder_ / "tiny.yaml", std::string(kTinyScenario) + "description: other\n");
  const Outcome outcome = tasktwin("search --resume " + quoted("r.db"));
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("is no longer what it was"));
}

TEST_F(SearchCommand, PrintsAnObjectALine) {
  const std::string csv = tasktwin("search " + space() + "--budget 60 --format csv").out;
  std::istringstream lines(tasktwin("search " + space() + "--budget 60 --format jsonl").out);
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    const json point = strict_json(line);
    EXPECT_THAT(csv, HasSubstr("\n" + std::to_string(point["point"].get<int>()) + "," + point["design"].get<std::string>() + ","));
    EXPECT_EQ(point["outcome"] == "ran", point["makespan_ns"].is_number()) << line;
  }
  EXPECT_EQ(count + 1, static_cast<std::size_t>(std::ranges::count(csv, '\n')));
}

TEST_F(SearchCommand, ItsBestDesignsAreCompared) {
  const std::string search =
      "search " + quoted("tiny.yaml") + "--designs shared-queue,central-dispatcher --vary designs.mailbox_depth=1,2 ";
  ASSERT_EQ(tasktwin(search + "--vary designs.order=fifo,longest --method grid --results " + quoted("r.db")).code, 0);
  const json found = strict_json(tasktwin("search --resume " + quoted("r.db") + "--format json").out);
  const Outcome outcome = tasktwin("compare " + quoted("r.db") + "--format json");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const json compared = strict_json(outcome.out);
  ASSERT_EQ(compared["designs"].size(), 2u);
  const json& best = found["points"][0];
  const std::string name = best["design"].get<std::string>() + "#" + std::to_string(best["point"].get<int>());
  EXPECT_EQ(compared["best"], name);
  for (const json& design : compared["designs"]) {
    if (design["design"] == name) {
      EXPECT_EQ(design["makespans_ns"][0], best["makespan_ns"]);
    }
  }
  const json alone = strict_json(tasktwin("compare " + quoted("r.db") + "--designs shared-queue --format json").out);
  EXPECT_EQ(alone["designs"].size(), 1u);
  EXPECT_TRUE(alone["winner"].is_null()) << "over whom?";
  EXPECT_THAT(tasktwin("compare " + quoted("r.db") + "--designs shared-queue").out, HasSubstr("winner: none; there is no other design"));
  EXPECT_THAT(tasktwin("compare " + quoted("r.db") + "--designs hybrid").err, HasSubstr("has no design 'hybrid'"));

  ASSERT_EQ(tasktwin(search + "--vary machine.device_mailboxes.hop_ns=100,900 --method grid --results " + quoted("machines.db")).code, 0);
  const Outcome refused = tasktwin("compare " + quoted("machines.db"));
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, HasSubstr("its points are no designs of one scenario"));
}

TEST_F(SearchCommand, RunsBesideDesignsThatAreRefused) {
  write_text(folder_ / "beside.yaml",
             "scenario: beside\nmachine: nvidia-h200\ngraph: {generator: chain, length: 4, time_ns: 1000}\n"
             "designs:\n  - {name: bad, from: central-dispatcher, placement: round_robin}\n  - static-queues\n");
  const std::string chosen = quoted("beside.yaml") + "--designs static-queues --vary designs.static-queues.notification=counter,flag ";
  const Outcome found = tasktwin("search " + chosen + "--results " + quoted("beside.db"));
  EXPECT_EQ(found.code, 0) << found.err;
  EXPECT_THAT(found.err, HasSubstr("designs that are not chosen are refused"));
  EXPECT_EQ(tasktwin("compare " + quoted("beside.db")).code, 0);
  EXPECT_EQ(tasktwin("search " + quoted("beside.yaml") + "--vary designs.static-queues.notification=counter,flag").code, 2);
}

TEST_F(SearchCommand, DesignsOfWhichNoPointRanAreNotCompared) {
  write_text(folder_ / "mine.yaml", "machine: mine\nfrom: nvidia-h200\nwithout: [device_control]\n");
  std::string scenario(kTinyScenario);
  scenario.replace(scenario.find("nvidia-h200"), 11, "mine.yaml");
  scenario.replace(scenario.find("designs: ["), std::string::npos, "designs: [shared-queue]\nseed: 3\n");
  write_text(folder_ / "tiny.yaml", scenario);
  const std::string designs = "--designs shared-queue,central-dispatcher --vary designs.central-dispatcher.mailbox_depth=1,2 ";
  const Outcome searched =
      tasktwin("search " + quoted("tiny.yaml") + designs + "--vary designs.order=fifo,longest --method grid --results " + quoted("r.db"));
  ASSERT_EQ(searched.code, 0) << searched.err;
  EXPECT_THAT(searched.out, HasSubstr("no point of central-dispatcher ran (4 tried: 4 refused)"));
  const Outcome compared = tasktwin("compare " + quoted("r.db"));
  EXPECT_EQ(compared.code, 0) << compared.err;
  EXPECT_THAT(compared.err, HasSubstr("no point of central-dispatcher ran, so that it is left out"));
  EXPECT_THAT(compared.out, HasSubstr("winner: none; "));
}

TEST_F(SearchCommand, WritesAGraphThatTheUsualWinnerLosesOn) {
  const Outcome outcome =
      tasktwin("search cholesky --adversary static-queues central-dispatcher --budget 4000 --seed 2 --jobs 0 --output " +
               quoted("adverse.yaml") + "--format json");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const json found = strict_json(outcome.out);
  EXPECT_LE(found["tasks"], 200);
  EXPECT_GE(found["loss"], 0.3);
  const Outcome simulated = tasktwin("simulate " + quoted("adverse.yaml") + "--format json");
  EXPECT_EQ(simulated.code, 0) << simulated.err;
}

TEST_F(SearchCommand, SaysWhereADesignLosesOnNoGraph) {
  const std::string search = "search cholesky --adversary shared-queue cuda-streams --budget 10 --output " + quoted("adverse.yaml");
  const Outcome outcome = tasktwin(search);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("none found on which shared-queue loses"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "adverse.yaml"));
  EXPECT_TRUE(strict_json(tasktwin(search + "--format json").out)["scenario_file"].is_null());
}

TEST_F(SearchCommand, AGateFailsOnWhatBecameSlowerAndNamesTheCause) {
  const auto json_of = [&](const std::string& arguments) {
    const Outcome outcome = tasktwin("compare " + arguments + " --designs static-queues,shared-queue --runs 8 --format json");
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return outcome.out;
  };
  write_text(folder_ / "baseline.json", json_of(quoted("tiny.yaml")));
  const std::string gate = "compare " + quoted("tiny.yaml") + "--designs static-queues,shared-queue --runs 8 --fail-above 2% --baseline ";
  const Outcome passed = tasktwin(gate + quoted("baseline.json"));
  EXPECT_EQ(passed.code, 0) << "nothing has changed";
  EXPECT_THAT(passed.out, HasSubstr("\ngate: 2 designs within 2 % of " + (folder_ / "baseline.json").string()));

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
  EXPECT_THAT(few.err, HasSubstr("so few runs do not tell a difference from chance"));
}

}  // namespace
}  // namespace tasktwin::tests
