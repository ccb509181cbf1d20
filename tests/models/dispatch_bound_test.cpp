#include "models/bounds/dispatch.hpp"

#include <gtest/gtest.h>

#include "models/runtimes/runtimes.hpp"
#include "tests/models/graphs.hpp"
#include "tests/support/free_machine.hpp"

namespace tasktwin {
namespace {

using testing_graphs::graph_of;

/// Two cores of a mailbox each, one dispatcher. Taking in: poll 5, complete 10; resolve 3; handing over 4, dispatch 20.
class DispatchBound : public testing::Test {
 protected:
  DispatchBound() {
    machine_.compute_cores = {{CoreType::kSm, 2}};
    machine_.control_cores.count = 4;
    machine_.device_control->poll = Nanoseconds{5};
    machine_.device_control->complete = Nanoseconds{10};
    machine_.device_control->resolve = Nanoseconds{3};
    machine_.device_control->hand_over = Nanoseconds{4};
    machine_.device_control->dispatch = Nanoseconds{20};
    machine_.device_control->submit = Nanoseconds{50};
    design_.dispatchers = 1;
  }
  std::int64_t of(const TaskGraph& graph) const { return dispatch_bound(graph, machine_, design_).count(); }
  static TaskGraph independent() { return graph_of(std::vector<std::int64_t>(10, 1), {}); }
  static TaskGraph chain() { return graph_of({1, 1, 1}, {{0, 1}, {1, 2}}); }

  Machine machine_ = free_machine();
  Design design_;
};

TEST_F(DispatchBound, OfIndependentTasksIsEveryHandOverAndAllCompletionsButThoseInTheMailboxes) {
  // 8 completions at 5 / 2 + 10, 10 hand-overs at 4 / 2 + 20: two of either may come together.
  EXPECT_EQ(of(independent()), 8 * 25 / 2 + 10 * 22);
}

TEST_F(DispatchBound, OfAChainHasTheResolving) {
  // The last completion comes after the last body: 2 of them at 12.5, 3 hand-overs at 22, 2 edges at 3.
  EXPECT_EQ(of(chain()), 25 + 66 + 6);
}

TEST_F(DispatchBound, IsDividedAmongTheDispatchers) {
  design_.dispatchers = 2;  // each with a mailbox of its own
  EXPECT_EQ(of(independent()), (8 * 15 + 10 * 24) / 2);
}

TEST_F(DispatchBound, OfSharedCoresMayTakeInFromAllMailboxes) {
  design_.dispatchers = 2;
  design_.ownership = Ownership::kShared;
  EXPECT_EQ(of(independent()), (8 * 25 / 2 + 10 * 22) / 2);
}

TEST_F(DispatchBound, IsThatOfTheBusierRoleWhereResolversResolve) {
  design_.resolvers = 1;
  EXPECT_EQ(of(chain()), 25 + 66);
  machine_.device_control->resolve = Nanoseconds{100};
  EXPECT_EQ(of(chain()), 200);
}

TEST_F(DispatchBound, AnInterleavedLoopPollsForEveryCompletion) {
  design_.loop = Loop::kInterleaved;
  machine_.device_control->poll_per_core = Nanoseconds{1};
  EXPECT_EQ(of(independent()), 8 * 16 + 10 * 22);
}

TEST_F(DispatchBound, AFixedClaimPreparesForEveryClaim) {
  design_.claim = Claim::kFixed;
  design_.claim_size = 1;
  EXPECT_EQ(of(independent()), 8 * 25 / 2 + 10 * 24);
}

TEST_F(DispatchBound, LanesWorkOnAsManyItemsAsCanComeTogether) {
  machine_.control_cores.lanes = 32;  // but two mailboxes only
  EXPECT_EQ(of(independent()), 8 * (5 + 10) / 2 + 10 * (4 + 20) / 2);
}

TEST_F(DispatchBound, ScalesTheControlCoresOwnCode) {
  machine_.control_cores.code_scale = 0.5;  // complete, submit
  EXPECT_EQ(of(chain()), 15 + 66 + 6);      // 2 completions at 5 / 2 + 5
}

TEST_F(DispatchBound, OfOrchestratorsIsEverySubmission) {
  design_.graph_build = GraphBuild::kDevice;
  EXPECT_EQ(of(chain()), 50 + 50 + 50);
  design_.orchestrators = 2;  // one has the first and the last
  EXPECT_EQ(of(chain()), 50 + 50);
}

TEST_F(DispatchBound, HasNothingOfEventsThatNoWorkWaitsFor) {
  // A run is over with its last task; here one that an event comes before, and two events come after.
  const auto with_events = [](int behind) {
    TaskGraphBuilder builder;
    const Task event{.kernel = Kernel::kEmpty, .operation = Operation::kEvent};
    const TaskId first = builder.add_task("first", {.cost = {.time = Duration{1}}});
    const TaskId join = builder.add_task("join", event);
    const TaskId last = builder.add_task("last", {.cost = {.time = Duration{1}}});
    builder.add_edge(first, join);
    builder.add_edge(join, last);
    for (int i = 0; i < behind; ++i) builder.add_edge(i == 0 ? first : last, builder.add_task("behind" + std::to_string(i), event));
    return std::move(builder).build();
  };
  for (const std::string_view name : {"central-dispatcher", "ascend-host-built", "ascend-device-built", "ascend-group-queue"}) {
    design_ = named_design(name);
    machine_.group_queue = mechanism::GroupQueue{.submit = Nanoseconds{50}};
    EXPECT_EQ(of(with_events(2)), of(with_events(0))) << name;
  }
}

TEST_F(DispatchBound, IsNothingWithoutControlCores) {
  design_ = named_design("shared-queue");
  EXPECT_EQ(of(independent()), 0);
}

TEST_F(DispatchBound, LeavesRoomForRoundingWhereConstantsAreNotWhole) {
  const std::int64_t whole = of(independent());
  machine_.device_control->dispatch = Nanoseconds{20.01};
  const std::int64_t fraction = of(independent());
  EXPECT_LT(fraction, whole);
  EXPECT_GT(fraction, whole - (8 + 10));  // a nanosecond for each item at most
}

}  // namespace
}  // namespace tasktwin
