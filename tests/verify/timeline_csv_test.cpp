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

/// Beside a task of two blocks: b, c and d have one each, on the core that the timeline says.
TEST(BlocksCsv, HasTasksOfOneBlockToo) {
  const tests::TemporaryFolder folder;
  Timeline timeline = tests::diamond_timeline();
  timeline.blocks = {{.task = task_id(0), .core = core_id(0), .started = at_ns(30), .ended = at_ns(130)},
                     {.task = task_id(0), .core = core_id(1), .started = at_ns(30), .ended = at_ns(120)}};
  write_blocks_csv(folder / "blocks.csv", tests::diamond(), timeline);
  EXPECT_EQ(tests::read_text(folder / "blocks.csv"),
            "task,name,block,wave,core,started_ns,ended_ns,published_ns\n"
            "0,a,0,1,0,30,130,\n"
            "0,a,1,1,1,30,120,\n"
            "1,\"b, \"\"quoted\"\"\",0,1,1,180,380,390\n"
            "2,c,0,1,0,180,480,490\n"
            "3,d,0,1,1,530,930,940\n");
}

}  // namespace
}  // namespace tasktwin::verify
