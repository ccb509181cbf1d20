#include "models/runtimes/dispatching.hpp"
#include "models/runtimes/runtimes.hpp"
#include "models/runtimes/shared_axes.hpp"

namespace tasktwin {

namespace {

constexpr std::array kLoopAxes{
    AxisUse{.axis = "ready_queue", .gpu = only({"shared", "per_core_type"}, "the host's threads share one queue")},
    AxisUse{.axis = "placement", .gpu = only({"any_idle", "least_loaded"}, "the host's threads know no other choice of cores")},
    AxisUse{.axis = "order"},
    AxisUse{.axis = "dispatchers"},
    AxisUse{.axis = "resolvers", .gpu = only({"0"}, "the host's threads resolve themselves")},
    AxisUse{.axis = "ownership", .gpu = only({"owned"}, "a mailbox has one writer")},
    AxisUse{.axis = "loop"},
    AxisUse{.axis = "sweep"},
    AxisUse{.axis = "claim", .when = &condition::kSeveralTakers},
    AxisUse{.axis = "claim_size", .when = &condition::kSizedTakers},
    AxisUse{.axis = "shards", .gpu = kNotRead, .when = &condition::kShards},
    AxisUse{.axis = "stealing", .gpu = kNotRead},
    AxisUse{.axis = "steal_batch", .gpu = kNotRead, .when = &condition::kBatches},
    AxisUse{.axis = "victim", .gpu = kNotRead, .when = &condition::kThieves},
    AxisUse{.axis = "mailbox_depth"},
    AxisUse{.axis = "fill"},
    AxisUse{.axis = "gang", .when = &condition::kDynamic},
    AxisUse{.axis = "backoff_ns"},
    AxisUse{.axis = "termination", .gpu = only({"counter"}, "the host's threads count completions in one word")},
};
constexpr auto kAxes = joined(kLoopAxes, kSimulatedDispatcherAxes, kSimulatedEarlyAxes);

constexpr SectionUse kSections[] = {{"memory"},       {"resident_cores"}, {"first_looks"},     {"ready_queues"},
                                    {"host_control"}, {"host_mailboxes"}, {"device_mailboxes"}};

constexpr RandomPart kDraws[] = {
    {"mailbox hops (host_mailboxes.hop_sigma_ns)",
     [](const Design&, const Machine& m) { return m.host_mailboxes && m.host_mailboxes->hop_sigma > Nanoseconds{0}; }},
    kRandomOrder,
    kRandomVictims,
    kBackOff};

constexpr NamedDesign kNamed[] = {
    {"host-dispatcher", "four threads of the host resolve dependencies and hand tasks out; a core is given up to four", [](Design& d) {
       d.dispatchers = 4;
       d.mailbox_depth = 4;
       d.fill = Fill::kWhenNoCoreIdle;
     }}};

}  // namespace

constinit const Runtime kHostDispatcherRuntime{.id = RuntimeId::kHostDispatcher,
                                               .name = "host-dispatcher",
                                               .meaning = "threads of the host resolve dependencies and hand tasks to resident cores",
                                               .driver = Driver::kHostDispatcher,
                                               .release = Release::kDispatcher,
                                               .forms = kDispatchedForms,
                                               .axes = kAxes,
                                               .sections = kSections,
                                               .draws = kDraws,
                                               .named = kNamed,
                                               .gpu = {.blocks = true, .spawned = true, .own = OwnBodies::kResident}};

}  // namespace tasktwin
