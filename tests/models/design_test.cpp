#include "models/design/design.hpp"

#include <functional>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/base/error.hpp"
#include "models/runtimes/runtimes.hpp"
#include "tests/models/design_refusal.hpp"
#include "tests/support/free_machine.hpp"

namespace tasktwin {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Machine small_machine() {
  Machine machine = free_machine();
  machine.name = "small";
  machine.compute_cores = {{CoreType::kAic, 2}, {CoreType::kAiv, 4}};
  machine.control_cores = {.count = 3, .lanes = 1, .occupied_cores = 1};
  return machine;
}

TEST(NamedDesigns, AreConsistentAndFoundByTheirNames) {
  std::set<std::string> names;
  Machine machine = small_machine();
  machine.control_cores.count = 4;
  for (const Design& design : named_designs()) {
    EXPECT_EQ(refusal(design, machine), "") << design.name;
    EXPECT_EQ(named_design(design.name), design);
    EXPECT_TRUE(names.insert(design.name).second);
  }
  EXPECT_TRUE(names.contains("cuda-streams") && names.contains("central-dispatcher") && names.contains("static-queues") &&
              names.contains("shared-queue"));
}

TEST(NamedDesigns, SayInALineWhatTheyAre) {
  ASSERT_EQ(named_design_meanings().size(), named_designs().size());
  std::set<std::string_view> meanings;
  for (const std::string_view meaning : named_design_meanings()) {
    EXPECT_FALSE(meaning.empty());
    EXPECT_TRUE(meanings.insert(meaning).second) << meaning;
  }
}

TEST(Axes, SayWhatTheyAndTheirWordsMean) {
  for (const AxisField& axis : axis_fields()) {
    EXPECT_FALSE(axis.meaning.empty()) << axis.name;
    EXPECT_EQ(axis.meanings.size(), axis.words.size()) << axis.name;
    for (std::size_t i = 0; i < axis.words.size(); ++i) EXPECT_FALSE(axis.meanings[i].empty()) << axis.name << ' ' << axis.words[i];
  }
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
     "release 'events', not 'counters'"},
    {"PersistentWithEvents", "shared-queue", [](Design& d, Machine&) { d.release = Release::kEvents; }, "release 'counters', not 'events'"},
    {"FrozenIntoAShared", "static-queues", [](Design& d, Machine&) { d.ready_queue = ReadyQueue::kShared; },
     "'shared-queue' with placement 'any_idle', not 'heft'"},
    {"AnyIdleFromPerWorker", "central-dispatcher", [](Design& d, Machine&) { d.ready_queue = ReadyQueue::kPerWorker; },
     "placement 'least_loaded' or 'locality', not 'any_idle'"},
    {"DynamicIntoFrozenLists", "shared-queue", [](Design& d, Machine&) { d.ready_queue = ReadyQueue::kPerWorkerAndShared; },
     "'hybrid' with placement 'round_robin', 'heft'"},
    {"BarrierWithoutLists", "layer-barrier", [](Design& d, Machine&) { d.placement = Placement::kAnyIdle; },
     "'layer-barrier' with placement 'round_robin', 'heft'"},
    {"BarrierFromAShared", "layer-barrier", [](Design& d, Machine&) { d.ready_queue = ReadyQueue::kShared; },
     "'layer-barrier' with ready_queue 'per_worker', not 'shared'"},
    {"StreamsFromAShared", "cuda-streams", [](Design& d, Machine&) { d.ready_queue = ReadyQueue::kShared; },
     "ready_queue 'per_worker', not 'shared'"},
    {"WorkersWithoutDispatchers", "shared-queue", [](Design& d, Machine&) { d.ready_queue = ReadyQueue::kPerDispatcher; },
     "ready_queue 'shared', 'per_core_type' or 'sharded', not 'per_dispatcher'"},
    {"StealingFromOneForAll", "shared-queue", [](Design& d, Machine&) { d.stealing = Stealing::kHalf; }, "stealing 'off', not 'half'"},
    {"WorkersWhoChooseACore", "shared-queue", [](Design& d, Machine&) { d.placement = Placement::kLocality; },
     "placement 'any_idle', not 'locality'"},
    {"ReplayOfNothing", "static-queues", [](Design& d, Machine&) { d.placement = Placement::kReplay; },
     "placement 'replay' needs 'replay', the file to follow: a table with the columns task and core, or a timeline as --timeline writes "
     "it"},
    {"TimelineForNobody", "static-queues", [](Design& d, Machine&) { d.replay = "run.csv"; },
     "replay names a timeline, but placement is 'heft', not 'replay'"},
    {"StreamGranularityElsewhere", "shared-queue", [](Design& d, Machine&) { d.stream_granularity = StreamGranularity::kSingle; },
     "stream_granularity has no effect here: it counts under 'cuda-streams', 'host-program' or 'cuda-graph'"},
    {"StreamsElsewhere", "shared-queue", [](Design& d, Machine&) { d.streams = 1; },
     "streams has no effect here: it counts under 'cuda-streams'"},
    {"StreamsBesideTheOnlyOne", "cuda-streams",
     [](Design& d, Machine&) {
       d.stream_granularity = StreamGranularity::kSingle;
       d.streams = 8;
     },
     "it needs a stream_granularity other than 'single' and 'per_task_type'"},
    {"DispatchersElsewhere", "shared-queue", [](Design& d, Machine&) { d.dispatchers = 2; },
     "dispatchers has no effect here: it counts under 'central-dispatcher'"},
    {"MailboxOfStreams", "cuda-streams", [](Design& d, Machine&) { d.mailbox_depth = 2; }, "mailbox_depth has no effect here"},
    {"GangOfStreams", "cuda-streams", [](Design& d, Machine&) { d.gang = Gang::kApart; }, "gang has no effect here"},
    {"GangOfFrozenLists", "static-queues", [](Design& d, Machine&) { d.gang = Gang::kApart; }, "gang has no effect here"},
    {"NotificationBesideAQueue", "hybrid", [](Design& d, Machine&) { d.notification = Notification::kSemaphore; },
     "notification has no effect here: it counts under 'static-queues'"},
    {"PredicatesOfNoGraph", "cuda-streams", [](Design& d, Machine&) { d.graph_predicates = GraphPredicates::kIf; },
     "graph_predicates has no effect here: it counts under 'cuda-graph'"},
    {"ConditionalNodesCaptured", "cuda-graph",
     [](Design& d, Machine&) {
       d.graph_predicates = GraphPredicates::kSwitch;
       d.graph_source = GraphSource::kCapture;
     },
     "graph_predicates 'switch' cannot have graph_source 'capture'"},
    {"ConditionalNodesUpdated", "cuda-graph",
     [](Design& d, Machine&) {
       d.graph_predicates = GraphPredicates::kWhile;
       d.graph_update = GraphUpdate::kReinstantiate;
       d.replays = 2;
     },
     "graph_predicates 'while' cannot have graph_update 'reinstantiate'"},
    {"ConditionalNodesProgrammatic", "cuda-graph",
     [](Design& d, Machine&) {
       d.graph_predicates = GraphPredicates::kIf;
       d.programmatic_launch = ProgrammaticLaunch::kOn;
     },
     "graph_predicates 'if' cannot have programmatic_launch 'on'"},
    {"HardwareQueuesElsewhere", "shared-queue", [](Design& d, Machine&) { d.hardware_queues = 8; }, "hardware_queues has no effect here"},
    {"ResolversElsewhere", "shared-queue", [](Design& d, Machine&) { d.resolvers = 1; }, "resolvers has no effect here"},
    {"OwnershipElsewhere", "shared-queue", [](Design& d, Machine&) { d.ownership = Ownership::kShared; }, "ownership has no effect here"},
    {"LoopElsewhere", "shared-queue", [](Design& d, Machine&) { d.loop = Loop::kInterleaved; }, "loop has no effect here"},
    {"SweepElsewhere", "shared-queue", [](Design& d, Machine&) { d.sweep = Sweep::kBusyCores; }, "sweep has no effect here"},
    {"ClaimOfOnesOwn", "static-queues", [](Design& d, Machine&) { d.claim = Claim::kGuided; }, "claim has no effect here"},
    {"ClaimSizeOfAll", "shared-queue", [](Design& d, Machine&) { d.claim_size = 4; },
     "claim_size has no effect here: it needs claim 'fixed' or 'guided'"},
    {"ShardsOfOne", "shared-queue", [](Design& d, Machine&) { d.shards = 4; }, "shards has no effect here: it needs ready_queue 'sharded'"},
    {"ShareOfNoLists", "shared-queue", [](Design& d, Machine&) { d.static_percent = 50; }, "static_percent has no effect here"},
    {"VictimOfNobody", "shared-queue", [](Design& d, Machine&) { d.victim = Victim::kNext; }, "victim has no effect here"},
    {"BatchOfNothing", "work-stealing", [](Design& d, Machine&) { d.steal_batch = 2; }, "steal_batch has no effect here"},
    {"TailElsewhere", "shared-queue", [](Design& d, Machine&) { d.fill = Fill::kNotInTail; },
     "fill has no effect here: it counts under 'central-dispatcher' or 'host-dispatcher'"},
    {"FillOfWorkers", "shared-queue", [](Design& d, Machine&) { d.fill = Fill::kWhenNoCoreIdle; }, "fill has no effect here"},
    {"DeviceBuildOfStreams", "cuda-streams", [](Design& d, Machine&) { d.graph_build = GraphBuild::kDevice; },
     "graph_build has no effect here: it counts under 'central-dispatcher'"},
    {"WindowOfAll", "central-dispatcher", [](Design& d, Machine&) { d.window = 8; }, "window has no effect here"},
    {"OrchestratorsOfNothing", "central-dispatcher", [](Design& d, Machine&) { d.orchestrators = 2; }, "orchestrators has no effect here"},
    {"NotificationOfNobody", "shared-queue", [](Design& d, Machine&) { d.notification = Notification::kFlag; },
     "notification has no effect here"},
    {"BackOffOfStreams", "cuda-streams", [](Design& d, Machine&) { d.backoff_ns = 10; }, "backoff_ns has no effect here"},
    {"TerminationOfStreams", "cuda-streams", [](Design& d, Machine&) { d.termination = Termination::kVote; },
     "termination has no effect here"},
    {"RolesBeyondTheControlCores", "central-dispatcher",
     [](Design& d, Machine&) {
       d.dispatchers = 2;
       d.resolvers = 1;
       d.graph_build = GraphBuild::kDevice;
     },
     "dispatchers is 2, resolvers 1, orchestrators 1, but machine 'small' has 3 control cores"},
    {"GraphWithCounters", "cuda-streams",
     [](Design& d, Machine&) {
       d.driver = Driver::kCudaGraph;
       d.release = Release::kCounters;
     },
     "'cuda-graph' with release 'events', not 'counters'"},
    {"GraphByHeft", "cuda-streams",
     [](Design& d, Machine&) {
       d.driver = Driver::kCudaGraph;
       d.placement = Placement::kHeft;
     },
     "'cuda-graph' with placement 'round_robin', not 'heft'"},
    {"StreamsOfAGraph", "cuda-streams",
     [](Design& d, Machine&) {
       d.driver = Driver::kCudaGraph;
       d.streams = 8;
     },
     "streams has no effect here: it needs graph_source 'capture'"},
    {"MailboxOfAGraph", "cuda-streams",
     [](Design& d, Machine&) {
       d.driver = Driver::kCudaGraph;
       d.mailbox_depth = 2;
     },
     "mailbox_depth has no effect here"},
    {"SharedQueueOfAGraph", "cuda-streams",
     [](Design& d, Machine&) {
       d.driver = Driver::kCudaGraph;
       d.ready_queue = ReadyQueue::kShared;
     },
     "ready_queue 'per_worker', not 'shared'"},
    {"NoControlCoreToSubmit", "shared-queue",
     [](Design& d, Machine& m) {
       d.graph_build = GraphBuild::kDevice;
       m.control_cores.count = 0;
     },
     "machine 'small' has no control cores for an orchestrator"},
    {"StreamsByHeft", "cuda-streams", [](Design& d, Machine&) { d.placement = Placement::kHeft; }, "placement 'round_robin', not 'heft'"},
    {"DispatcherByHeft", "central-dispatcher", [](Design& d, Machine&) { d.placement = Placement::kHeft; },
     "placement 'any_idle', 'least_loaded' or 'locality', not 'heft'"},
    {"FrozenWithAnOrder", "static-queues", [](Design& d, Machine&) { d.order = TaskOrder::kLongest; },
     "order must be 'fifo' where the placement is frozen, not 'longest'"},
    {"MailboxOfNone", "central-dispatcher", [](Design& d, Machine&) { d.mailbox_depth = 0; }, "mailbox_depth is 0; it must be 1 to 16"},
    {"MailboxTooDeep", "central-dispatcher", [](Design& d, Machine&) { d.mailbox_depth = kMaxMailboxDepth + 1; },
     "mailbox_depth is 17; it must be 1 to 16"},
    {"NoStreams", "cuda-streams", [](Design& d, Machine&) { d.streams = 0; }, "streams is 0; it must be 1 to 1024"},
    {"TooManyStreams", "cuda-streams", [](Design& d, Machine&) { d.streams = kMaxStreams + 1; }, "streams is 1025; it must be 1 to 1024"},
    {"NegativeDispatchers", "central-dispatcher", [](Design& d, Machine&) { d.dispatchers = -1; },
     "dispatchers is -1; it must be 0 to 1024"},
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

TEST(CheckDesign, AllowsAGraphOfKernelsWithNothingElseToChoose) {
  Design design = named_design("cuda-streams");
  design.driver = Driver::kCudaGraph;
  EXPECT_EQ(refusal(design, small_machine()), "");
}

TEST(CheckDesign, AllowsEachTypeOfConditionalNodesInGraphsThatAreReplayedAsTheyAre) {
  Design design = named_design("cuda-graph");
  design.replays = 3;
  for (const auto& [predicates, word] : Words<GraphPredicates>::entries) {
    design.graph_predicates = predicates;
    EXPECT_EQ(refusal(design, small_machine()), "") << word;
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
