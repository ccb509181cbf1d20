#include "models/runtimes/runtimes.hpp"
#include "models/runtimes/shared_axes.hpp"

namespace tasktwin {

namespace {

constexpr RuntimeForm kForms[] = {{.ready_queue = ReadyQueue::kPerWorker, .placement = kFrozen}};

constexpr AxisUse kAxes[] = {{.axis = "ready_queue"},
                             {.axis = "placement"},
                             kWorkersPerCoreAxis,
                             kWorkerSlotsAxis,
                             {.axis = "host_build", .gpu = kNotRead},
                             {.axis = "backoff_ns"},
                             {.axis = "termination", .gpu = only({"counter"}, "a worker stops at the end of its list")}};

constexpr SectionUse kSections[] = {{"memory"},
                                    {"resident_cores"},
                                    {"first_looks"},
                                    {"launched_kernels", &condition::kWorkersBeside},  // how blocks beside each other read
                                    {"barriers"},
                                    {"ready_queues", &condition::kSentinels},
                                    {"host_build", &condition::kTimedBuild}};

constexpr RandomPart kDraws[] = {kBackOff};

constexpr NamedDesign kNamed[] = {
    {"layer-barrier", "resident cores share out one layer after the other, with a barrier between layers", [](Design& d) {
       d.ready_queue = ReadyQueue::kPerWorker;
       d.placement = Placement::kRoundRobin;
     }}};

}  // namespace

constinit const Runtime kLayerBarrierRuntime{.id = RuntimeId::kLayerBarrier,
                                             .name = "layer-barrier",
                                             .meaning = "resident cores run one layer after the other, with a barrier between layers",
                                             .driver = Driver::kPersistent,
                                             .release = Release::kBarrier,
                                             .forms = kForms,
                                             .axes = kAxes,
                                             .sections = kSections,
                                             .draws = kDraws,
                                             .named = kNamed,
                                             .gpu = {.own = OwnBodies::kResident},
                                             .tune = [](Design& design, int, bool) { design.mailbox_depth = kMostSlots; }};

}  // namespace tasktwin
