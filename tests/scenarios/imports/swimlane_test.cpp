#include "scenarios/swimlane/swimlane_capture.hpp"

#include <fstream>
#include <functional>

#include <gmock/gmock.h>

#include "models/base/error.hpp"
#include "models/base/random.hpp"
#include "scenarios/load/scenario.hpp"
#include "scenarios/machine_files/load_machine.hpp"
#include "scenarios/scenario_writer/swimlane_scenario.hpp"
#include "tests/scenarios/temporary_file.hpp"

namespace tasktwin::scenarios {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// A clock of 50 MHz, a cycle of 20 ns. Cores in no order of type; task 20 runs in two parts, 30 on no core.
constexpr const char* kRecords = R"({
  "chip_swimlane_level": 3,
  "metadata": {"clock_freq_hz": 50000000, "num_cores": 3, "core_types": ["aiv", "aic", "aiv"], "core_to_thread": [0, 1, 1]},
  "aicore_tasks": [
    [1, 10, 1, 1000, 1100, 4],
    [0, "20", 1, 1200, 1300, 5],
    [2, 20, 1, 1210, 1330, 5],
    [1, 18446744073709551615, 2, 1400, 1450, 6]
  ],
  "aicpu_tasks": [[1, 1, 990, 1110], [0, 1, 1180, 1310], [2, 1, 1190, 1340], [1, 2, 0, 1460]],
  "aicpu_scheduler_phases": [
    [{"kind": "dispatch", "start_cycles": 980, "end_cycles": 990, "loop_iter": 0, "tasks_processed": 1}],
    [{"kind": "complete", "start_cycles": 1105, "end_cycles": 1150}, {"kind": "resolve", "start_cycles": 1110, "end_cycles": 1120}]
  ]
})";
constexpr const char* kDeps = R"({
  "tasks": [
    {"task_id": "10", "kernel_ids": [7, -1, -1], "block_num": 1},
    {"task_id": "20", "kernel_ids": [-1, 8, -1], "block_num": 2},
    {"task_id": "30", "kernel_ids": [-1, -1, -1], "block_num": 1},
    {"task_id": "18446744073709551615", "kernel_ids": [9, -1, -1], "block_num": 1}
  ],
  "edges": [
    {"pred": "10", "succ": "20", "flags": ["wait", "retain"]},
    {"pred": "20", "succ": "30"},
    {"pred": "30", "succ": "18446744073709551615", "flags": ["wait"]},
    {"pred": "10", "succ": "18446744073709551615", "flags": ["retain"]}
  ]
})";

SwimlaneCapture read(const std::string& records = kRecords, const std::string& deps = kDeps) {
  const TemporaryFile record_file(records, "records.json");
  const TemporaryFile deps_file(deps, "deps.json");
  return read_swimlane(record_file.path(), deps_file.path());
}

/// What is wrong with a pair of files, their folders left out; "" if nothing is.
std::string fault(const std::string& records, const std::string& deps) {
  const TemporaryFile record_file(records, "records.json");
  const TemporaryFile deps_file(deps, "deps.json");
  try {
    read_swimlane(record_file.path(), deps_file.path());
  } catch (const InputError& error) {
    std::string text = error.what();
    for (const auto& folder : {record_file.folder(), deps_file.folder()}) {
      for (std::size_t at = 0; (at = text.find(folder.string() + "/")) != std::string::npos;) text.erase(at, folder.string().size() + 1);
    }
    return text;
  }
  return "";
}

JsonValue records() { return JsonValue::parse(kRecords); }
JsonValue deps() { return JsonValue::parse(kDeps); }

TEST(SwimlaneImport, MakesATaskOfEveryRowInTheOrderOfSubmission) {
  const SwimlaneCapture capture = read();
  std::vector<std::string> names;
  std::vector<std::int64_t> times;
  for (std::size_t i = 0; i < capture.graph.size(); ++i) {
    names.emplace_back(capture.graph.name(task_id(i)));
    times.push_back(to_ns(capture.graph[task_id(i)].cost.time));
  }
  EXPECT_THAT(names, ElementsAre("k7/10", "k8/20#0", "k8/20#1", "k9/18446744073709551615"));
  EXPECT_THAT(times, ElementsAre(2000, 2000, 2400, 1000));
  EXPECT_EQ(capture.graph[task_id(0)].core_type, CoreType::kAic);
  EXPECT_EQ(capture.graph[task_id(1)].core_type, CoreType::kAiv);
}

