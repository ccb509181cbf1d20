#include "verify/output/timelines/timeline_csv_output.hpp"

#include <gtest/gtest.h>

#include "tests/verify/support/cases.hpp"

namespace tasktwin::verify {
namespace {

TEST(TimelineCsv, OrdersByStartThenIdAndLeavesAbsentPhasesEmpty) {
  const tests::TemporaryFolder folder;
  Timeline timeline = tests::diamond_timeline();
  timeline.tasks[0].started = at_ns(600);
  timeline.tasks[0].core = kNoCore;
  write_timeline_csv(folder / "timeline.csv", tests::diamond(), timeline);
  EXPECT_EQ(tests::read_text(folder / "timeline.csv"),
            "task,name,kernel,core_type,ready_ns,dispatched_ns,received_ns,started_ns,ended_ns,published_ns,core,dispatcher\n"
            "1,\"b, \"\"quoted\"\"\",spin,sm,150,160,170,180,380,390,1,0\n"
            "2,c,spin,sm,150,165,,180,480,490,0,\n"
            "3,d,spin,sm,500,510,520,530,930,940,1,1\n"
            "0,a,spin,sm,0,10,20,600,130,140,,0\n");
}

}  // namespace
}  // namespace tasktwin::verify
