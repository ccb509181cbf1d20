#include "verify/output/timelines/swimlane_output.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/base/error.hpp"
#include "models/base/random.hpp"
#include "tests/verify/support/cases.hpp"
#include "tests/verify/support/strict_json.hpp"

namespace tasktwin::verify {
namespace {

using Json = nlohmann::ordered_json;
using testing::ElementsAre;

scenarios::SwimlaneCapture read_from(const std::filesystem::path& folder) {
  return scenarios::read_swimlane((folder / kSwimlaneRecords).string(), (folder / kSwimlaneDeps).string());
}

/// Writes, imports and writes again.
void expect_round_trip(const TaskGraph& graph, const Timeline& timeline) {
  const tests::TemporaryFolder folder;
  write_swimlane(folder / "one", swimlane_records(timeline, {{"seed", 3}}), swimlane_deps(graph, timeline));
  const scenarios::SwimlaneCapture capture = read_from(folder / "one");
  write_swimlane(folder / "two", captured_records(capture, captured_timeline(capture, core_groups(capture))), capture.deps);
  for (const std::string_view file : {kSwimlaneRecords, kSwimlaneDeps})
    EXPECT_EQ(tests::read_text(folder / "one" / file), tests::read_text(folder / "two" / file));
}

TEST(SwimlaneExport, HasARowForEveryTaskOnItsCore) {
  const TaskGraph graph = tests::diamond();
  const Timeline timeline = tests::diamond_timeline();
  const Json records = swimlane_records(timeline, {});
  EXPECT_EQ(records["metadata"]["clock_freq_hz"], 1'000'000'000);
  EXPECT_EQ(records["metadata"]["core_types"], Json({"sm", "sm"}));
  ASSERT_EQ(records["aicore_tasks"].size(), 4U);
  for (const Json& row : records["aicore_tasks"]) {
    ASSERT_EQ(row.size(), 5U) << "c's `received` is not observed, so no row has that column";
    const TaskTimes& times = timeline.tasks[row[1].get<std::size_t>()];
    EXPECT_EQ(row[0], index(times.core));
    EXPECT_EQ(row[3].get<std::int64_t>() - 1'000'000, to_ns(times.started));
    EXPECT_EQ(row[4].get<std::int64_t>() - 1'000'000, to_ns(times.ended));
  }
  ASSERT_EQ(records["aicpu_tasks"].size(), 4U);
  const Json deps = swimlane_deps(graph, timeline);
  EXPECT_EQ(deps["tasks"][1]["task_id"], "1");
  EXPECT_EQ(deps["tasks"][1]["name"], "b, \"quoted\"");
  EXPECT_EQ(deps["edges"].size(), 4U);
  EXPECT_EQ(deps["edges"][0]["pred"], "0");
}

TEST(SwimlaneExport, ComesBackByteByByte) {
  const TaskGraph graph = tests::diamond();
  Timeline timeline = tests::diamond_timeline();
  expect_round_trip(graph, timeline);
  timeline.roles = {ControlRole::kScheduler, ControlRole::kScheduler, ControlRole::kResolver, ControlRole::kOrchestrator};
  timeline.steps = {{{at_ns(0), at_ns(4), StepKind::kPoll}, {at_ns(4), at_ns(200), StepKind::kDispatch}}, {}, {}, {}};
  timeline.blocks = {{TaskId{3}, CoreId{0}, at_ns(530), at_ns(900), at_ns(910)},
                     {TaskId{3}, CoreId{1}, at_ns(530), at_ns(930), at_ns(940)}};
  expect_round_trip(graph, timeline);
  timeline.tasks[0].started = at_ns(-40);
  timeline.tasks[2] = {};
  expect_round_trip(graph, timeline);
}

TEST(SwimlaneExport, GivesTheImporterTheSameTimesButForTheOrigin) {
  const TaskGraph graph = tests::diamond();
  const Timeline timeline = tests::diamond_timeline();
  const tests::TemporaryFolder folder;
  write_swimlane(folder / "one", swimlane_records(timeline, {}), swimlane_deps(graph, timeline));
  const scenarios::SwimlaneCapture capture = read_from(folder / "one");
  const Timeline again = captured_timeline(capture, core_groups(capture));
  const Duration shift = timeline.tasks[0].started - again.tasks[0].started;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    EXPECT_EQ(again.tasks[i].started + shift, timeline.tasks[i].started);
    EXPECT_EQ(again.tasks[i].ended + shift, timeline.tasks[i].ended);
    EXPECT_EQ(again.tasks[i].core, timeline.tasks[i].core);
    EXPECT_EQ(capture.graph.name(task_id(i)), graph.name(task_id(i)));
    EXPECT_TRUE(std::ranges::equal(capture.graph.successors(task_id(i)), graph.successors(task_id(i))));
  }
}

TEST(SwimlaneExport, PutsTasksOfAClusterIntoKernelIds) {
  TaskGraphBuilder builder;
  builder.add_task("mixed", {.kernel = Kernel::kFma, .core_type = CoreType::kMix});
  builder.add_task("wide", {.kernel = Kernel::kGemm, .core_type = CoreType::kAiv});
  const TaskGraph graph = std::move(builder).build();
  Timeline timeline;
  timeline.cores = {CoreType::kAic, CoreType::kAiv, CoreType::kAiv};
  timeline.tasks.resize(2);
  timeline.tasks[0] = {kAbsent, kAbsent, kAbsent, at_ns(0), at_ns(10), at_ns(11), CoreId{0}, kNoDispatcher};
  timeline.tasks[1] = {kAbsent, kAbsent, kAbsent, at_ns(20), at_ns(30), at_ns(31), CoreId{1}, kNoDispatcher};
  for (const unsigned core : {0u, 1u, 2u}) timeline.blocks.push_back({TaskId{0}, CoreId{core}, at_ns(0), at_ns(10), at_ns(11)});
  for (const unsigned core : {1u, 2u}) timeline.blocks.push_back({TaskId{1}, CoreId{core}, at_ns(20), at_ns(30), at_ns(31)});
  const Json deps = swimlane_deps(graph, timeline);
  const auto fma = static_cast<int>(Kernel::kFma);
  EXPECT_EQ(deps["tasks"][0]["kernel_ids"], Json({fma, fma, fma}));
  EXPECT_EQ(deps["tasks"][0]["block_num"], 1);
  EXPECT_EQ(deps["tasks"][1]["kernel_ids"], Json({-1, static_cast<int>(Kernel::kGemm), -1}));
  EXPECT_EQ(deps["tasks"][1]["block_num"], 2);
  expect_round_trip(graph, timeline);
  timeline.blocks.push_back({TaskId{1}, CoreId{0}, at_ns(20), at_ns(30), at_ns(31)});
  EXPECT_NO_THROW(swimlane_deps(graph, timeline));
  timeline.cores[1] = CoreType::kAic;
  EXPECT_THROW(swimlane_deps(graph, timeline), InputError);
}

TEST(SwimlaneExport, SaysHowManyTasksADispatchPhaseHandedOver) {
  Timeline timeline = tests::diamond_timeline();
  timeline.steps.resize(timeline.dispatchers.size());
  for (TaskTimes& times : timeline.tasks) times.dispatcher = dispatcher_id(0);
  const TimePoint first = timeline.tasks[0].dispatched;
  timeline.steps[0] = {{first - Duration{5}, first, StepKind::kDispatch}, {first, first + Duration{1}, StepKind::kComplete}};
  const Json phases = swimlane_records(timeline, {})["aicpu_scheduler_phases"];
  EXPECT_EQ(phases[0][0]["kind"], "dispatch");
  EXPECT_EQ(phases[0][0]["tasks_processed"], 1);
  EXPECT_FALSE(phases[0][1].contains("tasks_processed")) << "how many completions a phase took in is not observed";
}

/// A capture as the runtime writes it, in a layout of its own and with fields that nobody here knows.
constexpr const char* kForeign = R"({"chip_swimlane_level":4,"run_label":"αβ","metadata":{"clock_freq_hz":50000000,"num_cores":3,
"core_types":["aic","aiv","aiv"],"core_to_thread":[0,0,0],"anchors":[{"host_ns":1.5,"device":12}]},
"aicore_tasks":[[0,4294967297,0,900100,900203,7,2],[1,4294967298,0,900300,900377,3,2],[2,4294967298,0,900301,900399,3,2]],
"scheduler_tasks":{"producer":"aicpu","records":[[0,0,900050,900210,2],[1,0,900250,900380,2],[2,0,900251,900402,2]]},
"aicpu_orchestrator_phases":[[{"submit_idx":0,"task_id":4294967297,"start_cycles":900001,"end_cycles":900009}]]})";
constexpr const char* kForeignDeps = R"({"runtime":"host_build_graph","tasks":[
{"task_id":"4294967297","scope":"auto","kernel_ids":[7,-1,-1],"block_num":1,
"args":[{"idx":0,"tensor_id":"13451765318376212391","shape":[16,8]}]},
{"task_id":"4294967298","scope":"auto","kernel_ids":[-1,8,-1],"block_num":2,"args":[]}],
"tensors":[{"tensor_id":"13451765318376212391"}],
"edges":[{"pred":"4294967297","succ":"4294967298","arg":0,"source":"creator","consumer_shape":[16,8]}]})";

