#include "verify/output/timelines/chrome_trace.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "models/base/random.hpp"
#include "tests/verify/support/cases.hpp"
#include "tests/verify/support/strict_json.hpp"

namespace tasktwin::verify {
namespace {

using nlohmann::json;
using Thread = std::pair<int, int>;

json trace_of(const TaskGraph& graph, const std::vector<TraceRun>& runs) {
  const tests::TemporaryFolder folder;
  write_chrome_trace(folder / "trace.json", graph, runs, {{"scenario", "a \"name\""}});
  return tests::strict_json(tests::read_text(folder / "trace.json"));
}

std::int64_t ns(const json& microseconds) { return std::llround(microseconds.get<double>() * 1000); }

std::vector<json> events(const json& trace, const std::string& phase) {
  std::vector<json> found;
  for (const json& event : trace["traceEvents"]) {
    if (event["ph"] == phase) found.push_back(event);
  }
  return found;
}

/// Slices of each thread as (begin, end), in the file's order.
std::map<Thread, std::vector<std::pair<std::int64_t, std::int64_t>>> slices(const json& trace) {
  std::map<Thread, std::vector<std::pair<std::int64_t, std::int64_t>>> found;
  for (const json& event : events(trace, "X")) {
    found[{event["pid"], event["tid"]}].emplace_back(ns(event["ts"]), ns(event["ts"]) + ns(event["dur"]));
  }
  return found;
}

/// Any two slices of a thread are disjoint or one lies within the other.
bool nests(const json& trace) {
  for (const auto& [thread, list] : slices(trace)) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      for (std::size_t j = i + 1; j < list.size(); ++j) {
        const auto& a = list[i];
        const auto& b = list[j];
        const bool disjoint = a.second <= b.first || b.second <= a.first;
        const bool within = (a.first <= b.first && b.second <= a.second) || (b.first <= a.first && a.second <= b.second);
        if (!disjoint && !within) return false;
      }
    }
  }
  return true;
}

TEST(ChromeTrace, ShowsEveryTaskWithItsPublishingNested) {
  const TaskGraph graph = tests::diamond();
  const Timeline timeline = tests::diamond_timeline();
  const json trace = trace_of(graph, {{"predicted", &timeline, Driver::kPersistent}});
  EXPECT_TRUE(nests(trace));
  std::vector<std::string> names;
  int publishes = 0;
  for (const json& event : events(trace, "X")) {
    if (event["cat"] == "task") names.push_back(event["name"]);
    if (event["cat"] == "publish") ++publishes;
  }
  EXPECT_EQ(names, (std::vector<std::string>{"a", "b, \"quoted\"", "c", "d"}));
  EXPECT_EQ(publishes, 4);
  EXPECT_EQ(trace["otherData"]["scenario"], "a \"name\"");
}

