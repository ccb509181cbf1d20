#include "models/runtimes/runtimes.hpp"
#include "models/runtimes/shared_axes.hpp"

namespace tasktwin {

namespace {

constexpr RuntimeForm kForms[] = {{.ready_queue = {ReadyQueue::kShared, ReadyQueue::kPerCoreType, ReadyQueue::kSharded},
                                   .placement = Placement::kAnyIdle,
                                   .stealing = Stealing::kOff}};

constexpr std::array kQueueAxes{
    AxisUse{.axis = "ready_queue"},
    AxisUse{.axis = "placement"},
    AxisUse{.axis = "stealing"},
    AxisUse{.axis = "order", .gpu = only({"fifo"}, "the GPU's shared queue is first in, first out")},
    AxisUse{.axis = "claim"},
    AxisUse{.axis = "claim_size", .when = &condition::kSized},
    AxisUse{.axis = "shards", .when = &condition::kShards},
    kWorkersPerCoreAxis,
    kWorkerSlotsAxis,
    AxisUse{.axis = "gang"},
    kFallbackAxis,
    AxisUse{.axis = "backoff_ns"},
    AxisUse{.axis = "termination"},
};
constexpr auto kAxes = joined(kQueueAxes, kBuildAxes);

constexpr RandomPart kDraws[] = {kGatheredHops, kRandomOrder, kBackOff};

constexpr NamedDesign kNamed[] = {{"shared-queue", "resident cores take tasks from one queue of ready ones and push what they release",
                                   [](Design& d) { d.mailbox_depth = 2; }}};

}  // namespace

constinit const Runtime kSharedQueueRuntime{.id = RuntimeId::kSharedQueue,
                                            .name = "shared-queue",
                                            .meaning = "resident cores take tasks from a queue of ready ones and push what they release",
                                            .driver = Driver::kPersistent,
                                            .release = Release::kCounters,
                                            .forms = kForms,
                                            .axes = kAxes,
                                            .sections = kFetchingSections,
                                            .draws = kDraws,
                                            .named = kNamed,
                                            .gpu = {.blocks = true, .spawned = true, .own = OwnBodies::kResident},
                                            .tune = [](Design& design, int, bool independent) {
                                              design.mailbox_depth = kMostSlots;
                                              if (!independent) return;
                                              design.claim = Claim::kFixed;
                                              design.claim_size = kTasksAClaim;
                                            }};

}  // namespace tasktwin
