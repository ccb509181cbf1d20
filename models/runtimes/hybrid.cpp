#include "models/runtimes/runtimes.hpp"
#include "models/runtimes/shared_axes.hpp"

namespace tasktwin {

namespace {

constexpr RuntimeForm kForms[] = {{.ready_queue = ReadyQueue::kPerWorkerAndShared, .placement = kFrozen},
                                  {.ready_queue = ReadyQueue::kPerWorker, .placement = kFrozen, .stealing = kSteals}};

constexpr std::array kQueueAxes{
    AxisUse{.axis = "ready_queue"},
    AxisUse{.axis = "placement"},
    AxisUse{.axis = "order", .gpu = only({"fifo"}, "on the GPU the queue beside the frozen lists is first in, first out")},
    AxisUse{.axis = "claim", .when = &condition::kSeveralTakers},
    AxisUse{.axis = "claim_size", .when = &condition::kSizedTakers},
    AxisUse{.axis = "static_percent", .when = &condition::kListsAndQueue},
    kWorkersPerCoreAxis,
    kWorkerSlotsAxis,
    AxisUse{.axis = "backoff_ns"},
    AxisUse{.axis = "termination"},
};
constexpr auto kAxes = joined(kQueueAxes, kStealingAxes, kBuildAxes);

constexpr RandomPart kDraws[] = {kRandomOrder,
                                 kRandomVictims,
                                 kThievesLook,
                                 {"when owners of lists look (ready_queues.list_take_ns)",
                                  [](const Design& d, const Machine& m) {
                                    return d.stealing == Stealing::kOff && d.ready_queue == ReadyQueue::kPerWorkerAndShared &&
                                           m.ready_queues && m.ready_queues->list_take > Nanoseconds{0};
                                  }},
                                 kBackOff};

constexpr NamedDesign kNamed[] = {
    {"hybrid", "HEFT lists 80 % of the tasks for each resident core beforehand; the others wait in a shared queue", [](Design& d) {
       d.ready_queue = ReadyQueue::kPerWorkerAndShared;
       d.placement = Placement::kHeft;
       d.static_percent = 80;
     }}};

}  // namespace

constinit const Runtime kHybridRuntime{
    .id = RuntimeId::kHybrid,
    .name = "hybrid",
    .meaning = "resident cores follow lists made beforehand, and take from a shared queue or from each other's lists as well",
    .driver = Driver::kPersistent,
    .release = Release::kCounters,
    .forms = kForms,
    .axes = kAxes,
    .sections = kFetchingSections,
    .draws = kDraws,
    .named = kNamed,
    .gpu = {.spawned = true, .own = OwnBodies::kResident},
    .tune = [](Design& design, int, bool independent) {  // column i to worker i as far as it is frozen
      design.placement = Placement::kRoundRobin;
      if (!independent) return;  // a worker that takes ahead of the rest leaves others idle
      design.mailbox_depth = kMostSlots;
      design.claim = Claim::kFixed;
      design.claim_size = kTasksAClaim;
    }};

}  // namespace tasktwin