TEST(ChromeTrace, GivesTimesInMicrosecondsToTheNanosecond) {
  const TaskGraph graph = tests::diamond();
  Timeline timeline = tests::diamond_timeline();
  timeline.tasks[3].started = at_ns(123'456'789'012);
  timeline.tasks[3].ended = timeline.tasks[3].published = at_ns(123'456'789'013);
  const tests::TemporaryFolder folder;
  const std::vector<TraceRun> runs{{"predicted", &timeline, Driver::kPersistent}};
  write_chrome_trace(folder / "t", graph, runs, {});
  EXPECT_NE(tests::read_text(folder / "t").find("\"ts\":123456789.012,\"dur\":0.001"), std::string::npos);
}

TEST(ChromeTrace, DrawsAFlowForEveryEdgeBetweenTheRightSlices) {
  const TaskGraph graph = tests::diamond();
  const Timeline timeline = tests::diamond_timeline();
  const json trace = trace_of(graph, {{"predicted", &timeline, Driver::kPersistent}, {"measured", &timeline, Driver::kPersistent}});
  std::map<int, json> starts;
  for (const json& event : events(trace, "s")) ASSERT_TRUE(starts.emplace(event["id"].get<int>(), event).second);
  std::multiset<std::array<std::int64_t, 3>> drawn;
  for (const json& event : events(trace, "f")) {
    const auto start = starts.find(event["id"].get<int>());
    ASSERT_NE(start, starts.end());
    EXPECT_EQ(event["bp"], "e");
    drawn.insert({start->second["pid"].get<int>(), ns(start->second["ts"]), ns(event["ts"])});
    starts.erase(start);
  }
  EXPECT_TRUE(starts.empty());
  std::multiset<std::array<std::int64_t, 3>> expected;
  for (const int pid : {1, 3}) {
    for (std::size_t i = 0; i < graph.size(); ++i) {
      for (const TaskId successor : graph.successors(task_id(i))) {
        expected.insert({pid, to_ns(timeline.tasks[i].ended) - 1, to_ns(timeline.tasks[index(successor)].started)});
      }
    }
  }
  EXPECT_EQ(drawn, expected);
  EXPECT_EQ(drawn.size(), 8U);
}

TEST(ChromeTrace, NamesAProcessPerRoleAndAThreadPerCore) {
  const TaskGraph graph = tests::diamond();
  const Timeline timeline = tests::diamond_timeline();
  const json trace = trace_of(graph, {{"predicted", &timeline, Driver::kPersistent}, {"measured", &timeline, Driver::kStreams}});
  std::vector<std::string> processes;
  std::vector<std::string> threads;
  for (const json& event : events(trace, "M")) {
    if (event["name"] == "process_name") processes.push_back(event["args"]["name"]);
    if (event["name"] == "thread_name") threads.push_back(event["args"]["name"]);
  }
  EXPECT_EQ(processes,
            (std::vector<std::string>{"predicted: compute cores", "predicted: dispatchers", "measured: streams", "measured: host"}));
  EXPECT_EQ(threads, (std::vector<std::string>{"sm 0", "sm 1", "dispatcher 0", "dispatcher 1", "dispatcher 2", "dispatcher 3", "stream 0",
                                               "stream 1", "host 0", "host 1", "host 2", "host 3"}));
}

TEST(ChromeTrace, CountsTheQueue) {
  const TaskGraph graph = tests::diamond();
  const Timeline timeline = tests::diamond_timeline();
  const json trace = trace_of(graph, {{"predicted", &timeline, Driver::kPersistent}});
  std::vector<std::pair<std::int64_t, int>> samples;
  for (const json& event : events(trace, "C")) samples.emplace_back(ns(event["ts"]), event["args"]["tasks"].get<int>());
  EXPECT_EQ(samples, (std::vector<std::pair<std::int64_t, int>>{{0, 1}, {10, 0}, {150, 2}, {165, 0}}));
}

TEST(ChromeTrace, NestsEvenWhereStampsOverlapOnACore) {
  Random random(5);
  TaskGraphBuilder builder;
  Timeline timeline;
  timeline.cores.assign(3, CoreType::kSm);
  for (int i = 0; i < 120; ++i) {
    builder.add_task(std::to_string(i), {});
    TaskTimes times;
    times.started = at_ns(random.between(0, 3000));
    times.ended = times.started + Duration{random.between(0, 200)};
    if (random.between(0, 1) == 1) times.published = times.ended + Duration{random.between(0, 50)};
    times.core = random.between(0, 9) == 0 ? kNoCore : core_id(static_cast<std::size_t>(random.between(0, 2)));
    timeline.tasks.push_back(times);
  }
  const TaskGraph graph = std::move(builder).build();
  const json trace = trace_of(graph, {{"measured", &timeline, Driver::kPersistent}});
  EXPECT_TRUE(nests(trace));
  EXPECT_EQ(std::ranges::count_if(trace["traceEvents"], [](const json& event) { return event["ph"] == "X" && event["cat"] == "task"; }),
            120);
}

TEST(ChromeTrace, ShowsStepsRolesAndEveryCoreOfATask) {
  const TaskGraph graph = tests::diamond();
  Timeline timeline = tests::diamond_timeline();
  timeline.roles = {ControlRole::kScheduler, ControlRole::kScheduler, ControlRole::kResolver, ControlRole::kOrchestrator};
  timeline.steps = {{{at_ns(0), at_ns(4), StepKind::kPoll}, {at_ns(4), at_ns(10), StepKind::kDispatch}}, {}, {}, {}};
  timeline.blocks = {{TaskId{3}, CoreId{0}, at_ns(530), at_ns(900), at_ns(910)},
                     {TaskId{3}, CoreId{1}, at_ns(530), at_ns(930), at_ns(940)}};
  const json trace = trace_of(graph, {{"predicted", &timeline, Driver::kPersistent}});
  std::vector<std::string> threads;
  for (const json& event : events(trace, "M")) {
    if (event["name"] == "thread_name" && event["pid"] == 2) threads.push_back(event["args"]["name"]);
  }
  EXPECT_EQ(threads, (std::vector<std::string>{"scheduler 0", "scheduler 1", "resolver 2", "orchestrator 3"}));
  std::vector<std::string> steps;
  std::vector<int> cores;
  for (const json& event : events(trace, "X")) {
    if (event["cat"] == "dispatcher") steps.push_back(event["name"]);
    if (event["cat"] == "task" && event["args"]["task"] == 3) cores.push_back(event["tid"]);
  }
  EXPECT_EQ(steps, (std::vector<std::string>{"poll", "dispatch"}));
  EXPECT_EQ(cores, (std::vector<int>{1, 2}));
  EXPECT_EQ(events(trace, "s").size(), 4U);
  EXPECT_TRUE(nests(trace));
}

TEST(ChromeTrace, LeavesOutWhatWasNotObserved) {
  const TaskGraph graph = tests::diamond();
  Timeline timeline = tests::diamond_timeline();
  timeline.tasks[1].started = kAbsent;
  const json trace = trace_of(graph, {{"measured", &timeline, Driver::kPersistent}});
  EXPECT_EQ(events(trace, "s").size(), 2U);
  EXPECT_EQ(events(trace, "f").size(), 2U);
}

}  // namespace
}  // namespace tasktwin::verify
