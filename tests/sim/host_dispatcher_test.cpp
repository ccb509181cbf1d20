// Threads of the host as dispatchers, against the central dispatcher and times worked out by hand.
#include <gtest/gtest.h>

#include "sim/simulator.hpp"
#include "tests/sim/small_worlds.hpp"

namespace tasktwin::sim {
namespace {

TEST(HostDispatcher, IsTheCentralDispatcherWithTheHostsConstants) {
  Machine host = plain_machine(3);
  host.control_cores = {.count = 2, .lanes = 8, .occupied_cores = 1, .code_scale = 0.5};
  host.constants.start = Nanoseconds{11};
  host.constants.host_mailbox_hop = Nanoseconds{1400};
  host.constants.host_completion_hop = Nanoseconds{1300};
  host.constants.host_publish = Nanoseconds{400};
  host.constants.host_poll = Nanoseconds{20};
  host.constants.host_poll_per_core = Nanoseconds{2};
  host.constants.host_complete = Nanoseconds{100};
  host.constants.host_resolve = Nanoseconds{50};
  host.constants.host_enqueue = Nanoseconds{9};
  host.constants.host_hand_over = Nanoseconds{13};
  host.constants.host_dispatch = Nanoseconds{70};
  host.constants.host_round = Nanoseconds{17};
  host.constants.host_locked_queue = Nanoseconds{6};
  host.constants.host_queue_contention = Nanoseconds{3};
  Machine device = plain_machine(3);
  device.control_cores.count = 2;
  device.constants.start = Nanoseconds{11};
  device.constants.mailbox_hop = Nanoseconds{1400};
  device.constants.completion_hop = Nanoseconds{1300};
  device.constants.publish = Nanoseconds{400};
  device.constants.poll = Nanoseconds{20};
  device.constants.poll_per_core = Nanoseconds{2};
  device.constants.complete = Nanoseconds{100};
  device.constants.resolve = Nanoseconds{50};
  device.constants.control_hop = Nanoseconds{50};
  device.constants.enqueue = Nanoseconds{9};
  device.constants.hand_over = Nanoseconds{13};
  device.constants.dispatch = Nanoseconds{70};
  device.constants.round = Nanoseconds{17};
  device.constants.locked_queue = Nanoseconds{6};
  device.constants.queue_contention = Nanoseconds{3};
  Design design = named_design("host-dispatcher");
  design.dispatchers = 2;
  design.placement = Placement::kLeastLoaded;  // on the device too all tasks then go through the queue
  Design central = design;
  central.driver = Driver::kPersistent;
  const TaskGraph graph = star(9);
  const Timeline timeline = simulate(graph, host, design).timeline;
  EXPECT_EQ(timeline.cores.size(), 3u);
  // That the workers are there is published and crosses the bus. The dispatcher of one core is through its sweep first; then come
  // the queue, the hand-over, the hop and the start.
  const std::int64_t opened = 400 + 1300;
  EXPECT_EQ(to_ns(timeline.tasks[0].started), opened + 22 + 6 + 13 + 70 + 1400 + 11);
  const Timeline on_device = simulate(graph, device, central).timeline;
  for (const auto phase : {&TaskTimes::dispatched, &TaskTimes::started, &TaskTimes::published}) {
    std::vector<std::int64_t> later = times(on_device, phase);
    for (std::int64_t& time : later) time += opened;
    EXPECT_EQ(times(timeline, phase), later);
  }
}

TEST(HostDispatcher, OneThreadSharesNothing) {
  Machine host = plain_machine(3);
  host.control_cores.count = 2;
  Design design = named_design("host-dispatcher");
  design.dispatchers = 1;
  const Duration alone = simulate(star(9), host, design).timeline.makespan();
  host.constants.host_round = host.constants.host_locked_queue = host.constants.host_resolve_line = Nanoseconds{50};
  EXPECT_EQ(simulate(star(9), host, design).timeline.makespan(), alone);
  design.dispatchers = 2;
  EXPECT_GT(simulate(star(9), host, design).timeline.makespan(), alone);
}

}  // namespace
}  // namespace tasktwin::sim
