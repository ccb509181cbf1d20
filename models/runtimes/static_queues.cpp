#include "models/runtimes/runtimes.hpp"
#include "models/runtimes/shared_axes.hpp"

namespace tasktwin {

namespace {

constexpr RuntimeForm kForms[] = {{.ready_queue = ReadyQueue::kPerWorker, .placement = kFrozen, .stealing = Stealing::kOff}};

constexpr std::array kListAxes{
    AxisUse{.axis = "ready_queue", .peers = kRead},
    AxisUse{.axis = "placement", .peers = kRead},
    kWorkersPerCoreAxis,
    AxisUse{.axis = "mailbox_depth",
            .gpu = only({"1"}, "a worker reads its own list ahead, and holds one task"),
            .peers = only({"1"}, "a worker reads its own list ahead, and holds one task")},
    AxisUse{.axis = "prefetch"},
    AxisUse{.axis = "notification",
            .gpu = only({"counter", "flag", "message"}, "on the GPU workers are told by counters, flags or messages"),
            .peers = only({"counter"}, "workers of several devices are told by counters")},
    AxisUse{.axis = "own_list",
            .peers = only({"signal"}, "workers of several devices signal every edge"),
            .when = &condition::kOneAfterTheOther},
    AxisUse{.axis = "prologues", .peers = only({"with_body"}, "workers of several devices do prologues with bodies")},
    AxisUse{.axis = "backoff_ns", .peers = kRead},
    AxisUse{.axis = "termination",
            .gpu = only({"counter"}, "a worker stops at the end of its list"),
            .peers = only({"counter"}, "a worker stops at the end of its list")},
    AxisUse{.axis = "device_placement", .gpu = kNotRead, .peers = kRead},
    AxisUse{.axis = "peer_data", .gpu = kNotRead, .peers = kRead},
};
constexpr auto kAxes = joined(kListAxes, kBuildAxes);

constexpr SectionUse kSections[] = {{"memory"},
                                    {"resident_cores"},
                                    {"first_looks"},
                                    {"page_loads", &condition::kPrefetches},
                                    {"launched_kernels", &condition::kWorkersBeside},  // how blocks beside each other read
                                    {"ready_queues", &condition::kSentinels},
                                    {"device_control", &condition::kDeviceBuild},
                                    {"host_build", &condition::kTimedBuild}};

constexpr RandomPart kDraws[] = {kBackOff};

constexpr NamedDesign kNamed[] = {
    {"static-queues", "HEFT lists the tasks of each resident core beforehand; a finishing core counts down its successors", [](Design& d) {
       d.ready_queue = ReadyQueue::kPerWorker;
       d.placement = Placement::kHeft;
     }}};

}  // namespace

constinit const Runtime kStaticQueuesRuntime{
    .id = RuntimeId::kStaticQueues,
    .name = "static-queues",
    .meaning = "each resident core follows its own list, made beforehand",
    .driver = Driver::kPersistent,
    .release = Release::kCounters,
    .forms = kForms,
    .axes = kAxes,
    .sections = kSections,
    .draws = kDraws,
    .named = kNamed,
    .gpu = {.own = OwnBodies::kResident},
    .on_peers = true,
    .peers = {.operations = true, .peer_bytes = true},
    .tune = [](Design& design, int, bool) {  // column i of a pattern to worker i; a flag a task is raised sooner than three counters
      design.placement = Placement::kRoundRobin;
      design.notification = Notification::kFlag;
    }};

}  // namespace tasktwin
