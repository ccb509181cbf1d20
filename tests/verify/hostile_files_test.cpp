// Files by anybody: refused with their place, and nothing in them reaches a terminal as an order.
#include <algorithm>

#include "models/base/utf8.hpp"
#include "scenarios/load/scenario.hpp"
#include "tests/verify/support/command_folder.hpp"
#include "verify/output/files/compressed.hpp"
#include "verify/recordings/recorded_cases.hpp"

namespace tasktwin::tests {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class HostileFiles : public CommandFolder {
 protected:
  /// A scenario of one task, with what stands in for its parts.
  void write_scenario(const std::string& name, const std::string& task, const std::string& designs, const std::string& more = "") const {
    write_text(folder_ / name,
               "scenario: s\nmachine: nvidia-h200\ngraph:\n  tasks:\n    - " + task + "\ndesigns: " + designs + "\n" + more);
  }
};

TEST_F(HostileFiles, NothingThatATerminalObeysIsShown) {
  write_scenario("key.yaml", "{name: a}", "[shared-queue]", "\"\\e[31mRED\": 1\n");
  write_scenario("name.yaml", R"({name: "\e[31mRED\e]0;x\a", time_ns: 5, core_type: aic})", "[shared-queue]");
  write_scenario("cycle.yaml", R"({name: "\e[31mRED", after: ["\e[31mRED"]})", "[shared-queue]");
  write_scenario("finding.yaml", "{name: a}", "[shared-queue]", "finding: \"\\e[2Jfinding\"\n");
  write_scenario("second.yaml", R"({name: "\x9b31mRED"})", "[shared-queue]", "finding: \"\\x9b2Jfinding\"\n");
  write_scenario("turned.yaml", "{name: \"a\\u202eb\", core_type: aic}", "[shared-queue]");
  for (const char* file : {"key", "name", "cycle", "finding", "second", "turned"}) {
    for (const char* command : {"simulate", "scenario show", "scenario validate"}) {
      const Outcome outcome = in_folder(std::string("tasktwin ") + command + " " + file + ".yaml");
      EXPECT_EQ(outcome.code, 2) << file;
      for (const char* obeyed : {"\033", "\xC2\x9b", "\a", "\xE2\x80\xAE"})
        EXPECT_THAT(outcome.out + outcome.err, Not(HasSubstr(obeyed))) << file;
    }
  }
  for (const char* words : {"$'simul\\e[31mate'", "simulate $'\\e[31m.yaml'", "simulate --designs $'\\e]0;x\\a' example",
                            "sweep example --vary $'\\e[1m=3'", "simulate $'--\\e[31mx' example"}) {
    const Outcome outcome = in_folder(std::string("tasktwin ") + words);
    EXPECT_EQ(outcome.code, 2) << words;
    EXPECT_THAT(outcome.err, Not(HasSubstr("\033"))) << words;
  }
}

TEST_F(HostileFiles, NothingButUtf8IsShown) {
  write_text(folder_ / "bytes.json", "[{\"name\":\"\xff\"}]");
  write_text(folder_ / "bytes.stg", "1\n0 \xff 0\n");
  write_text(folder_ / "bytes.csv", "name,time_us,\xfe\na,\xc0\xaf,\n");
  for (const char* command :
       {"scenario import bytes.json", "scenario import bytes.stg", "scenario import bytes.csv", "simulate $'\\xff.yaml'",
        "simulate --designs $'\\xff' tiny.yaml", "$'\\xff'", "compare tiny.yaml --baseline bytes.json"}) {
    const Outcome outcome = in_folder(std::string("tasktwin ") + command);
    EXPECT_EQ(outcome.code, 2) << command << outcome.err;
    EXPECT_EQ(well_formed(outcome.out + outcome.err), outcome.out + outcome.err) << command;
  }
  expect("tasktwin scenario import bytes.stg --output o.yaml", 2, "bytes.stg:2:3: is '\\xff'; must be a whole number");
}

TEST_F(HostileFiles, MessagesAreCapped) {
  write_scenario("long.yaml", "{name: a, " + std::string(4000, 'x') + ": 1}", "[" + std::string(4000, 'y') + "]");
  EXPECT_LT(in_folder("tasktwin simulate long.yaml").err.size(), 20'000U);
  EXPECT_LT(in_folder("tasktwin simulate " + std::string(100'000, 'z')).err.size(), 20'000U);
}

TEST_F(HostileFiles, ACarriageReturnAloneIsNoLineEnd) {
  write_text(folder_ / "cr.yaml", "scenario: a\nmachine: nvidia-h200\rgraph: {tasks: [{name: a}]}\ndesigns: [shared-queue]\n");
  expect("tasktwin simulate cr.yaml", 2, "cr.yaml:2:21: a carriage return without a line feed");
  std::string crlf(kTinyScenario);
  for (std::size_t at = 0; (at = crlf.find('\n', at)) != std::string::npos; at += 2) crlf.insert(at, "\r");
  write_text(folder_ / "crlf.yaml", crlf);
  expect("tasktwin simulate crlf.yaml", 0, "shared-queue");
  write_text(folder_ / "last.yaml", std::string(kTinyScenario) + "\r");
  expect("tasktwin simulate last.yaml", 2, "a carriage return without");
}

TEST_F(HostileFiles, AllFaultsOfAFileAreToldAtOnce) {
  write_text(
      folder_ / "bad.yaml",
      "scenario: s\nmachine: nvidia-h200\nseed: -4\ngraph:\n  tasks:\n    - {name: a, after: [nobody]}\n    - {name: b, after: [noone]}\n"
      "designs: [shared-queue, no-such, {name: x, from: nothing}]\n");
  const Outcome outcome = in_folder("tasktwin scenario validate bad.yaml");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("bad.yaml:3:7: seed"), HasSubstr("bad.yaml:6:25: graph.tasks[0].after[0]"),
                                 HasSubstr("bad.yaml:7:25: graph.tasks[1].after[0]"), HasSubstr("bad.yaml:8:25: designs[1]")));
}

TEST_F(HostileFiles, AMachineWithoutAValueIsRefusedWhateverComesBehindIt) {
  for (const char* const behind : {"grky, tiles: 4}\n", "", "\n\ngraph: {tasks: [{name: a}]}\n"}) {
    write_text(folder_ / "empty.yaml", std::string("scenario: s\nmachine: \n") + behind + "designs: [shared-queue]\n");
    expect("tasktwin scenario validate empty.yaml", 2, "empty.yaml:");
  }
}

TEST_F(HostileFiles, TracesAreUnpackedNoFurtherThanTracesPack) {
  write_text(folder_ / "bomb.json.gz", verify::gzip("{\"traceEvents\": [" + std::string(200 << 20, ' ')));
  expect("ulimit -v 600000; tasktwin scenario import --as kineto bomb.json.gz --output b.yaml", 2,
         "bomb.json.gz: unpacks to more than 200 times its");
  write_text(folder_ / "bomb.csv.gz", verify::gzip(std::string(200 << 20, '0')));
  expect("ulimit -v 600000; tasktwin scenario import --as csv bomb.csv.gz --output b.yaml", 2,
         "bomb.csv.gz: unpacks to more than 200 times its");
}

TEST_F(HostileFiles, ValidateRefusesWhatSimulateRefuses) {
  write_scenario("blocks.yaml", "{name: a, time_ns: 100, blocks: 2}", "[static-queues, central-dispatcher]");
  const Outcome outcome = in_folder("tasktwin scenario validate blocks.yaml");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("blocks.yaml:6:11: designs[0]: "));
  expect("tasktwin simulate blocks.yaml", 2, "blocks.yaml:6:11: designs[0]: ");
  expect("tasktwin compare blocks.yaml", 2, "blocks.yaml:6:11: designs[0]: ");
  expect("tasktwin simulate blocks.yaml --designs central-dispatcher", 0, "central-dispatcher");
  expect("tasktwin simulate blocks.yaml --designs shared-queue", 2,
         "needs release 'dispatcher', fallback 'run' or 'task', or gang 'apart'");
  write_text(
      folder_ / "layers.yaml",
      "scenario: s\nmachine: nvidia-h200\ngraph:\n  tasks:\n    - {name: a, layer: 3}\n    - {name: b, layer: 1, after: [a]}\ndesigns: "
      "[layer-barrier]\n");
  expect("tasktwin scenario validate layers.yaml", 2, "layers.yaml:6:35: graph.tasks[1].after[0]: 'a' is in layer 3, behind layer 1");
  expect("tasktwin simulate layers.yaml", 2, "is in layer 3, behind layer 1");
}

TEST_F(HostileFiles, ValidateRefusesWhatSimulatePutsIntoAGraph) {
  write_text(folder_ / "copies.yaml",
             "scenario: s\nmachine: nvidia-h200x2\ngraph:\n  tasks:\n    - {name: a, time_ns: 500, device: 0}\n"
             "    - {name: b, time_ns: 500, device: 1, after: [{task: a, bytes: 1000}]}\ndesigns: [cuda-streams, static-queues]\n");
  constexpr const char* kWhy = "copies.yaml:7:25: designs[1]: task 'a to device 1' is a copy_p2p, which design 'static-queues' cannot run";
  expect("tasktwin scenario validate copies.yaml", 2, kWhy);
  expect("tasktwin simulate copies.yaml", 2, kWhy);
  expect("tasktwin simulate copies.yaml --designs cuda-streams", 0, "cuda-streams");
  write_text(folder_ / "events.yaml",
             "scenario: s\nmachine: nvidia-h200\ngraph:\n  tasks:\n    - {name: a, time_ns: 500, probability: 0.5}\n"
             "    - {name: e, operation: event, after: [a]}\n    - {name: b, time_ns: 500, after: [e]}\ndesigns: [cuda-streams]\n");
  constexpr const char* kNoEvents = "events.yaml:8:11: designs[0]: design 'cuda-streams' takes events as the edges that they stand for";
  expect("tasktwin scenario validate events.yaml", 2, kNoEvents);
  expect("tasktwin simulate events.yaml", 2, kNoEvents);
}

TEST_F(HostileFiles, ValidateRefusesTasksThatNoShareOrWorkerCanTake) {
  write_scenario("gang.yaml", "{name: a, time_ns: 500, blocks: 100}",
                 "[{name: d, from: central-dispatcher, dispatchers: 4, ready_queue: per_dispatcher}]");
  write_text(folder_ / "workers.yaml",
             "scenario: s\nmachine: ascend-a2a3\ngraph:\n  tasks:\n    - {name: v, time_ns: 500, core_type: aiv, workers: [0, 3]}\n"
             "designs: [static-queues]\n");
  for (const char* command : {"scenario validate", "simulate"}) {
    expect(std::string("tasktwin ") + command + " gang.yaml", 2,
           "gang.yaml:6:11: designs[0]: task 'a' needs 100 cores of type 'sm' at once; under design 'd' a dispatcher owns at most 33");
    expect(std::string("tasktwin ") + command + " workers.yaml", 2,
           "workers.yaml:6:11: designs[0]: task 'v' names workers 0 to 3, but none of these is of type 'aiv'");
  }
}

TEST_F(HostileFiles, ValidateFindsStallsWhateverChanceDecidesElsewhere) {
  const auto expect_stall = [this](const std::string& first) {
    write_text(folder_ / "stall.yaml", "scenario: s\nmachine: ascend-a5\ngraph:\n  tasks:\n    - {name: z, core_type: aic, time_ns: 500" +
                                           first +
                                           "}\n    - {name: a, core_type: aiv, time_ns: 1000, scope: 1}\n"
                                           "    - {name: b, core_type: aiv, time_ns: 1000, scope: 1}\n"
                                           "designs: [{name: x, from: ascend-device-built, window: 1}]\n");
    expect("tasktwin scenario validate stall.yaml", 2, "stall.yaml:8:11: designs[0]: design 'x': a window of 1 tasks is too small");
  };
  expect_stall("");
  expect_stall(", probability: 0.5");
  expect_stall(", spawn_count: 1");
  write_scenario("spawns.yaml", "{name: a, time_ns: 500, spawn_count: 1}", "[shared-queue]");
  expect("tasktwin scenario validate spawns.yaml", 0, "task 'a' spawns none, so that its spawn_count does nothing");
}

TEST_F(HostileFiles, ValidateForRunRefusesWhatNoExecutorTakes) {
  write_text(folder_ / "ascend.yaml",
             "scenario: s\nmachine: ascend-a2a3\ngraph: {tasks: [{name: a, core_type: aic, time_ns: 5}]}\ndesigns: [central-dispatcher]\n");
  expect("tasktwin scenario validate ascend.yaml", 0, "valid");
  expect("tasktwin scenario validate --run ascend.yaml", 2, "ascend.yaml:4:11: designs[0]: cannot be run under 'central-dispatcher'");
  expect("tasktwin scenario validate --run tiny.yaml", 2, "task 'left' has a sigma: bodies on a GPU do not vary at will");
  write_scenario("plain.yaml", "{name: a, time_ns: 5}", "[static-queues]");
  expect("tasktwin scenario validate --run plain.yaml", 0, "valid");
}

/// A folder of data with a recording of the tiny scenario, as a GPU would have left it.
class Recordings : public CommandFolder {
 protected:
  Recordings() {
    fs::create_directories(recorded_);
    fs::create_directory_symlink(scenarios::data_folder(), folder_ / "scenarios");
    scenarios::Scenario scenario = scenarios::load_scenario((folder_ / "tiny.yaml").string());
    verify::RecordedCase recorded = diamond_recording(scenario, *std::ranges::find(scenario.designs, "static-queues", &Design::name));
    recorded.scenario_source = (folder_ / "tiny.yaml").string();
    cases_ = verify::write_recording(recorded_.parent_path(), recorded);
    timeline_ = verify::timeline_path(cases_, recorded.scenario, recorded.design);
    whole_ = read_text(cases_);
  }

  Outcome verified() const {
    return in_folder("TASKTWIN_DATA=$PWD/scenarios tasktwin verify --recorded tiny.yaml --designs static-queues");
  }
  void expect_refused(const std::string& text, const std::string& said) const {
    write_text(cases_, text);
    const Outcome outcome = verified();
    EXPECT_EQ(outcome.code, 2) << said << outcome.err;
    EXPECT_THAT(outcome.err, AllOf(HasSubstr("cases.jsonl"), HasSubstr(said)));
    write_text(cases_, whole_);
  }
  /// The case with one more member.
  std::string with(const std::string& key_and_value) const { return whole_.substr(0, whole_.rfind('}')) + ", " + key_and_value + "}"; }

  fs::path recorded_ = folder_ / "verify/recorded/nvidia-h200";
  fs::path cases_;
  fs::path timeline_;
  std::string whole_;
};

TEST_F(Recordings, AreReadStrictly) {
  EXPECT_THAT(verified().err, Not(HasSubstr("error: "))) << "the recording itself is fine";
  expect_refused("{\"zz\":" + std::string(105'000, '[') + std::string(105'000, ']') + "}", "is nested deeper than 64 levels");
  expect_refused("{\"format\": 1e400}", ":1:12: the number '1e400' is beyond 64 bits");
  expect_refused(with("\"makespans_ns\": [1]"), "the key 'makespans_ns' stands twice");
  expect_refused(with("\"makespan_ns\": [1]"), "has an unknown key 'makespan_ns'; did you mean 'makespans_ns'?");
  expect_refused(with("\"host_call_ns\": -1"), "host_call_ns");
  expect_refused("[]", "cases.jsonl:1: must be an object");
  expect_refused("", ":1:1: is no JSON");
  expect_refused(whole_ + "\n", "cases.jsonl:3:1: is no JSON");
  expect_refused(whole_ + "[]", "cases.jsonl:3: must be an object");
  expect_refused("{\"format\": 1}", "format: is '1'");
}

TEST_F(Recordings, AreUnpackedNoFurtherThanTheirTasksAllow) {
  write_text(timeline_, verify::gzip(std::string(200 << 20, '0')));
  const Outcome outcome =
      in_folder("ulimit -v 500000; TASKTWIN_DATA=$PWD/scenarios tasktwin verify --recorded tiny.yaml --designs static-queues");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("should begin with 'tasks,4'"));
}

TEST_F(Recordings, AreNeverOverwritten) {
  const std::string packed = read_text(timeline_);
  for (const fs::path& file : {cases_, timeline_}) {
    const Outcome outcome = in_folder(
        "TASKTWIN_DATA=$PWD/scenarios tasktwin verify --recorded tiny.yaml --designs static-queues --trace '" + file.string() + "'");
    EXPECT_EQ(outcome.code, 2);
    EXPECT_THAT(outcome.err, HasSubstr("is also an input"));
  }
  EXPECT_EQ(read_text(timeline_), packed);
  EXPECT_EQ(read_text(cases_), whole_);
}

TEST_F(HostileFiles, ResultsAreTheSameBytesEachTime) {
  for (const char* command :
       {"simulate tiny.yaml --format json", "compare tiny.yaml --format json --runs 3", "sweep tiny.yaml --vary seed=1,2 --format csv",
        "explain tiny.yaml static-queues shared-queue --format json", "simulate example --runs 3",
        "verify --recorded suite/cholesky-small --format json", "scenario show example --format json"}) {
    const Outcome one = in_folder(std::string("tasktwin ") + command);
    EXPECT_LE(one.code, 1) << command << one.err;
    EXPECT_EQ(one.out, in_folder(std::string("tasktwin ") + command).out) << command;
  }
}

}  // namespace
}  // namespace tasktwin::tests
