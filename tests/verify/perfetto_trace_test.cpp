#include "verify/output/timelines/perfetto_trace.hpp"

#include <algorithm>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/base/random.hpp"
#include "tests/verify/support/cases.hpp"
#include "tests/verify/support/perfetto_reader.hpp"
#include "tests/verify/support/programs.hpp"
#include "verify/output/timelines/chrome_trace.hpp"

namespace tasktwin::verify {
namespace {

using testing::ElementsAre;
using testing::Pair;
using tests::PerfettoSlice;
using tests::PerfettoView;

PerfettoView view_of(const TaskGraph& graph, const std::vector<TraceRun>& runs) {
  const tests::TemporaryFolder folder;
  write_perfetto_trace(folder / "t", graph, runs, {{"scenario", "a \"name\""}, {"seed", 3}});
  return tests::view_perfetto(tests::decode_perfetto(folder / "t"));
}

std::vector<PerfettoSlice> of_category(const PerfettoView& view, const std::string& category) {
  std::vector<PerfettoSlice> found;
  std::ranges::copy_if(view.slices, std::back_inserter(found), [&](const PerfettoSlice& slice) { return slice.category == category; });
  return found;
}

TEST(PerfettoTrace, ShowsEveryTaskOnItsCoreWithItsPublishingNested) {
  TASKTWIN_NEEDS_PROGRAM("protoc");
  const TaskGraph graph = tests::diamond();
  const Timeline timeline = tests::diamond_timeline();
  const PerfettoView view = view_of(graph, {{"predicted", &timeline}});
  std::vector<PerfettoSlice> tasks;
  std::vector<PerfettoSlice> publishes;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const TaskTimes& times = timeline.tasks[i];
    const std::string track = "predicted: compute cores/sm " + std::to_string(index(times.core));
    tasks.push_back({track, "task", std::string(graph.name(task_id(i))), to_ns(times.started), to_ns(times.published), 0});
    publishes.push_back({track, "publish", "publish", to_ns(times.ended), to_ns(times.published), 1});
  }
  std::ranges::sort(tasks);
  std::ranges::sort(publishes);
  EXPECT_EQ(of_category(view, "task"), tasks);
  EXPECT_EQ(of_category(view, "publish"), publishes);
  EXPECT_THAT(view.facts, ElementsAre(Pair("scenario", "a \"name\""), Pair("seed", "3")));
}

TEST(PerfettoTrace, DrawsAFlowForEveryEdgeOfEveryRun) {
  TASKTWIN_NEEDS_PROGRAM("protoc");
  const TaskGraph graph = tests::diamond();
  const Timeline timeline = tests::diamond_timeline();
  const PerfettoView view = view_of(graph, {{"predicted", &timeline}, {"measured", &timeline}});
  const std::string b = "b, \"quoted\"";
  EXPECT_THAT(view.flows, ElementsAre(Pair("a", b), Pair("a", b), Pair("a", "c"), Pair("a", "c"), Pair(b, "d"), Pair(b, "d"),
                                      Pair("c", "d"), Pair("c", "d")));
}

TEST(PerfettoTrace, NamesAProcessPerRoleAndAThreadPerCore) {
  TASKTWIN_NEEDS_PROGRAM("protoc");
  const TaskGraph graph = tests::diamond();
  const Timeline timeline = tests::diamond_timeline();
  const PerfettoView view = view_of(graph, {{"predicted", &timeline}, {"measured", &timeline, Driver::kStreams}});
  EXPECT_THAT(view.processes, ElementsAre("predicted: compute cores", "predicted: dispatchers", "measured: streams", "measured: host"));
  EXPECT_EQ(view.threads.size(), 12U);
  EXPECT_EQ(view.threads.front(), "predicted: compute cores/sm 0");
  EXPECT_EQ(view.threads.back(), "measured: host/host 3");
}

TEST(PerfettoTrace, CountsTheQueueAndTheMemory) {
  TASKTWIN_NEEDS_PROGRAM("protoc");
  Timeline timeline = tests::diamond_timeline();
  timeline.memory = {{at_ns(5), 100, 4096}, {at_ns(9), 0, 4096}};
  const PerfettoView view = view_of(tests::diamond(), {{"predicted", &timeline}});
  EXPECT_THAT(view.counters.at("ready tasks"), ElementsAre(Pair(0, 1), Pair(10, 0), Pair(150, 2), Pair(165, 0)));
  EXPECT_THAT(view.counters.at("device memory used"), ElementsAre(Pair(5, 100), Pair(9, 0)));
  EXPECT_THAT(view.counters.at("device memory reserved"), ElementsAre(Pair(5, 4096), Pair(9, 4096)));
}

TEST(PerfettoTrace, ShowsStepsAndEveryCoreOfATask) {
  TASKTWIN_NEEDS_PROGRAM("protoc");
  Timeline timeline = tests::diamond_timeline();
  timeline.roles = {ControlRole::kScheduler, ControlRole::kScheduler, ControlRole::kResolver, ControlRole::kOrchestrator};
  timeline.steps = {{{at_ns(0), at_ns(4), StepKind::kPoll}, {at_ns(4), at_ns(10), StepKind::kDispatch}}, {}, {}, {}};
  timeline.blocks = {{TaskId{3}, CoreId{0}, at_ns(530), at_ns(900), at_ns(910)},
                     {TaskId{3}, CoreId{1}, at_ns(530), at_ns(930), at_ns(940)}};
  const PerfettoView view = view_of(tests::diamond(), {{"predicted", &timeline}});
  EXPECT_THAT(of_category(view, "dispatcher"),
              ElementsAre(PerfettoSlice{"predicted: dispatchers/scheduler 0", "dispatcher", "dispatch", 4, 10, 0},
                          PerfettoSlice{"predicted: dispatchers/scheduler 0", "dispatcher", "poll", 0, 4, 0}));
  EXPECT_EQ(of_category(view, "task").size(), 5U);
  EXPECT_EQ(view.flows.size(), 4U);
}

TEST(PerfettoTrace, ShiftsTimesBeforeTheOriginAndLeavesOutWhatDidNotRun) {
  TASKTWIN_NEEDS_PROGRAM("protoc");
  Timeline timeline = tests::diamond_timeline();
  timeline.tasks[0].started = at_ns(-40);
  timeline.tasks[1] = {};
  const PerfettoView view = view_of(tests::diamond(), {{"measured", &timeline}});
  const auto tasks = of_category(view, "task");
  ASSERT_EQ(tasks.size(), 3U);
  EXPECT_EQ(std::ranges::min_element(tasks, {}, &PerfettoSlice::begin)->begin, 0);
  const auto d = std::ranges::find(tasks, "d", &PerfettoSlice::name);
  EXPECT_EQ(d->begin, to_ns(timeline.tasks[3].started) + 40);
  EXPECT_THAT(view.flows, ElementsAre(Pair("a", "c"), Pair("c", "d")));
}

/// Stamps that overlap on a core and tasks that take no time: every begin must still meet its own end.
TEST(PerfettoTrace, PairsBeginsAndEndsWhateverTheTimes) {
  TASKTWIN_NEEDS_PROGRAM("protoc");
  Random random(11);
  TaskGraphBuilder builder;
  Timeline timeline;
  timeline.cores.assign(3, CoreType::kSm);
  std::multiset<std::pair<std::string, std::pair<long long, long long>>> expected;
  for (int i = 0; i < 300; ++i) {
    builder.add_task(std::to_string(i), {});
    TaskTimes times;
    times.started = at_ns(random.between(0, 600));
    times.ended = times.started + Duration{random.between(0, 30)};
    if (random.between(0, 1) == 1) times.published = times.ended + Duration{random.between(0, 10)};
    times.core = random.between(0, 9) == 0 ? kNoCore : core_id(static_cast<std::size_t>(random.between(0, 2)));
    expected.insert({std::to_string(i), {to_ns(times.started), to_ns(finish(times))}});
    timeline.tasks.push_back(times);
  }
  const TaskGraph graph = std::move(builder).build();
  const PerfettoView view = view_of(graph, {{"measured", &timeline}});
  std::multiset<std::pair<std::string, std::pair<long long, long long>>> shown;
  for (const PerfettoSlice& slice : of_category(view, "task")) {
    shown.insert({slice.name, {slice.begin, slice.end}});
    EXPECT_EQ(slice.depth, 0U) << slice.name;
  }
  EXPECT_EQ(shown, expected);
}

TEST(PerfettoTrace, IsTheSameEachTimeAndUnderHalfAChromeTrace) {
  TaskGraphBuilder builder;
  Timeline timeline;
  timeline.cores.assign(4, CoreType::kSm);
  constexpr std::size_t kTasks = 20'000;
  for (std::size_t i = 0; i < kTasks; ++i) {
    builder.add_task("task " + std::to_string(i), {});
    if (i > 0) builder.add_edge(task_id(i - 1), task_id(i));
    const TimePoint start = at_ns(static_cast<std::int64_t>(i) * 100);
    timeline.tasks.push_back({start, start, start, start, start + Duration{70}, start + Duration{90}, core_id(i % 4), kNoDispatcher});
  }
  const TaskGraph graph = std::move(builder).build();
  const std::vector<TraceRun> runs{{"predicted", &timeline}};
  const tests::TemporaryFolder folder;
  write_perfetto_trace(folder / "one", graph, runs, {});
  write_perfetto_trace(folder / "two", graph, runs, {});
  EXPECT_EQ(tests::read_text(folder / "one"), tests::read_text(folder / "two"));
  write_chrome_trace(folder / "chrome", graph, runs, {});
  EXPECT_LT(2 * std::filesystem::file_size(folder / "one"), std::filesystem::file_size(folder / "chrome"));
}

}  // namespace
}  // namespace tasktwin::verify
