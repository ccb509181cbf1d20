#include <gmock/gmock.h>

#include <fstream>

#include "models/base/error.hpp"
#include "scenarios/load/scenario.hpp"
#include "scenarios/load/timeline_file.hpp"
#include "tests/scenarios/temporary_file.hpp"

namespace tasktwin::scenarios {
namespace {

const std::string kHeader =
    "task,name,kernel,core_type,ready_ns,dispatched_ns,received_ns,started_ns,ended_ns,published_ns,core,dispatcher\n";

TaskGraph two_tasks() {
  TaskGraphBuilder builder;
  builder.add_task("plain", {});
  builder.add_task("a, \"quoted\" one", {});
  return std::move(builder).build();
}

Timeline read(const std::string& rows) {
  const TemporaryFile file(kHeader + rows, "t.csv");
  return read_timeline_csv(file.path(), two_tasks());
}

std::string timeline_refusal(const std::string& text) {
  const TemporaryFile file(text, "t.csv");
  try {
    read_timeline_csv(file.path(), two_tasks());
  } catch (const InputError& error) {
    return std::string(error.what()).substr(file.path().size() + 1);
  }
  return "";
}

TEST(TimelineCsv, ReadsWhatWasObserved) {
  const Timeline timeline = read("1,\"a, \"\"quoted\"\" one\",spin,sm,1,2,3,4,5,6,2,1\n0,plain,spin,sm,,,,-7,8,,0,\n");
  const TaskTimes expected{at_ns(1), at_ns(2), at_ns(3), at_ns(4), at_ns(5), at_ns(6), core_id(2), dispatcher_id(1)};
  EXPECT_EQ(timeline.tasks.at(1), expected);
  EXPECT_EQ(timeline.tasks.at(0).started, at_ns(-7));
  EXPECT_FALSE(is_present(timeline.tasks.at(0).ready));
  EXPECT_EQ(timeline.tasks.at(0).dispatcher, kNoDispatcher);
  EXPECT_EQ(timeline.cores.size(), 3u);
}

TEST(TimelineCsv, ATaskWithoutARowIsAbsent) {
  const Timeline timeline = read("0,plain,spin,sm,1,2,3,4,5,6,0,0\r\n");
  EXPECT_EQ(timeline.tasks.at(1), TaskTimes{});
}

TEST(TimelineCsv, FaultsAreLocated) {
  EXPECT_EQ(timeline_refusal("task,name\n").substr(0, 52), "1:1: is no timeline: the first line must be 'task,na");
  EXPECT_EQ(timeline_refusal(kHeader + "0,plain,spin\n"), "2:1: task: the row has 3 fields; it must have 12");
  EXPECT_EQ(timeline_refusal(kHeader + "2,plain,spin,sm,1,2,3,4,5,6,0,0\n"), "2:1: task: is '2'; must be a whole number, 0 to 1");
  EXPECT_EQ(timeline_refusal(kHeader + "0,other,spin,sm,1,2,3,4,5,6,0,0\n"),
            "2:3: name: is 'other', but of task 0 of the scenario it is 'plain'; the timeline is of another graph");
  EXPECT_EQ(timeline_refusal(kHeader + "0,plain,spin,sm,1,2,3,x,5,6,0,0\n").substr(0, 24), "2:23: started_ns: is 'x'");
  EXPECT_EQ(timeline_refusal(kHeader + "0,plain,spin,sm,,,,,,,,\n0,plain,spin,sm,,,,,,,,\n"), "3:1: task: is 0, which has a row already");
  EXPECT_EQ(timeline_refusal(kHeader + "0,\"plain\n"), "2:3: the quote that opens here is not closed");
  EXPECT_EQ(timeline_refusal(kHeader + "0,\"plain\"x,spin\n"), "2:10: a ',' or the end of the line must follow a field in quotes");
}

TEST(TimelineCsv, AScenarioNamesItBesideItsFile) {
  const std::string text =
      "scenario: s\nmachine: nvidia-h200\ngraph:\n  tasks:\n  - {name: a, time_ns: 5}\ndesigns:\n"
      "- {name: again, release: counters, ready_queue: per_worker, placement: replay, replay: mine.csv}\n";
  const TemporaryFile file(text);
  std::ofstream(file.folder() / "mine.csv") << kHeader << "0,a,spin,sm,,,,10,15,,3,\n";
  const Scenario scenario = load_scenario(file.path());
  ASSERT_TRUE(scenario.replays.contains("again"));
  EXPECT_EQ(scenario.replays.at("again").tasks.at(0).core, core_id(3));
  EXPECT_THAT(refusal(text), ::testing::HasSubstr("7:88: designs[0].replay: "));
  EXPECT_THAT(refusal(text), ::testing::HasSubstr("mine.csv: no such file"));
}

}  // namespace
}  // namespace tasktwin::scenarios
