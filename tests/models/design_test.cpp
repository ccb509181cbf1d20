#include "models/design.hpp"

#include <functional>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/error.hpp"

namespace tasktwin {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Machine small_machine() {
  Machine machine;
  machine.name = "small";
  machine.compute_cores = {{CoreType::kAic, 2}, {CoreType::kAiv, 4}};
  machine.control_cores = {.count = 3, .lanes = 1, .occupied_cores = 1};
  return machine;
}

std::string refusal(const Design& design, const Machine& machine) {
  try {
    check_design(design, machine);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(NamedDesigns, AreConsistentAndFoundByTheirNames) {
  std::set<std::string> names;
  for (const Design& design : named_designs()) {
    EXPECT_EQ(refusal(design, small_machine()), "") << design.name;
    EXPECT_EQ(named_design(design.name), design);
    EXPECT_TRUE(names.insert(design.name).second);
  }
  EXPECT_TRUE(names.contains("cuda-streams") && names.contains("central-dispatcher") && names.contains("static-queues") &&
              names.contains("shared-queue"));
}

TEST(NamedDesigns, AnUnknownNameListsThemAndTheNearest) {
  try {
    named_design("cental-dispatcher");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("unknown design 'cental-dispatcher'; did you mean 'central-dispatcher'? (valid: cuda-streams, "));
  }
}

struct Refused {
  const char* name;
  const char* base;
  std::function<void(Design&, Machine&)> change;
  const char* message;
};

class CheckDesign : public testing::TestWithParam<Refused> {};

TEST_P(CheckDesign, RefusesNamingTheAxis) {
  Design design = named_design(GetParam().base);
  Machine machine = small_machine();
  GetParam().change(design, machine);
  EXPECT_THAT(refusal(design, machine), HasSubstr(GetParam().message));
  EXPECT_THAT(refusal(design, machine), testing::StartsWith("design '" + design.name + "': "));
}

const Refused kRefusals[] = {
    {"StreamsWithCounters", "cuda-streams", [](Design& d, Machine&) { d.release = Release::kCounters; },
     "driver 'streams' cannot have release 'counters'"},
    {"PersistentWithEvents", "shared-queue", [](Design& d, Machine&) { d.release = Release::kEvents; },
     "driver 'persistent' cannot have release 'events'"},
    {"FrozenIntoAShared", "static-queues", [](Design& d, Machine&) { d.ready_queue = ReadyQueue::kShared; },
     "placement 'heft' cannot have ready_queue 'shared'"},
    {"AnyIdleFromPerWorker", "shared-queue", [](Design& d, Machine&) { d.ready_queue = ReadyQueue::kPerWorker; },
     "placement 'any_idle' cannot have ready_queue 'per_worker'"},
    {"StreamsByHeft", "cuda-streams", [](Design& d, Machine&) { d.placement = Placement::kHeft; },
     "driver 'streams' places round_robin, not 'heft'"},
    {"DispatcherByHeft", "static-queues", [](Design& d, Machine&) { d.release = Release::kDispatcher; },
     "a dispatcher places any_idle, not 'heft'"},
    {"FrozenWithAnOrder", "static-queues", [](Design& d, Machine&) { d.order = TaskOrder::kLongest; },
     "order must be 'fifo' where the placement is frozen, not 'longest'"},
    {"MailboxOfNone", "central-dispatcher", [](Design& d, Machine&) { d.mailbox_depth = 0; }, "mailbox_depth is 0; it must be 1 to 16"},
    {"MailboxTooDeep", "central-dispatcher", [](Design& d, Machine&) { d.mailbox_depth = kMaxMailboxDepth + 1; },
     "mailbox_depth is 17; it must be 1 to 16"},
    {"NoStreams", "cuda-streams", [](Design& d, Machine&) { d.streams = 0; }, "streams is 0; it must be 1 to 1024"},
    {"TooManyStreams", "cuda-streams", [](Design& d, Machine&) { d.streams = kMaxStreams + 1; }, "streams is 1025; it must be 1 to 1024"},
    {"NegativeDispatchers", "central-dispatcher", [](Design& d, Machine&) { d.dispatchers = -1; }, "dispatchers is negative"},
    {"NoControlCores", "central-dispatcher", [](Design&, Machine& m) { m.control_cores.count = 0; },
     "machine 'small' has no control cores for a dispatcher"},
    {"MoreDispatchersThanControlCores", "central-dispatcher", [](Design& d, Machine&) { d.dispatchers = 4; },
     "dispatchers is 4, but machine 'small' has 3 control cores"},
    {"NoComputeCores", "shared-queue", [](Design&, Machine& m) { m.compute_cores.clear(); },
     "machine 'small' leaves no compute core for tasks"},
    {"ControlCoresTakeAll", "central-dispatcher",
     [](Design&, Machine& m) {
       m.compute_cores = {{CoreType::kSm, 1}};
     },
     "machine 'small' leaves no compute core for tasks"},
};
INSTANTIATE_TEST_SUITE_P(EachContradiction, CheckDesign, testing::ValuesIn(kRefusals),
                         [](const testing::TestParamInfo<Refused>& refused) { return refused.param.name; });

TEST(CheckDesign, AllowsTheEdgesOfEachRange) {
  Design design = named_design("central-dispatcher");
  for (const int depth : {1, kMaxMailboxDepth}) {
    design.mailbox_depth = depth;
    EXPECT_EQ(refusal(design, small_machine()), "");
  }
  for (const int dispatchers : {0, 3}) {
    design.dispatchers = dispatchers;
    EXPECT_EQ(refusal(design, small_machine()), "");
  }
  design = named_design("cuda-streams");
  for (const int streams : {1, kMaxStreams}) {
    design.streams = streams;
    EXPECT_EQ(refusal(design, small_machine()), "");
  }
}

TEST(DispatcherCount, IsAllControlCoresUnlessTheDesignSaysHowMany) {
  Design design = named_design("central-dispatcher");
  EXPECT_EQ(dispatcher_count(design, small_machine()), 3);
  design.dispatchers = 2;
  EXPECT_EQ(dispatcher_count(design, small_machine()), 2);
  EXPECT_EQ(dispatcher_count(named_design("shared-queue"), small_machine()), 0);
}

TEST(WorkerCores, LoseThoseTheControlCoresOccupyFromTheLargestGroup) {
  using enum CoreType;
  EXPECT_THAT(worker_cores(named_design("shared-queue"), small_machine()), ElementsAre(kAic, kAic, kAiv, kAiv, kAiv, kAiv));
  EXPECT_THAT(worker_cores(named_design("central-dispatcher"), small_machine()), ElementsAre(kAic, kAic, kAiv, kAiv, kAiv));
}

}  // namespace
}  // namespace tasktwin
