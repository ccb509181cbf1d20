#include "models/runtimes/dispatching.hpp"
#include "models/runtimes/runtimes.hpp"
#include "models/runtimes/shared_axes.hpp"

namespace tasktwin {

namespace {

constexpr std::array kLoopAxes{
    AxisUse{.axis = "ready_queue",
            .gpu = only({"shared", "per_core_type", "per_dispatcher", "sharded"}, "the GPU's dispatchers have queues of their own")},
    AxisUse{.axis = "placement", .gpu = only({"any_idle", "least_loaded"}, "the GPU's dispatcher knows no other choice of cores")},
    AxisUse{.axis = "order"},
    AxisUse{.axis = "dispatchers"},
    AxisUse{.axis = "resolvers", .gpu = only({"0"}, "the GPU's dispatchers resolve themselves")},
    AxisUse{.axis = "ownership", .gpu = only({"owned"}, "a mailbox on the GPU has one writer")},
    AxisUse{.axis = "loop", .gpu = only({"complete_first"}, "the GPU's dispatcher takes in completions a warp at a time")},
    AxisUse{.axis = "sweep", .gpu = only({"all_cores"}, "one load looks at all cores of a warp, however many are busy")},
    AxisUse{.axis = "claim",
            .gpu = only({"all"}, "the GPU's dispatcher takes what its cores have room for"),
            .when = &condition::kSeveralTakers},
    AxisUse{.axis = "claim_size", .gpu = kNotRead, .when = &condition::kSizedTakers},
    AxisUse{.axis = "shards", .when = &condition::kShards},
    AxisUse{.axis = "mailbox_depth"},
    AxisUse{.axis = "fill"},
    AxisUse{.axis = "gang",
            .gpu = only({"together", "apart"}, "a GPU's multiprocessors stand in no clusters of cores"),
            .when = &condition::kDynamic},
    AxisUse{.axis = "backoff_ns"},
    AxisUse{.axis = "termination", .gpu = only({"counter"}, "the dispatcher's warps count completions in one word")},
};
constexpr std::array kEarlyAxes{
    AxisUse{.axis = "early_dispatch",
            .gpu = only({"off", "on"}, "the GPU's dispatcher stages for workers that are idle while no task is ready"),
            .when = &condition::kEarly},
    AxisUse{.axis = "early_bound",
            .gpu = only({"sum", "per_dispatcher"}, "the GPU's dispatcher counts all workers that wait for a doorbell"),
            .when = &condition::kBoundsStaging},
    AxisUse{.axis = "early_limit", .when = &condition::kStages},
    AxisUse{.axis = "early_order", .gpu = kNotRead, .when = &condition::kStages},
};
constexpr auto kAxes = joined(kLoopAxes, kSimulatedDispatcherAxes, kEarlyAxes, kStealingAxes, kBuildAxes);

constexpr SectionUse kSections[] = {{"memory"},
                                    {"resident_cores"},
                                    {"first_looks"},
                                    {"ready_queues"},
                                    {"device_control"},
                                    {"device_mailboxes"},
                                    {"host_build", &condition::kTimedBuild}};

constexpr RandomPart kDraws[] = {kDeviceHops, kRandomOrder, kRandomVictims, kBackOff};

/// An Ascend runtime's threads look at cores that run something, and give each core two tasks.
void as_on_ascend(Design& d, int dispatchers) {
  d.ready_queue = ReadyQueue::kPerCoreType;
  d.dispatchers = dispatchers;
  d.sweep = Sweep::kBusyCores;
  d.mailbox_depth = 2;
  d.gang = Gang::kPartsApart;
}

constexpr NamedDesign kNamed[] = {
    {"central-dispatcher", "control cores resolve dependencies and hand tasks out; while no core is idle, a core is given up to five",
     [](Design& d) {
       d.mailbox_depth = 5;
       d.fill = Fill::kWhenNoCoreIdle;
     }},
    {"ascend-host-built", "an Ascend runtime with the graph built by the host: four AICPU threads hand tasks out, a queue a core type",
     [](Design& d) { as_on_ascend(d, 4); }},
    {"ascend-device-built", "an Ascend runtime with the graph built on the device: an AICPU thread submits tasks, three hand them out",
     [](Design& d) {
       as_on_ascend(d, 3);
       d.graph_build = GraphBuild::kDevice;
       d.window = 16384;
     }}};

/// Enough that bodies of some 100 ns never wait for a task's way from memory.
constexpr int kDeepMailbox = 8;

}  // namespace

constinit const Runtime kCentralDispatcherRuntime{
    .id = RuntimeId::kCentralDispatcher,
    .name = "central-dispatcher",
    .meaning = "control cores resolve dependencies and hand tasks to resident cores",
    .driver = Driver::kPersistent,
    .release = Release::kDispatcher,
    .forms = kDispatchedForms,
    .axes = kAxes,
    .sections = kSections,
    .draws = kDraws,
    .named = kNamed,
    .gpu = {.blocks = true, .spawned = true, .own = OwnBodies::kResident},
    .tune = [](Design& design, int, bool independent) {
      design.mailbox_depth = kDeepMailbox;
      if (independent) design.fill = Fill::kAlways;  // filling mailboxes while others are idle costs nothing where there is always more
    }};

}  // namespace tasktwin
