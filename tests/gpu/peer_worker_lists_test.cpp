// Lists of resident workers of several devices, which need no GPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gpu/peers/queues/peer_worker_lists.hpp"
#include "models/base/error.hpp"
#include "models/program/device_graph.hpp"
#include "models/runtimes/runtimes.hpp"
#include "tests/gpu/peer_cases.hpp"

namespace tasktwin::gpu {
namespace {

using testing::HasSubstr;

std::string fault(const ExecutorInputs& inputs) {
  try {
    peer_worker_lists(inputs);
    return "";
  } catch (const InputError& error) {
    return error.what();
  }
}

TEST(PeerWorkerLists, HaveEveryTaskOnceWithAWorkerOfItsDevice) {
  Machine machine = several_devices(3);
  machine.compute_cores = {{CoreType::kSm, 5}};
  const TaskGraph graph = random_over_devices(3, 10, 9, 0, 2);
  for (const Placement placement : {Placement::kRoundRobin, Placement::kHeft}) {
    Design design = named_design("static-queues");
    design.placement = placement;
    const RunOptions options;
    const FrozenSchedule lists = peer_worker_lists({graph, machine, design, options});
    ASSERT_EQ(lists.size(), 15u);
    std::vector<int> met(graph.size(), 0);
    for (std::size_t worker = 0; worker < lists.size(); ++worker) {
      for (const TaskId task : lists[worker]) {
        ++met[index(task)];
        EXPECT_EQ(graph[task].device, static_cast<std::int32_t>(worker / 5));
      }
    }
    EXPECT_THAT(met, testing::Each(1)) << to_word(placement);
  }
}

TEST(PeerWorkerLists, OfAnotherDeviceOrInADeadlockAreRefused) {
  Machine machine = several_devices(2);
  machine.compute_cores = {{CoreType::kSm, 1}};
  Design design = named_design("static-queues");
  design.placement = Placement::kRoundRobin;
  TaskGraphBuilder builder;
  std::vector<TaskId> tasks;
  for (int i = 0; i < 4; ++i) tasks.push_back(builder.add_task("t" + std::to_string(i), {.device = i / 2}));
  builder.add_edge(tasks[1], tasks[2]);
  builder.add_edge(tasks[3], tasks[0]);
  const TaskGraph graph = std::move(builder).build();
  RunOptions options;
  const FrozenSchedule elsewhere{{tasks[0], tasks[1], tasks[2]}, {tasks[3]}};
  options.lists = &elsewhere;
  EXPECT_NE(fault({graph, machine, design, options}), "");
  const FrozenSchedule swapped{{tasks[1], tasks[2]}, {tasks[3], tasks[0]}};
  options.lists = &swapped;
  EXPECT_THAT(fault({graph, machine, design, options}), HasSubstr("is for device 1, but stands in the list of a worker of device 0"));
  const FrozenSchedule right{{tasks[1], tasks[0]}, {tasks[3], tasks[2]}};
  options.lists = &right;
  EXPECT_EQ(fault({graph, machine, design, options}), "");
  const FrozenSchedule waits{{tasks[0], tasks[1]}, {tasks[2], tasks[3]}};  // t0 waits for t3, which is behind t2, which waits for t1
  options.lists = &waits;
  EXPECT_THAT(fault({graph, machine, design, options}), HasSubstr("t0"));
}

}  // namespace
}  // namespace tasktwin::gpu
