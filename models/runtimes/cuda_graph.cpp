#include "models/runtimes/runtimes.hpp"
#include "models/runtimes/shared_axes.hpp"

namespace tasktwin {

namespace {

constexpr RuntimeForm kForms[] = {{.ready_queue = ReadyQueue::kPerWorker, .placement = Placement::kRoundRobin}};

constexpr AxisUse kAxes[] = {
    {.axis = "ready_queue", .peers = kRead},
    {.axis = "placement", .peers = kRead},
    {.axis = "streams", .peers = kRead, .when = &condition::kCapturedStreams},
    {.axis = "stream_granularity", .peers = kRead, .when = &condition::kCapture},
    {.axis = "graph_source", .peers = kRead},
    {.axis = "graph_update", .when = &condition::kReplayed},
    {.axis = "graph_predicates"},
    {.axis = "programmatic_launch"},
    {.axis = "programmatic_trigger", .gpu = kNotRead, .when = &condition::kProgrammatic},
    {.axis = "replays", .peers = kRead},
    {.axis = "device_placement", .gpu = kNotRead, .peers = kRead},
    {.axis = "peer_data", .gpu = kNotRead, .peers = kRead},
    {.axis = "collective", .gpu = kNotRead, .peers = kRead},
    {.axis = "collective_blocks", .gpu = kNotRead, .peers = kNotRead},
};

constexpr SectionUse kSections[] = {{"memory"},
                                    {"host_calls"},
                                    {"graph_launch"},
                                    {"launched_kernels"},
                                    {"conditional_nodes", &condition::kConditionalNodes},
                                    {"streams", &condition::kProgrammatic}};

constexpr NamedDesign kNamed[] = {{"cuda-graph", "the host launches the tasks as the nodes of one CUDA graph", [](Design& d) {
                                     d.ready_queue = ReadyQueue::kPerWorker;
                                     d.placement = Placement::kRoundRobin;
                                   }}};

}  // namespace

constinit const Runtime kCudaGraphRuntime{
    .id = RuntimeId::kCudaGraph,
    .name = "cuda-graph",
    .meaning = "the host launches one graph that has a node a task",
    .driver = Driver::kCudaGraph,
    .release = Release::kEvents,
    .forms = kForms,
    .axes = kAxes,
    .sections = kSections,
    .named = kNamed,
    .gpu = {.blocks = true, .numbered_blocks = true, .operations = true, .footprints = Footprints::kAll, .own = OwnBodies::kLaunched},
    .on_peers = true,
    .peers = {.blocks = true, .numbered_blocks = true, .operations = true, .peer_bytes = true, .footprints = Footprints::kAll},
    .tune = [](Design&, int, bool) {}};

}  // namespace tasktwin