TEST(SwimlaneExport, GivesAForeignCaptureBackWithAllItsFields) {
  const tests::TemporaryFolder folder;
  std::filesystem::create_directory(folder / "in");
  tests::write_text(folder / "in" / kSwimlaneRecords, kForeign);
  tests::write_text(folder / "in" / kSwimlaneDeps, kForeignDeps);
  std::filesystem::path from = folder / "in";
  for (const char* to : {"one", "two"}) {
    const scenarios::SwimlaneCapture capture = read_from(from);
    write_swimlane(folder / to, captured_records(capture, captured_timeline(capture, core_groups(capture))), capture.deps);
    EXPECT_EQ(Json::parse(tests::read_text(folder / to / kSwimlaneRecords)), Json::parse(kForeign));
    EXPECT_EQ(Json::parse(tests::read_text(folder / to / kSwimlaneDeps)), Json::parse(kForeignDeps));
    from = folder / to;
  }
  for (const std::string_view file : {kSwimlaneRecords, kSwimlaneDeps})
    EXPECT_EQ(tests::read_text(folder / "one" / file), tests::read_text(folder / "two" / file));
}

TEST(SwimlaneExport, TakesTimesFromTheTimelineThatItIsGiven) {
  const tests::TemporaryFolder folder;
  std::filesystem::create_directory(folder / "in");
  tests::write_text(folder / "in" / kSwimlaneRecords, kForeign);
  tests::write_text(folder / "in" / kSwimlaneDeps, kForeignDeps);
  const scenarios::SwimlaneCapture capture = read_from(folder / "in");
  Timeline timeline = captured_timeline(capture, core_groups(capture));
  timeline.tasks[0].ended += Duration{200};
  const Json records = captured_records(capture, timeline);
  EXPECT_EQ(records["aicore_tasks"][0][4], 900203 + 10) << "200 ns at 50 MHz";
}

}  // namespace
}  // namespace tasktwin::verify
