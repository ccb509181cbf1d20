#include "models/program/program_edits.hpp"

#include <gmock/gmock.h>

namespace tasktwin {
namespace {

using ::testing::ElementsAre;

/// Three launches by one thread, with 10 ns of its own before each and 5 for the call, and a sync.
struct Launched {
  TaskGraph graph;
  HostProgram program;
};

Launched three() {
  TaskGraphBuilder builder;
  for (const char* name : {"a", "b", "c"}) builder.add_task(name, {.cost = {.time = Duration{100}}});
  builder.add_edge(task_id(0), task_id(1));
  builder.add_edge(task_id(1), task_id(2));
  Launched made{std::move(builder).build(), {}};
  made.program.threads.resize(1);
  for (std::uint32_t i = 0; i < 3; ++i) {
    made.program.threads[0].calls.push_back(
        {.kind = HostCallKind::kLaunch, .own = Duration{10}, .call = Duration{5}, .first = task_id(i), .tasks = 1});
    made.program.order.emplace_back(0, i);
  }
  made.program.threads[0].calls.push_back({.kind = HostCallKind::kDeviceSync, .own = Duration{7}});
  made.program.order.emplace_back(0, 3);
  return made;
}

std::vector<std::size_t> launched(const HostProgram& program) {
  std::vector<std::size_t> tasks;
  for (const auto& at : program.order) {
    const HostCall& call = program.call(at);
    if (call.kind != HostCallKind::kLaunch) continue;
    for (std::size_t i = 0; i < call.tasks; ++i) tasks.push_back(index(call.first) + i);
  }
  return tasks;
}

TEST(ProgramEdits, WhatIsDroppedIsNotLaunchedAndItsOwnTimeStays) {
  const Launched made = three();
  const EditedGraph edited = drop_tasks(made.graph, "b");
  const HostProgram program = edited_program(made.program, made.graph, edited);
  EXPECT_THAT(launched(program), ElementsAre(0, 1));
  EXPECT_EQ(program.threads[0].calls[1].own, Duration{20});
  EXPECT_EQ(program.threads[0].calls.size(), 3u);
  EXPECT_EQ(edited_program(made.program, made.graph, drop_tasks(made.graph, "c")).threads[0].calls.back().own, Duration{17});
}

TEST(ProgramEdits, WhatIsNewIsLaunchedBeforeTheTaskBehindIt) {
  const Launched made = three();
  const EditedGraph edited = insert_task(made.graph, {.name = "x", .after = "a", .before = "b", .stream = 2});
  const HostProgram program = edited_program(made.program, made.graph, edited);
  EXPECT_THAT(launched(program), ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(program.threads[0].calls[1].call, Duration{5});
  EXPECT_EQ(program.threads[0].calls[1].stream, 2u);
  EXPECT_EQ(program.streams, 3u);
  EXPECT_THAT(launched(edited_program(made.program, made.graph, insert_task(made.graph, {.name = "x", .after = "c"}))),
              ElementsAre(0, 1, 2, 3));
}

TEST(ProgramEdits, WhatIsFusedIsLaunchedOnce) {
  const Launched made = three();
  const HostProgram program = edited_program(made.program, made.graph, fuse_tasks(made.graph, "*"));
  EXPECT_THAT(launched(program), ElementsAre(0));
}

TEST(ProgramEdits, WhatMovesIsLaunchedThere) {
  const Launched made = three();
  const HostProgram program = edited_program(made.program, made.graph, move_tasks(made.graph, "c", 1));
  EXPECT_EQ(program.threads[0].calls[2].stream, 1u);
  EXPECT_EQ(program.streams, 2u);
}

TEST(ProgramEdits, NodesOfAGraphStayInItsLaunch) {
  Launched made = three();
  made.program.threads[0].calls = {{.kind = HostCallKind::kLaunch, .own = Duration{10}, .first = task_id(0), .tasks = 3, .graph = true}};
  made.program.order = {{0, 0}};
  const HostProgram dropped = edited_program(made.program, made.graph, drop_tasks(made.graph, "a"));
  ASSERT_EQ(dropped.threads[0].calls.size(), 1u);
  EXPECT_EQ(dropped.threads[0].calls[0].tasks, 2u);
  const HostProgram inserted = edited_program(made.program, made.graph, insert_task(made.graph, {.name = "x", .before = "b"}));
  ASSERT_EQ(inserted.threads[0].calls.size(), 1u);
  EXPECT_EQ(inserted.threads[0].calls[0].tasks, 4u);
}

}  // namespace
}  // namespace tasktwin
