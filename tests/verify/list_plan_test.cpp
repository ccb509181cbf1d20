// Plans of workers' lists: written of a design, followed, and refused where they say something else than the scenario or could go wrong.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/base/error.hpp"
#include "models/graph/events.hpp"
#include "scenarios/formats/json_file.hpp"
#include "scenarios/formats/json_position.hpp"
#include "scenarios/load/scenario.hpp"
#include "tests/verify/support/cases.hpp"
#include "verify/plan/list_plan.hpp"
#include "verify/plan/planned_selection.hpp"
#include "verify/predict/prediction.hpp"

namespace tasktwin::verify {
namespace {

using testing::HasSubstr;
using tests::write_text;

/// Two pieces, a join of them that two others watch, and a task that sums up.
constexpr std::string_view kScenario = R"(scenario: small
machine: {from: nvidia-h200, compute_cores: [{type: sm, count: 4}]}
graph:
  tasks:
    - {name: a, time_ns: 3000}
    - {name: b, time_ns: 5000}
    - {name: joined, operation: event, after: [a, b]}
    - {name: c, time_ns: 2000, after: [joined]}
    - {name: d, time_ns: 4000, after: [joined]}
    - {name: sum, time_ns: 1000, after: [c, d]}
designs:
  - {name: lists, from: static-queues, notification: flag, placement: round_robin}
  - shared-queue
)";

constexpr std::string_view kPlan = R"({
  "tasktwin_plan": {"version": 1, "launch": "lists", "from": "a test", "axes": {"notification": "flag"}},
  "events": [{"event": "joined", "after": ["a", "b"]}],
  "workers": [
    {"worker": 0, "tasks": [{"task": "a", "kernel": "spin", "after": []}, {"task": "c", "kernel": "spin", "after": ["joined"]}]},
    {"worker": 1, "tasks": [{"task": "b", "kernel": "spin", "after": []}, {"task": "d", "kernel": "spin", "after": ["joined"]},
                            {"task": "sum", "kernel": "spin", "after": ["c"]}]}
  ]
})";

class ListPlans : public testing::Test {
 protected:
  ListPlans() { write_text(folder_ / "small.yaml", kScenario); }

  std::string file(const std::string& name) const { return (folder_ / name).string(); }
  scenarios::Scenario small() const { return scenarios::load_scenario(file("small.yaml")); }

  Selection followed(const std::string& plan) const {
    write_text(folder_ / "plan.json", plan);
    std::vector<Selection> selections(1);
    selections.front().argument = file("small.yaml");
    selections.front().scenario = small();
    follow_plan(file("plan.json"), "", selections);
    return selections.front();
  }

  Assessment assessed(const std::string& plan) const {
    const Selection selection = followed(plan);
    return assess(selection.scenario, predict(selection.scenario, selection.designs.front(), 1));
  }

