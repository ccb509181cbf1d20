// Uses of buffers that nothing keeps away from their allocation or free, by the calls that a design makes of a graph.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/program/buffers.hpp"
#include "models/runtimes/runtimes.hpp"

namespace tasktwin {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// "get" allocates buffer 1 in stream 0, "use" reads it in `stream`, "give" frees it in stream 0.
TaskGraph program(int stream, bool use_first, bool free_waits) {
  TaskGraphBuilder builder;
  const auto add = [&](const char* name, Operation operation, int in, std::vector<std::int32_t> uses) {
    Task task{.cost = {.bytes = {operation == Operation::kAlloc ? 1024 : 0}},
              .args = {operation == Operation::kKernel ? 0 : 1},
              .operation = operation};
    task.kernel = operation == Operation::kKernel ? Kernel::kSpin : Kernel::kEmpty;
    task.traits = builder.add_traits({.stream = in, .uses = std::move(uses)});
    return builder.add_task(name, task);
  };
  const TaskId get = add("get", Operation::kAlloc, 0, {});
  const TaskId use = use_first ? add("use", Operation::kKernel, stream, {1}) : TaskId{};
  const TaskId give = add("give", Operation::kFree, 0, {});
  const TaskId late = use_first ? use : add("use", Operation::kKernel, stream, {1});
  builder.add_edge(get, late);
  builder.add_edge(get, give);
  if (free_waits) builder.add_edge(use, give);
  return std::move(builder).build();
}

Design in_two_streams(Allocator allocator, RecordStream record = RecordStream::kOff) {
  Design design = named_design("cuda-streams");
  design.streams = 2;
  design.stream_granularity = StreamGranularity::kHinted;
  design.allocator = allocator;
  design.record_stream = record;
  return design;
}

TEST(BufferRaces, AFreeThatWaitsForNoUseElsewhereIsOneUnlessItWaitsForTheDeviceOrKnowsTheStream) {
  const TaskGraph apart = program(1, true, false);
  EXPECT_THAT(buffer_races(apart, in_two_streams(Allocator::kPool)),
              ElementsAre(AllOf(HasSubstr("task 'use' uses buffer 1 without a wait between it and task 'give'"))));
  EXPECT_THAT(buffer_races(apart, in_two_streams(Allocator::kCaching)), testing::SizeIs(1));
  EXPECT_THAT(buffer_races(apart, in_two_streams(Allocator::kMalloc)), IsEmpty());
  EXPECT_THAT(buffer_races(apart, in_two_streams(Allocator::kCaching, RecordStream::kOn)), IsEmpty());
}

TEST(BufferRaces, TheOrderOfAStreamOrADependencyIsEnough) {
  EXPECT_THAT(buffer_races(program(0, true, false), in_two_streams(Allocator::kPool)), IsEmpty());
  EXPECT_THAT(buffer_races(program(1, true, true), in_two_streams(Allocator::kPool)), IsEmpty());
}

TEST(BufferRaces, AUseThatIsLaunchedBehindTheFreeIsOneUnderEachAllocator) {
  for (const Allocator allocator : {Allocator::kPool, Allocator::kMalloc, Allocator::kCaching}) {
    EXPECT_THAT(buffer_races(program(1, false, false), in_two_streams(allocator)),
                ElementsAre(HasSubstr("task 'use' uses buffer 1 after task 'give' has freed it")));
  }
}

TEST(BufferRaces, AUseThatWaitsForNoAllocationIsOne) {
  TaskGraphBuilder builder;
  Task get{.cost = {.bytes = {1024}}, .args = {1}, .kernel = Kernel::kEmpty, .operation = Operation::kAlloc};
  get.traits = builder.add_traits({.stream = 0});
  builder.add_task("get", get);
  builder.add_task("use", {.traits = builder.add_traits({.stream = 1, .uses = {1}})});
  EXPECT_THAT(buffer_races(std::move(builder).build(), in_two_streams(Allocator::kPool)),
              ElementsAre(HasSubstr("nothing makes it wait for task 'get', which allocates it")));
}

}  // namespace
}  // namespace tasktwin