TEST(SwimlaneImport, KeepsWhatTasksWithoutRowsPassOnAndDropsWhatOrdersNothing) {
  const SwimlaneCapture capture = read();
  const auto before = [&capture](std::size_t task) {
    std::vector<std::size_t> found;
    for (const TaskId id : capture.graph.predecessors(task_id(task))) found.push_back(index(id));
    return found;
  };
  EXPECT_THAT(before(1), ElementsAre(0));
  EXPECT_THAT(before(2), ElementsAre(0));
  EXPECT_THAT(before(3), ElementsAre(1, 2)) << "through task 30, and not on 10, which it only retains";
}

TEST(SwimlaneImport, PutsTimesOnAClockFromTheEarliestStamp) {
  const SwimlaneCapture capture = read();
  const std::vector<CoreGroup> groups = core_groups(capture);
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0].type, CoreType::kAiv);
  EXPECT_EQ(groups[0].count, 2);
  EXPECT_EQ(groups[0].per_cluster, 2);
  EXPECT_EQ(groups[1].per_cluster, 1);
  const Timeline timeline = captured_timeline(capture, groups);
  const TaskTimes& first = timeline.tasks.front();  // origin: 980 cycles
  EXPECT_EQ(first.dispatched, at_ns(200));
  EXPECT_EQ(first.received, at_ns(320));
  EXPECT_EQ(first.started, at_ns(400));
  EXPECT_EQ(first.ended, at_ns(2400));
  EXPECT_FALSE(is_present(first.published));
  EXPECT_EQ(first.core, core_id(2)) << "the first aic, behind two aiv";
  EXPECT_EQ(first.dispatcher, dispatcher_id(1));
  EXPECT_FALSE(is_present(timeline.tasks[3].dispatched)) << "0 stands for not recorded";
  ASSERT_EQ(timeline.dispatchers.size(), 2U);
  EXPECT_THAT(timeline.dispatchers[1], ElementsAre(Span{at_ns(2500), at_ns(3400)})) << "a phase within another";
}

TEST(SwimlaneImport, ReadsOlderAndNewerRows) {
  JsonValue older = records();
  for (JsonValue& row : older["aicore_tasks"]) row.erase(5);
  EXPECT_FALSE(is_present(read(older.dump()).times.front().received));
  JsonValue newer = records();
  for (JsonValue& row : newer["aicore_tasks"]) row.push_back(3);
  newer["scheduler_tasks"] = {{"producer", "aicpu"}, {"records", newer["aicpu_tasks"]}};
  for (JsonValue& row : newer["scheduler_tasks"]["records"]) row.push_back(3);
  newer.erase("aicpu_tasks");
  newer.erase("aicpu_scheduler_phases");
  newer["metadata"].erase("core_to_thread");
  const SwimlaneCapture capture = read(newer.dump());
  EXPECT_TRUE(is_present(capture.times.front().received));
  EXPECT_TRUE(is_present(capture.times.front().dispatched));
  EXPECT_EQ(capture.times.front().dispatcher, kNoDispatcher);
}

