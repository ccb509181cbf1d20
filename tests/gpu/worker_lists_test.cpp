// The lists that workers follow are proved free of deadlock before anything starts, which needs no GPU.
#include "gpu/persistent/static_queues/worker_lists.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/base/error.hpp"
#include "models/runtimes/runtimes.hpp"
#include "tests/gpu/executor_cases.hpp"

namespace tasktwin::gpu {
namespace {

using testing::HasSubstr;

TEST(WorkerLists, AreProvedUnlessTheOptionsWantThemUnproved) {
  TaskGraphBuilder builder;
  for (const char* name : {"a", "b"}) builder.add_task(name, {});
  builder.add_edge(TaskId{0}, TaskId{1});
  const TaskGraph graph = std::move(builder).build();
  const Design design = named_design("static-queues");
  const Machine machine = machine_of(3, design);
  const FrozenSchedule deadlocked{{TaskId{1}, TaskId{0}}};
  RunOptions options{.lists = &deadlocked};
  EXPECT_THAT(
      [&] {
        worker_lists({graph, machine, design, options});
      },
      testing::ThrowsMessage<InputError>(HasSubstr("'a' waits for 'b' (which stands before it in the list of core 0)")));
  options.unproved_lists = true;
  EXPECT_EQ(worker_lists({graph, machine, design, options}), (FrozenSchedule{{TaskId{1}, TaskId{0}}, {}, {}}));
  const FrozenSchedule incomplete{{TaskId{0}}};
  options.lists = &incomplete;
  EXPECT_THAT(
      [&] {
        worker_lists({graph, machine, design, options});
      },
      testing::ThrowsMessage<InputError>(HasSubstr("task 'b' is in no list")));
}

}  // namespace
}  // namespace tasktwin::gpu
