// A decode step as grids, on a GPU: its numbers are right, and its blocks are told apart.
#include <gmock/gmock.h>

#include "models/base/error.hpp"
#include "models/runtimes/runtimes.hpp"
#include "tests/gpu/executor_cases.hpp"
#include "tests/gpu/problem_graphs.hpp"

namespace tasktwin::gpu {
namespace {

class DecodeGrids : public OnTheGpu {
 protected:
  void expect_right(const Design& design) {
    const TaskGraph graph = decode_in_grids();
    const Measurement seen = run(graph, machine_, design, {.repeats = 2, .order_checks = 2});
    EXPECT_EQ(seen.ordering_violations, 0) << design.name;
    ASSERT_TRUE(seen.residual) << design.name;
    EXPECT_LE(*seen.residual, seen.residual_limit) << design.name;
    std::size_t blocks = 0;
    for (std::size_t i = 0; i < graph.size(); ++i)
      blocks += graph.traits(task_id(i)).blocks > 1 ? static_cast<std::size_t>(graph.traits(task_id(i)).blocks) : 0;
    EXPECT_GE(seen.timeline.blocks.size(), blocks) << design.name;
  }
};

TEST_F(DecodeGrids, AreRightInStreamsAndGraphs) {
  for (const char* name : {"cuda-streams", "cuda-graph"}) {
    Design design = named_design(name);
    expect_right(design);
    design.programmatic_launch = ProgrammaticLaunch::kOn;
    expect_right(design);
  }
}

TEST_F(DecodeGrids, AreRefusedByWorkers) {
  EXPECT_THROW(run(decode_in_grids(), machine_, named_design("shared-queue"), {.repeats = 1}), InputError);
}

}  // namespace
}  // namespace tasktwin::gpu
