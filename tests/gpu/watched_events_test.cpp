#include "gpu/persistent/static_queues/watched_events.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "gpu/supported/why_unsupported.hpp"
#include "models/runtimes/runtimes.hpp"
#include "scenarios/machine_files/load_machine.hpp"

namespace tasktwin::gpu {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Optional;

constexpr TaskId t(std::size_t i) { return task_id(i); }

/// Tasks 0 and 1; events 2 behind both, 3 behind 2 alone, 4 behind 2 and task 5; tasks 6 behind 3, 7 behind 4 and 0, 8 behind nothing.
TaskGraph followed() {
  TaskGraphBuilder builder;
  for (const bool event : {false, false, true, true, true, false, false, false, false}) {
    const Operation operation = event ? Operation::kEvent : Operation::kKernel;
    builder.add_task("t" + std::to_string(builder.size()), {.kernel = Kernel::kEmpty, .operation = operation});
  }
  for (const auto& [from, to] : {std::pair{0, 2}, {1, 2}, {2, 3}, {2, 4}, {5, 4}, {3, 6}, {4, 7}, {0, 7}})
    builder.add_edge(t(static_cast<std::size_t>(from)), t(static_cast<std::size_t>(to)));
  return std::move(builder).build();
}

TEST(WatchedEvents, AreThoseWhoseCountersCountTasks) {
  const auto watched = watched_events(followed());
  EXPECT_THAT(watched[6], ElementsAre(t(2))) << "what 3 waits for";
  EXPECT_THAT(watched[7], ElementsAre(t(2), t(4)));
  for (const std::size_t i : {0, 2, 3, 4, 8}) EXPECT_THAT(watched[i], IsEmpty());
}

TEST(WatchedEvents, AreKeptByWorkersAndEdgesForOthers) {
  const TaskGraph graph = followed();
  const Machine machine = scenarios::load_machine("nvidia-h200");
  for (const char* const name : {"static-queues", "shared-queue", "work-stealing", "hybrid", "layer-barrier", "cuda-streams", "cuda-graph",
                                 "device-graph-launch", "dynamic-parallelism"})
    EXPECT_EQ(why_unsupported(graph, machine, named_design(name)), std::nullopt) << name;
  for (const char* const name : {"central-dispatcher", "host-dispatcher"})
    EXPECT_THAT(why_unsupported(graph, machine, named_design(name)), Optional(HasSubstr("'t2' is an event"))) << name;
}

}  // namespace
}  // namespace tasktwin::gpu
