#include "models/runtimes/runtimes.hpp"
#include "models/runtimes/shared_axes.hpp"

namespace tasktwin {

namespace {

constexpr RuntimeForm kForms[] = {{.ready_queue = ReadyQueue::kGroupQueue, .placement = Placement::kAnyIdle}};

constexpr AxisUse kAxes[] = {{.axis = "ready_queue"}, {.axis = "placement"},  {.axis = "dispatchers"}, {.axis = "mailbox_depth"},
                             {.axis = "host_build"},  {.axis = "backoff_ns"}, {.axis = "termination"}};

constexpr SectionUse kSections[] = {{"memory"},         {"resident_cores"},   {"first_looks"}, {"ready_queues"},
                                    {"device_control"}, {"device_mailboxes"}, {"group_queue"}, {"host_build", &condition::kTimedBuild}};

constexpr RandomPart kDraws[] = {kDeviceHops, kBackOff};

constexpr NamedDesign kNamed[] = {
    {"ascend-group-queue",
     "an Ascend runtime with hardware group queues: four AICPU threads fill slots of controllers, which hand tasks over by themselves",
     [](Design& d) {
       d.ready_queue = ReadyQueue::kGroupQueue;
       d.dispatchers = 4;
       d.mailbox_depth = 2;
     }}};

}  // namespace

constinit const Runtime kGroupQueueRuntime{
    .id = RuntimeId::kGroupQueue,
    .name = "group-queue",
    .meaning = "hardware controllers compare what tasks wait for with what is done, and hand tasks over by themselves",
    .driver = Driver::kPersistent,
    .release = Release::kDispatcher,
    .forms = kForms,
    .axes = kAxes,
    .sections = kSections,
    .draws = kDraws,
    .named = kNamed,
    .simulated = {.known_beforehand = true},
    .on_gpu = false};

}  // namespace tasktwin