TEST(CycleClock, GivesEveryCycleBackAtAnyFrequency) {
  Random random(3);
  for (const std::int64_t hz : {1L, 3L, 7L, 50'000'000L, 48'000'001L, 333'333'333L, 999'999'937L, 999'999'999L, 1'000'000'000L}) {
    const CycleClock clock(hz, 12345);
    for (int i = 0; i < 20'000; ++i) {
      const std::int64_t cycles = 12345 + (i < 1000 ? i : random.between(0, std::min<std::int64_t>(hz, 1'000'000) * 1'000'000));
      ASSERT_TRUE(clock.holds(cycles));
      ASSERT_EQ(clock.cycles(clock.time(cycles)), cycles) << hz << " Hz";
    }
  }
  EXPECT_FALSE(CycleClock(1, 0).holds(1'000'000'000));
  EXPECT_FALSE(CycleClock(50'000'000, 100).holds(99));
  EXPECT_EQ(CycleClock(3, 0).time(1), at_ns(333'333'333));
  EXPECT_EQ(CycleClock(3, 0).time(2), at_ns(666'666'667)) << "half up";
}

TEST(SwimlaneImport, FaultsNameTheFileTheFieldAndWhatWouldBeRight) {
  using Spoil = std::function<void(JsonValue&, JsonValue&)>;
  const std::vector<std::pair<std::string, Spoil>> cases{
      {"records.json: has no 'metadata'", [](auto& r, auto&) { r.erase("metadata"); }},
      {"records.json: metadata: must be an object, not array", [](auto& r, auto&) { r["metadata"] = JsonValue::array(); }},
      {"records.json: metadata: has no 'clock_freq_hz'", [](auto& r, auto&) { r["metadata"].erase("clock_freq_hz"); }},
      {"records.json: metadata.clock_freq_hz: is '0'; must be a whole number, 1 to 1000000000",
       [](auto& r, auto&) { r["metadata"]["clock_freq_hz"] = 0; }},
      {"records.json: metadata.clock_freq_hz: is '2000000000'; must be a whole number, 1 to 1000000000",
       [](auto& r, auto&) { r["metadata"]["clock_freq_hz"] = 2'000'000'000; }},
      {"records.json: metadata.core_types[1]: is 'aci'; did you mean 'aic'? (valid: aic, aiv, sm)",
       [](auto& r, auto&) { r["metadata"]["core_types"][1] = "aci"; }},
      {"records.json: metadata.num_cores: is 4, but core_types has 3 entries", [](auto& r, auto&) { r["metadata"]["num_cores"] = 4; }},
      {"records.json: metadata.core_to_thread: has 2 entries; core_types has 3",
       [](auto& r, auto&) {
         r["metadata"]["core_to_thread"] = {0, 0};
       }},
      {"records.json: metadata.core_to_thread[0]: is '-2'; must be a whole number, -1 to 1023",
       [](auto& r, auto&) { r["metadata"]["core_to_thread"][0] = -2; }},
      {"records.json: has no 'aicore_tasks'", [](auto& r, auto&) { r.erase("aicore_tasks"); }},
      {"records.json: aicore_tasks: is empty: no task ran", [](auto& r, auto&) { r["aicore_tasks"] = JsonValue::array(); }},
      {"records.json: aicore_tasks: must be a list, not object", [](auto& r, auto&) { r["aicore_tasks"] = JsonValue::object(); }},
      {"records.json: aicore_tasks[2]: must be a list, not null", [](auto& r, auto&) { r["aicore_tasks"][2] = nullptr; }},
      {"records.json: aicore_tasks[0]: has 4 columns; must have 5 to 7: core_id, task_id, reg_task_id, start, end, receive_to_start, "
       "run_epoch",
       [](auto& r, auto&) {
         r["aicore_tasks"][0] = {1, 10, 1, 1000};
       }},
      {"records.json: aicore_tasks[0][0]: is '3'; must be a whole number, 0 to 2", [](auto& r, auto&) { r["aicore_tasks"][0][0] = 3; }},
      {"records.json: aicore_tasks[0][1]: is 11, which is no task_id in deps.json", [](auto& r, auto&) { r["aicore_tasks"][0][1] = 11; }},
      {"records.json: aicore_tasks[0][1]: is '\"010\"'; must be an id of 64 bits, in decimal digits",
       [](auto& r, auto&) { r["aicore_tasks"][0][1] = "010"; }},
      {"records.json: aicore_tasks[0][1]: is '-10'; must be an id of 64 bits, in decimal digits",
       [](auto& r, auto&) { r["aicore_tasks"][0][1] = -10; }},
      {"records.json: aicore_tasks[3][2]: is 1, which another row of core 1 has already",
       [](auto& r, auto&) { r["aicore_tasks"][3][2] = 1; }},
      {"records.json: aicore_tasks[0][3]: is '-5'; must be a whole number, 0 to 9223372036854775807",
       [](auto& r, auto&) { r["aicore_tasks"][0][3] = -5; }},
      {"records.json: aicore_tasks[0][3]: is '1000.5'; must be a whole number, 0 to 9223372036854775807",
       [](auto& r, auto&) { r["aicore_tasks"][0][3] = 1000.5; }},
      {"records.json: aicore_tasks[0][4]: is '18446744073709551615'; must be a whole number, 0 to 9223372036854775807",
       [](auto& r, auto&) { r["aicore_tasks"][0][4] = 18446744073709551615u; }},
      {"records.json: aicore_tasks[0][3]: is 0, which stands for a time that was not recorded",
       [](auto& r, auto&) { r["aicore_tasks"][0][3] = 0; }},
      {"records.json: aicore_tasks[0][4]: is 999, before the start, 1000", [](auto& r, auto&) { r["aicore_tasks"][0][4] = 999; }},
      {"records.json: aicore_tasks[0][5]: is 1000, but the start is only 1000", [](auto& r, auto&) { r["aicore_tasks"][0][5] = 1000; }},
      {"records.json: aicore_tasks: the times of the file lie more than 1000000000000000000 ns apart at 50000000 Hz; are they all of one "
       "run?",
       [](auto& r, auto&) { r["aicore_tasks"][0][4] = 9000000000000000000; }},
      {"records.json: aicpu_tasks[1]: has 3 columns; must have 4 or 5: core_id, reg_task_id, dispatch, finish, run_epoch",
       [](auto& r, auto&) {
         r["aicpu_tasks"][1] = {0, 1, 5};
       }},
      {"records.json: aicpu_tasks[3][1]: is 1, which a row before it has for this core already",
       [](auto& r, auto&) { r["aicpu_tasks"][3][1] = 1; }},
      {"records.json: aicpu_scheduler_phases[1][0].end_cycles: is 5, before start_cycles, 1105",
       [](auto& r, auto&) { r["aicpu_scheduler_phases"][1][0]["end_cycles"] = 5; }},
      {"records.json: aicpu_scheduler_phases[0][0]: has no 'start_cycles'",
       [](auto& r, auto&) { r["aicpu_scheduler_phases"][0][0].erase("start_cycles"); }},
      {"records.json: aicore_tasks: task 20 has 1 rows, but deps.json says it has 2 (block_num × kernels); records were dropped",
       [](auto& r, auto&) { r["aicore_tasks"].erase(2); }},
      {"deps.json: has no 'tasks'", [](auto&, auto& d) { d.erase("tasks"); }},
      {"deps.json: tasks[1]: has no 'task_id'", [](auto&, auto& d) { d["tasks"][1].erase("task_id"); }},
      {"deps.json: tasks[1].task_id: is 10, which a task before it has already", [](auto&, auto& d) { d["tasks"][1]["task_id"] = "10"; }},
      {"deps.json: tasks[1].kernel_ids: has 2 entries; must have 3: aic, aiv0, aiv1, each a kernel or -1",
       [](auto&, auto& d) {
         d["tasks"][1]["kernel_ids"] = {1, 2};
       }},
      {"deps.json: tasks[1].kernel_ids[1]: is '\"8\"'; must be a whole number, -1 to 2147483647",
       [](auto&, auto& d) { d["tasks"][1]["kernel_ids"][1] = "8"; }},
      {"deps.json: tasks[0].name: is ''; must be 1 to 4096 printable bytes", [](auto&, auto& d) { d["tasks"][0]["name"] = ""; }},
      {"deps.json: tasks[1]: the name 'k7/10' stands twice", [](auto&, auto& d) { d["tasks"][1]["name"] = "k7/10"; }},
      {"deps.json: has no 'edges'", [](auto&, auto& d) { d.erase("edges"); }},
      {"deps.json: edges[0].succ: is 21, which no task has as its task_id", [](auto&, auto& d) { d["edges"][0]["succ"] = "21"; }},
      {"deps.json: edges[0]: makes task 10 wait for itself", [](auto&, auto& d) { d["edges"][0]["succ"] = "10"; }},
      {"deps.json: edges[0].flags: must be a list, not string", [](auto&, auto& d) { d["edges"][0]["flags"] = "wait"; }},
  };
  for (const auto& [expected, spoil] : cases) {
    JsonValue r = records();
    JsonValue d = deps();
    spoil(r, d);
    EXPECT_EQ(fault(r.dump(), d.dump()), expected);
  }
  JsonValue cyclic = deps();
  cyclic["edges"].push_back({{"pred", "30"}, {"succ", "10"}});
  EXPECT_THAT(fault(kRecords, cyclic.dump()), HasSubstr("deps.json: edges: "));
  EXPECT_THAT(fault(kRecords, cyclic.dump()), HasSubstr("k7/10"));
}

TEST(SwimlaneImport, SyntaxErrorsHaveLineAndColumn) {
  EXPECT_THAT(fault("{\n  \"metadata\": {,}\n}", kDeps), HasSubstr("records.json:2:16: is no JSON: "));
  EXPECT_THAT(fault("", kDeps), HasSubstr("records.json:1:1: is no JSON: "));
  EXPECT_THAT(fault("{\"a\": 1, \"a\": 2}", kDeps), HasSubstr("records.json:1:10: the key 'a' stands twice in an object"));
  EXPECT_THAT(fault("{\"a\": 123456789012345678901234567890}", kDeps), HasSubstr("is beyond 64 bits"));
  EXPECT_THAT(fault("{\"a\": 1e999}", kDeps), HasSubstr("records.json:1:7: the number '1e999' is beyond 64 bits"));
  EXPECT_THAT(fault(std::string(100'000, '['), kDeps), HasSubstr("records.json:1:65: is nested deeper than 64 levels"));
  EXPECT_THAT(fault("{\"a\": \"\xff\"}", kDeps), HasSubstr("is no JSON: "));
}

TEST(SwimlaneImport, ALevelOfWhichNothingIsKnownIsRefused) {
  for (const char* const level : {"0", "5"}) {
    JsonValue text = records();
    text["chip_swimlane_level"] = JsonValue::parse(level);
    EXPECT_THAT(fault(text.dump(), kDeps), HasSubstr(std::string("chip_swimlane_level: is ") + level + "; must be 1 (times of cores)"));
  }
  JsonValue text = records();
  text.erase("chip_swimlane_level");
  EXPECT_EQ(fault(text.dump(), kDeps), "") << "older files state none";
}

TEST(SwimlaneImport, MoreCoresThanAnA2a3HasAreAnA5s) {
  SwimlaneCapture capture = read();
  EXPECT_EQ(machine_named_for(capture), "ascend-a2a3");
  capture.cores.assign(36, CoreType::kAic);
  EXPECT_EQ(machine_named_for(capture), "ascend-a5");
  EXPECT_EQ(load_machine("ascend-a5").compute_cores.front().count, 36);
}

/// Whatever happens to the bytes of the files, they are read or refused.
TEST(SwimlaneImport, SurvivesTruncationsAndMutations) {
  Random random(29);
  int refused = 0;
  const TemporaryFile record_file("", "records.json");
  const TemporaryFile deps_file("", "deps.json");
  const std::string alphabet = "{}[]\",:0123456789-.eE nulltruefas\\\xff\n";
  for (int round = 0; round < 1500; ++round) {
    std::string texts[2] = {kRecords, kDeps};
    std::string& text = texts[random.between(0, 1)];
    if (random.between(0, 4) == 0) text.resize(static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(text.size()))));
    for (std::int64_t changes = random.between(1, 4); changes > 0 && !text.empty(); --changes) {
      const auto at = static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(text.size()) - 1));
      const char letter = alphabet[static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(alphabet.size()) - 1))];
      const auto how = random.between(0, 2);
      if (how == 0) text[at] = letter;
      if (how == 1) text.insert(at, 1, letter);
      if (how == 2) text.erase(at, static_cast<std::size_t>(random.between(1, 20)));
    }
    try {
      std::ofstream(record_file.path(), std::ios::binary) << texts[0];
      std::ofstream(deps_file.path(), std::ios::binary) << texts[1];
      const SwimlaneCapture capture = read_swimlane(record_file.path(), deps_file.path());
      EXPECT_EQ(captured_timeline(capture, core_groups(capture)).tasks.size(), capture.graph.size());
    } catch (const InputError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 750);
  EXPECT_LT(refused, 1500) << "some changes leave the files valid";
}

/// kRecords with the newest form's group, its rows' run_epoch 5 and, of a second run, 6.
JsonValue two_runs() {
  JsonValue text = records();
  JsonValue again = text["aicore_tasks"];
  for (JsonValue& row : text["aicore_tasks"]) row.push_back(5);
  for (JsonValue& row : again) {
    row[3] = row[3].get<std::int64_t>() + 50'000;
    row[4] = row[4].get<std::int64_t>() + 60'000;
    row.push_back(6);
  }
  text["aicore_tasks"].insert(text["aicore_tasks"].end(), again.begin(), again.end());
  text.erase("aicpu_tasks");
  text.erase("aicpu_scheduler_phases");
  text["scheduler_tasks"]["records"] = JsonValue::parse("[[1, 1, 990, 1110, 5], [1, 1, 50990, 61110, 6]]");
  text["scheduler_records"]["streams"] =
      JsonValue::parse(R"([{"scheduler_id": 1, "capture": {"committed": 2, "dropped": 0, "truncated": false},
    "records": [{"start_cycles": 985, "end_cycles": 992, "run_epoch": 5}, {"start_cycles": 50985, "end_cycles": 50999, "run_epoch": 6}]}])");
  return text;
}

TEST(SwimlaneRuns, AreChosenByTheirEpoch) {
  const TemporaryFile record_file(two_runs().dump(), "records.json");
  const TemporaryFile deps_file(kDeps, "deps.json");
  EXPECT_EQ(fault(two_runs().dump(), kDeps),
            "records.json: aicore_tasks: has several runs by run_epoch: 5 (4 rows), 6 (4 rows); --run, or graph.run, chooses one");
  const SwimlaneCapture first = read_swimlane(record_file.path(), deps_file.path(), 5);
  const SwimlaneCapture second = read_swimlane(record_file.path(), deps_file.path(), 6);
  EXPECT_EQ(to_ns(first.graph[task_id(0)].cost.time), 2000);
  EXPECT_EQ(to_ns(second.graph[task_id(0)].cost.time), 2000 + 200'000);
  EXPECT_EQ(second.rows.front().row, 4U) << "of the file, not of the run";
  EXPECT_THAT(second.thread_spans.at(1), ElementsAre(Span{at_ns(0), at_ns(280)}));
  EXPECT_TRUE(first.warnings.empty());
  try {
    read_swimlane(record_file.path(), deps_file.path(), 7);
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("aicore_tasks: has no row of run 7; runs by run_epoch: 5 (4 rows), 6 (4 rows)"));
  }
}

TEST(SwimlaneLosses, AreWarnedOfWithTheirCounts) {
  JsonValue text = records();
  text["scheduler_records"]["streams"] =
      JsonValue::parse(R"([{"scheduler_id": 0, "capture": {"committed": 4, "dropped": 3, "truncated": true}, "records": []}])");
  text["aicore_tasks"].erase(2);  // one of task 20's two rows
  text["aicore_tasks"].erase(2);  // the last task's only row
  const SwimlaneCapture capture = read(text.dump());
  EXPECT_THAT(capture.warnings,
              ElementsAre("3 records of scheduler 0 were dropped, 4 are there", "the records of scheduler 0 are truncated",
                          "2 hand-overs in scheduler_tasks whose row in aicore_tasks is missing: these tasks are left out",
                          HasSubstr("1 tasks with kernels in "), "1 tasks have fewer rows than block_num × kernels"));
  EXPECT_EQ(capture.graph.size(), 2U);
}

TEST(SwimlaneLosses, MissingRowsAloneAreSeen) {
  JsonValue text = records();
  text["aicore_tasks"].erase(3);
  EXPECT_EQ(read(text.dump()).warnings.size(), 2U);
}

TEST(SwimlaneScenario, LoadsWithTheCapturesCoresAndReplaysItsTimeline) {
  const TemporaryFile scenario_file("", "s.yaml");
  const auto folder = scenario_file.folder();
  std::ofstream(folder / "records.json") << kRecords;
  std::ofstream(folder / "deps.json") << kDeps;
  const SwimlaneCapture capture = read();
  std::ofstream(scenario_file.path()) << swimlane_scenario_yaml(
      capture, {"captured", "ascend-a2a3", folder / "records.json", folder / "deps.json", scenario_file.path()});
  const Scenario scenario = load_scenario(scenario_file.path());
  EXPECT_EQ(scenario.name, "captured");
  EXPECT_EQ(scenario.graph.size(), 4U);
  EXPECT_EQ(scenario.machine.core_count(), 3);
  ASSERT_TRUE(scenario.replays.contains("replay"));
  EXPECT_EQ(scenario.replays.at("replay").tasks.front().core, core_id(2));
  ASSERT_TRUE(scenario.capture.has_value());
  EXPECT_GE(scenario.designs.size(), 3U);
}

TEST(SwimlaneScenario, FaultsAreLocatedInTheScenarioToo) {
  const std::string head = "scenario: s\nmachine: ascend-a2a3\ndesigns: [static-queues]\n";
  EXPECT_THAT(refusal(head + "graph: {records: none.json, deps: none.json}\n"), HasSubstr("none.json: no such file"));
  EXPECT_THAT(refusal(head + "graph: {records: r.json}\n"), HasSubstr("4:8: graph"));
  EXPECT_THAT(refusal(head + "graph: {records: r.json, deps: d.json, time_ns: 3}\n"), HasSubstr("time_ns"));
  const SwimlaneCapture capture = read();
  EXPECT_THROW(swimlane_scenario_yaml(capture, {"a b", "ascend-a2a3", "r", "d", "s.yaml"}), InputError);
  EXPECT_THROW(swimlane_scenario_yaml(capture, {"ab", "no-such-machine", "r", "d", "s.yaml"}), InputError);
  const std::vector<CoreGroup> few{{CoreType::kAic, 1, 0}, {CoreType::kAiv, 1, 0}};
  EXPECT_THROW(cores_on(capture, few), InputError);
}

}  // namespace
}  // namespace tasktwin::scenarios
