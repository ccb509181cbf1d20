#include <gmock/gmock.h>

#include <fstream>

#include "models/base/error.hpp"
#include "scenarios/load/placement_file.hpp"
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

/// a -> b, a -> c, on two cores.
TaskGraph fork() {
  TaskGraphBuilder builder;
  for (const char* name : {"a", "b", "c"}) builder.add_task(name, {});
  builder.add_edge(task_id(0), task_id(1));
  builder.add_edge(task_id(0), task_id(2));
  return std::move(builder).build();
}

std::string placement_refusal(const std::string& text) {
  try {
    parse_placement("p.csv", text, fork());
  } catch (const InputError& error) {
    return std::string(error.what()).substr(6);  // "p.csv:"
  }
  return "";
}

TEST(Placement, IsATableOfTasksAndCores) {
  for (const char* const text : {"task,core\na,1\nc,1\nb,0\n", "core,task\n1,0\n1,2\n0,1\n", "task,core,order\nc,1,7\na,1,3.5\nb,0,1\n",
                                 "task,core,started_ns\nb,0,900\na,1,0\nc,1,400\n", "task,core,started\nb,0,900\na,1,0\nc,1,400\n"}) {
    const Timeline timeline = parse_placement("p.csv", text, fork());
    ASSERT_EQ(timeline.tasks.size(), 3u);
    EXPECT_EQ(timeline.tasks[0].core, core_id(1)) << text;
    EXPECT_EQ(timeline.tasks[1].core, core_id(0)) << text;
    EXPECT_EQ(timeline.tasks[2].core, core_id(1)) << text;
    EXPECT_LT(timeline.tasks[0].started, timeline.tasks[1].started) << text;
    EXPECT_LT(timeline.tasks[0].started, timeline.tasks[2].started) << text;
  }
}

/// Names that are numbers, though of other tasks, where every row has one; else what both could mean is refused.
TEST(Placement, ReadsNamesThatAreNumbersAsNames) {
  TaskGraphBuilder builder;
  for (const char* const name : {"1", "0", "two"}) builder.add_task(name, {});
  const TaskGraph graph = std::move(builder).build();
  const Timeline timeline = parse_placement("p.csv", "task,core\n1,0\n0,1\ntwo,0\n", graph);
  EXPECT_EQ(timeline.tasks[0].core, core_id(0));
  EXPECT_EQ(timeline.tasks[1].core, core_id(1));
  try {
    parse_placement("p.csv", "task,core\n0,0\n1,1\n2,0\n", graph);
    FAIL() << "'0' is a name and the number of another";
  } catch (const InputError& refused) {
    EXPECT_NE(std::string(refused.what()).find("'0', the name of task 1 and the number of another"), std::string::npos) << refused.what();
  }
}

TEST(Placement, OrdersCoresByThemselves) {
  const Timeline timeline = parse_placement("p.csv", "task,core\nb,0\na,1\nc,1\n", fork());
  EXPECT_LT(timeline.tasks[0].started, timeline.tasks[1].started) << "b is the first of its core, and waits for a";
}

TEST(Placement, FaultsAreLocated) {
  EXPECT_EQ(placement_refusal("task,core,ordr\n"),
            "1:11: unknown column 'ordr'; did you mean 'order'? (valid: task, core, order, started_ns, started)");
  EXPECT_EQ(placement_refusal("task,core,order,started_ns\n"), "1:17: one of 'order' and 'started_ns' says the order; leave one out");
  EXPECT_EQ(placement_refusal("task,core\na\n"), "2:1: the row has 1 fields; it must have 2, as the first line");
  EXPECT_EQ(placement_refusal("task,core\nx,0\n"),
            "2:1: task: is 'x'; must be a task's number, 0 to 2, or its name; did you mean 'a'? (valid: a, b, c)");
  EXPECT_EQ(placement_refusal("task,core\na,-1\n"), "2:3: core: is '-1'; must be a core's number, from 0");
  EXPECT_EQ(placement_refusal("task,core\na,0\n0,1\n"), "3:1: task: is '0', which has a row already");
  EXPECT_EQ(placement_refusal("task,core\nb,0\n"), " task 0 ('a') has no row, nor have 1 more; each task must have one");
  EXPECT_EQ(placement_refusal("task,core,order\na,0,first\n"), "2:5: is 'first'; must be a number that the tasks of a core ascend by");
  EXPECT_EQ(placement_refusal("task,core\nb,0\na,0\nc,1\n"),
            "2:1: task 'b' can never start: on core 0 or before it a task comes first that waits for one after it");
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
