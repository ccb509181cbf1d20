#include "models/runtimes/runtimes.hpp"
#include "models/runtimes/shared_axes.hpp"

namespace tasktwin {

namespace {

constexpr RuntimeForm kForms[] = {{}};

constexpr AxisUse kAxes[] = {{.axis = "launch_mode"}, {.axis = "claim"}, {.axis = "claim_size", .when = &condition::kSized}};

constexpr SectionUse kSections[] = {{"memory"}, {"host_calls"}, {"streams"}, {"device_graph_launch"}, {"launched_kernels"}};

constexpr NamedDesign kNamed[] = {
    {"device-graph-launch", "a scheduler kernel launches a device graph for each batch of up to 16 ready tasks", [](Design& d) {
       d.claim = Claim::kFixed;
       d.claim_size = 16;
     }}};

}  // namespace

constinit const Runtime kDeviceGraphLaunchRuntime{
    .id = RuntimeId::kDeviceGraphLaunch,
    .name = "device-graph-launch",
    .meaning = "a scheduler kernel on the device launches a graph for each batch of ready tasks",
    .driver = Driver::kDeviceGraphLaunch,
    .release = Release::kCounters,
    .forms = kForms,
    .axes = kAxes,
    .sections = kSections,
    .named = kNamed,
    .simulated = {.one_core_type = true, .one_block = true},
    .gpu = {.spawned = true, .footprints = Footprints::kAlike}};

}  // namespace tasktwin
