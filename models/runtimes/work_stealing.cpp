#include "models/runtimes/runtimes.hpp"
#include "models/runtimes/shared_axes.hpp"

namespace tasktwin {

namespace {

constexpr RuntimeForm kForms[] = {{.ready_queue = ReadyQueue::kPerWorker, .placement = Placement::kAnyIdle},
                                  {.ready_queue = ReadyQueue::kSharded, .placement = Placement::kAnyIdle, .stealing = kSteals}};

constexpr std::array kQueueAxes{
    AxisUse{.axis = "ready_queue"},
    AxisUse{.axis = "placement"},
    AxisUse{.axis = "order", .gpu = only({"fifo", "lifo"}, "on the GPU a queue that is stolen from has two ends and no keys")},
    AxisUse{.axis = "claim", .when = &condition::kSeveralTakers},
    AxisUse{.axis = "claim_size", .when = &condition::kSizedTakers},
    AxisUse{.axis = "shards", .when = &condition::kShards},
    kWorkersPerCoreAxis,
    kWorkerSlotsAxis,
    AxisUse{.axis = "gang"},
    kFallbackAxis,
    AxisUse{.axis = "backoff_ns"},
    AxisUse{.axis = "termination"},
};
constexpr auto kAxes = joined(kQueueAxes, kStealingAxes, kBuildAxes);

constexpr RandomPart kDraws[] = {kGatheredHops, kRandomOrder, kRandomVictims, kThievesLook, kBackOff};

constexpr NamedDesign kNamed[] = {
    {"work-stealing", "resident cores keep what they release, last in first out, and steal half of another's queue", [](Design& d) {
       d.ready_queue = ReadyQueue::kPerWorker;
       d.order = TaskOrder::kLifo;
       d.stealing = Stealing::kHalf;
     }}};

}  // namespace

constinit const Runtime kWorkStealingRuntime{
    .id = RuntimeId::kWorkStealing,
    .name = "work-stealing",
    .meaning = "resident cores keep what they release in queues of their own and take from others' when theirs is empty",
    .driver = Driver::kPersistent,
    .release = Release::kCounters,
    .forms = kForms,
    .axes = kAxes,
    .sections = kFetchingSections,
    .draws = kDraws,
    .named = kNamed,
    .gpu = {.blocks = true, .spawned = true, .own = OwnBodies::kResident},
    .tune = [](Design& design, int, bool independent) {  // a worker that takes ahead from its own queue leaves thieves nothing
      if (independent) design.mailbox_depth = kMostSlots;
    }};

}  // namespace tasktwin