  /// The plan with one thing another way.
  std::string why_refused(const std::string& from, const std::string& to) const {
    std::string text(kPlan);
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    try {
      followed(text.replace(at, from.size(), to));
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }

  tests::TemporaryFolder folder_;
};

TEST_F(ListPlans, OfADesignTakeAsLongAsTheDesign) {
  const scenarios::Scenario scenario = small();
  const Design& lists = scenario.designs.front();
  const Selection selection = followed(scenarios::json_file_text(list_plan_json(scenario, lists)));
  ASSERT_EQ(selection.designs.size(), 1U);
  EXPECT_EQ(selection.designs.front().notification, Notification::kFlag);
  EXPECT_EQ(selection.scenario.graph.edge_count(), scenario.graph.edge_count());
  EXPECT_EQ(predict_makespan(selection.scenario, selection.designs.front(), 1), predict_makespan(scenario, lists, 1));
  EXPECT_THROW(list_plan_json(scenario, scenario.designs[1]), InputError);
}

TEST_F(ListPlans, MayLeaveOutWhatTheListsSeeTo) {
  const Selection selection = followed(std::string(kPlan));  // 'sum' stands behind 'd'
  EXPECT_EQ(selection.scenario.graph.edge_count(), 5U);
  const Timeline timeline = predict(selection.scenario, selection.designs.front(), 1).timeline;
  EXPECT_EQ(timeline.tasks[0].core, core_id(0));
  EXPECT_EQ(timeline.tasks[5].core, core_id(1));
  EXPECT_GE(timeline.tasks[5].started, timeline.tasks[4].ended);
}

/// Bounds and overhead are of what the tasks need, and not of the waits that a plan states: b, d and sum are the critical path.
TEST_F(ListPlans, AreHeldAgainstWhatTheScenarioNeeds) {
  std::string stated(kPlan);
  constexpr std::string_view kOne = R"("after": ["c"])";
  stated.replace(stated.find(kOne), kOne.size(), R"("after": ["c", "d"])");
  const Assessment implied = assessed(std::string(kPlan));
  const Assessment all = assessed(stated);
  EXPECT_EQ(implied.bounds.critical_path, all.bounds.critical_path);
  EXPECT_GE(implied.bounds.critical_path, Duration{10'000});
  EXPECT_NEAR(implied.metrics.overhead_share, all.metrics.overhead_share, 0.02);
}

TEST_F(ListPlans, MayJoinByOtherCountersThanTheScenario) {
  std::string text(kPlan);
  for (const auto& [from, to] : {std::pair<std::string, std::string>{"\"event\": \"joined\"", "\"event\": \"both\""},
                                 {"\"after\": [\"joined\"]", "\"after\": [\"both\"]"},
                                 {"\"after\": [\"joined\"]", "\"after\": [\"a\", \"b\"]"}})
    text.replace(text.find(from), from.size(), to);
  const Selection selection = followed(text);
  EXPECT_EQ(event_count(selection.scenario.graph), 1U);
  EXPECT_EQ(selection.scenario.graph.size(), 6U);
}

TEST_F(ListPlans, AreRefusedWithFileLineAndField) {
  EXPECT_THAT(why_refused("\"version\": 1", "\"version\": 2"), HasSubstr(file("plan.json") + ":2:32: tasktwin_plan.version: is not 1"));
  EXPECT_THAT(why_refused("\"notification\"", "\"notifcation\""),
              HasSubstr("tasktwin_plan.axes.notifcation: is no axis that a plan sets; did you mean 'notification'?"));
  EXPECT_THAT(why_refused("\"flag\"", "\"flags\""), HasSubstr("axes.notification: is 'flags'; did you mean 'flag'?"));
  EXPECT_THAT(why_refused("\"task\": \"sum\"", "\"task\": \"summ\""),
              HasSubstr(":7:38: workers[1].tasks[2].task: 'summ' is no task of 'small'; did you mean 'sum'?"));
  EXPECT_THAT(why_refused("\"task\": \"sum\"", "\"task\": \"a\""), HasSubstr("workers[1].tasks[2].task: 'a' is in a list already"));
  EXPECT_THAT(why_refused("\"kernel\": \"spin\"", "\"kernel\": \"fma\""),
              HasSubstr("workers[0].tasks[0].kernel: is 'fma', but the scenario's 'a' runs 'spin'"));
  EXPECT_THAT(why_refused("\"worker\": 1", "\"worker\": 2"), HasSubstr("workers[1].worker: must be 1"));
  EXPECT_THAT(why_refused("[\"c\"]", "[\"x\"]"), HasSubstr("workers[1].tasks[2].after[0]: 'x' is neither a task of 'small' nor an event"));
  EXPECT_THAT(why_refused("[\"a\", \"b\"]", "[]"), HasSubstr("events[0].after: is empty"));
  EXPECT_THAT(why_refused("{\"task\": \"a\", \"kernel\": \"spin\", \"after\": []}, ", ""),
              HasSubstr("task 'a' of 'small' is in no worker's list"));
  EXPECT_THAT(why_refused("\"task\": \"a\",", "\"task\": \"a\", \"arguments\": [1],"), HasSubstr("workers[0].tasks[0].arguments: are [1]"));
}

TEST_F(ListPlans, ThatReadSomethingBeforeItIsWrittenAreRefused) {
  EXPECT_THAT(why_refused("\"after\": [\"c\"]", "\"after\": []"),
              HasSubstr("workers[1].tasks[2]: 'sum' may begin before 'c' has ended, which the scenario has it wait for"));
  EXPECT_THAT(why_refused("\"after\": [\"a\", \"b\"]", "\"after\": [\"a\"]"),
              HasSubstr("workers[0].tasks[1]: 'c' may begin before 'b' has ended"));  // 'd' stands behind 'b'
}

TEST_F(ListPlans, ThatWouldHangAreRefused) {
  std::string text(kPlan);
  const std::string first = "{\"task\": \"a\", \"kernel\": \"spin\", \"after\": []}, ";
  const std::size_t at = text.find(first);
  text.erase(at, first.size());
  const std::size_t end = text.find("]}", text.find("\"task\": \"c\""));
  text.insert(text.find('}', end) + 1, ", {\"task\": \"a\", \"kernel\": \"spin\", \"after\": []}");
  try {
    followed(text);
    FAIL() << text;
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("workers: would never end: the lists and the edges wait for each other in a cycle: "));
    EXPECT_THAT(error.what(), HasSubstr("'a' waits for 'c' (which stands before it in the list of core 0)"));
  }
  std::string many = R"({"tasktwin_plan": {"version": 1, "launch": "lists", "from": "", "axes": {}}, "events": [], "workers": [)";
  for (const char* const task : {"a", "b", "c", "d", "sum"}) {
    const int worker = std::string_view(task) == "sum" ? 4 : task[0] - 'a';
    many += (worker > 0 ? "," : "") + ("{\"worker\": " + std::to_string(worker)) + ", \"tasks\": [{\"task\": \"" + task +
            "\", \"kernel\": \"spin\", \"after\": " +
            (worker < 2   ? "[]"
             : worker < 4 ? "[\"a\", \"b\"]"
                          : "[\"c\", \"d\"]") +
            "}]}";
  }
  try {
    followed(many + "]}");
    FAIL() << many;
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("workers: are 5, but machine"));
    EXPECT_THAT(error.what(), HasSubstr("has room for 4 at once"));
  }
}

TEST(JsonPosition, IsThatOfTheValue) {
  constexpr std::string_view kText = "{\n  \"a\": [1, {\"b\\\"\": \"]}\", \"c\": null}],\n  \"d\": {\"e\": -2.5}\n}\n";
  const auto at = [&](std::string_view path) {
    const auto where = scenarios::json_position(kText, path);
    return where ? std::to_string(where->line) + ":" + std::to_string(where->column) : "";
  };
  EXPECT_EQ(at(""), "1:1");
  EXPECT_EQ(at("a"), "2:8");
  EXPECT_EQ(at("a[1].c"), "2:31");
  EXPECT_EQ(at("d.e"), "3:14");
  EXPECT_EQ(at("a[7]"), "2:8");
  EXPECT_EQ(at("x.y"), "1:1");
  EXPECT_FALSE(scenarios::json_position("no JSON", "a"));
}

}  // namespace
}  // namespace tasktwin::verify
