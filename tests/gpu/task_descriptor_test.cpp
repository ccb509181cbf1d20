#include "gpu/bodies/task_descriptor.hpp"

#include <gtest/gtest.h>

#include "gpu/bodies/body_context.hpp"
#include "tests/gpu/problem_graphs.hpp"

namespace tasktwin::gpu {
namespace {

TaskGraph mixed_streams() {
  TaskGraphBuilder builder;
  for (int i = 0; i < 50; ++i) {
    const bool streams = i % 3 != 0;
    builder.add_task("t" + std::to_string(i), {.cost = {.time = Duration{i}, .flops = {10 * i}, .bytes = {1000 * i + 1}},
                                               .args = {i, i + 1, i + 2, i + 3},
                                               .kernel = streams ? Kernel::kStream : Kernel::kSpin});
  }
  return std::move(builder).build();
}

TEST(TaskDescriptor, CarriesTheTask) {
  const auto descriptors = make_descriptors(mixed_streams());
  ASSERT_EQ(descriptors.size(), 50u);
  const TaskDescriptor& seventh = descriptors[7];
  EXPECT_EQ(seventh.task, 7u);
  EXPECT_EQ(seventh.kernel, static_cast<std::uint32_t>(Kernel::kStream));
  EXPECT_EQ(seventh.args[0], 7);
  EXPECT_EQ(seventh.args[3], 10);
  EXPECT_EQ(seventh.spin_ns, 7u);
  EXPECT_EQ(seventh.flops, 70u);
  EXPECT_EQ(seventh.bytes, 7001u);
}

TEST(TaskDescriptor, StreamTasksReadOneBehindTheOther) {
  std::uint64_t end = 0;
  for (const TaskDescriptor& descriptor : make_descriptors(mixed_streams())) {
    EXPECT_EQ(descriptor.stream_offset % 16, 0u);
    EXPECT_GE(descriptor.stream_offset, end);
    EXPECT_LT(descriptor.stream_offset, end + 512);
    if (descriptor.kernel == static_cast<std::uint32_t>(Kernel::kStream)) end = descriptor.stream_offset + descriptor.bytes;
  }
}

TEST(TaskDescriptor, IsTheSameAloneAsAmongAll) {
  const TaskGraph graph = mixed_streams();
  const auto all = make_descriptors(graph);
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const TaskDescriptor alone = make_descriptor(graph, task_id(i));
    EXPECT_EQ(alone.task, all[i].task);
    EXPECT_EQ(alone.bytes, all[i].bytes);
    EXPECT_EQ(alone.stream_offset, all[i].stream_offset);
  }
}

}  // namespace
}  // namespace tasktwin::gpu
