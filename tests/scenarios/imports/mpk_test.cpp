#include <gmock/gmock.h>

#include "tests/scenarios/imports/reading.hpp"

namespace tasktwin::scenarios {
namespace {

using ::testing::HasSubstr;

constexpr const char* kNone = "9223372036854775806";

std::string task(int type, const std::string& trigger, const std::string& dependent = kNone) {
  return R"({"task_type": )" + std::to_string(type) + R"(, "variant_id": 0, "trigger_event": )" + trigger + R"(, "dependent_event": )" +
         dependent + ", \"inputs\": [], \"outputs\": []}";
}
std::string event(int type, int triggers, int first, int last) {
  return R"({"event_type": )" + std::to_string(type) + R"(, "num_triggers": )" + std::to_string(triggers) + R"(, "first_task_id": )" +
         std::to_string(first) + R"(, "last_task_id": )" + std::to_string(last) + "}";
}
std::string graph(const std::string& tasks, const std::string& events) {
  return R"({"all_tasks": [)" + tasks + R"(], "all_events": [)" + events + R"(], "first_tasks": [0]})";
}

/// Task 1 begins, releases 2 to 4 by event 1; these arrive at event 2, which releases 5 and 6; 6 waits for event 3 as well, of 5.
std::string whole() {
  return graph(task(0, kNone) + "," + task(10, "1") + "," + task(104, "2") + "," + task(104, "2") + "," + task(104, "4294967298") + "," +
                   task(105, "3") + "," + task(106, "0", "3"),
               event(910, 1, 0, 0) + "," + event(901, 1, 2, 5) + "," + event(902, 3, 5, 7) + "," + event(900, 1, 0, 0));
}

TEST(MpkImport, AnEventOfSeveralOnBothSidesIsOneJoin) {
  const Imported read = read_as("mpk", whole());
  EXPECT_EQ(edges_of(read.graph),
            (std::set<std::string>{"task 1 type 10.0>task 2 type 104.0", "task 1 type 10.0>task 3 type 104.0",
                                   "task 1 type 10.0>task 4 type 104.0", "task 2 type 104.0>event 2", "task 3 type 104.0>event 2",
                                   "task 4 type 104.0>event 2", "event 2>task 5 type 105.0", "event 2>task 6 type 106.0",
                                   "task 5 type 105.0>task 6 type 106.0"}));
  EXPECT_TRUE(has_remark(read, "1 event of several arrivals and several tasks: a counter each"));
  EXPECT_TRUE(has_remark(read, "the file has no times"));
}

TEST(MpkImport, TimesComeByPattern) {
  const TemporaryFile times("name,time_us\n*type 104.*,7\ntask 5 type 105.0,9\n", "times.csv");
  const Imported read = read_as("mpk", whole(), {.with = times.path()});
  EXPECT_EQ(time_of(read.graph, "task 3 type 104.0"), 7000);
  EXPECT_EQ(time_of(read.graph, "task 5 type 105.0"), 9000);
}

TEST(MpkImport, EdgesGrowWithTasksAndNotWithTheirPairs) {
  std::string tasks = task(0, kNone);
  for (int i = 0; i < 200; ++i) tasks += "," + task(1, "1");
  for (int i = 0; i < 200; ++i) tasks += "," + task(2, "0");
  EXPECT_EQ(read_as("mpk", graph(tasks, event(910, 200, 0, 0) + "," + event(902, 200, 201, 401))).graph.edge_count(), 400u);
}

TEST(MpkImport, FaultsNameTheField) {
  EXPECT_EQ(refused_as("mpk", graph(task(0, "7"), event(910, 1, 0, 0))), " all_tasks[0].trigger_event: is event 7, but all_events has 1");
  EXPECT_EQ(refused_as("mpk", graph(task(0, kNone), event(901, 1, 0, 9))),
            " all_events[0].last_task_id: is '9'; must be a whole number, 0 to 1");
  EXPECT_EQ(refused_as("mpk", graph(task(0, kNone), event(901, 1, 1, 0))), " all_events[0].last_task_id: is 0, before first_task_id, 1");
  EXPECT_EQ(refused_as("mpk", R"({"all_tasks": []})"), " has no 'all_events'");
  EXPECT_THAT(refused_as("mpk", graph(task(1, "1"), event(910, 1, 0, 0) + "," + event(901, 1, 0, 1))), HasSubstr("the edges make a cycle"));
}

TEST(MpkImport, ArrivalsFromElsewhereAreSaid) {
  EXPECT_TRUE(has_remark(read_as("mpk", graph(task(1, "1") + "," + task(2, "0"), event(910, 1, 0, 0) + "," + event(901, 4, 1, 2))),
                         "1 event whose num_triggers is not the number of tasks"));
}

}  // namespace
}  // namespace tasktwin::scenarios
