#include "gpu/supported/supported.hpp"

#include "gpu/device/hardware_queues.hpp"
#include "gpu/operations/operation_support.hpp"

namespace tasktwin::gpu {

// Executors that launch a kernel, or a graph's node, a task.

namespace {

constexpr AxisSupport kStreamAxes[] = {
    {"ready_queue"},       {"placement"},         {"streams"}, {"stream_granularity"}, {"hardware_queues"},     {"stream_wait"},
    {"default_stream"},    {"stream_priorities"}, {"replays"}, {"partition"},          {"programmatic_launch"}, {"allocator"},
    {"release_threshold"}, {"pool_reuse"},
};

constexpr AxisSupport kGraphAxes[] = {
    {"ready_queue"},      {"placement"},           {"streams"}, {"stream_granularity"}, {"graph_source"}, {"graph_update"},
    {"graph_predicates"}, {"programmatic_launch"}, {"replays"},
};

constexpr AxisSupport kDeviceGraphAxes[] = {{"launch_mode"}, {"claim"}, {"claim_size"}};

constexpr AxisSupport kDeviceKernelAxes[] = {{"pending_launches"}};

}  // namespace

const Supported kCudaStreamsSupported{[](const Design& design) { return design.driver == Driver::kStreams; },
                                      kStreamAxes,
                                      {.blocks = true,
                                       .spawned = true,
                                       .numbered_blocks = true,
                                       .operations = true,
                                       .footprints = Footprints::kAll,
                                       .own = OwnBodies::kLaunched},
                                      [](const TaskGraph& graph, const Machine&, const Design& design) {
                                        auto why = why_no_hardware_queues(design.hardware_queues);
                                        return why ? why : why_no_operation(graph, design);
                                      }};

const Supported kCudaGraphSupported{
    [](const Design& design) { return design.driver == Driver::kCudaGraph; },
    kGraphAxes,
    {.blocks = true,
     .spawned = false,
     .numbered_blocks = true,
     .operations = true,
     .footprints = Footprints::kAll,
     .own = OwnBodies::kLaunched},
    [](const TaskGraph& graph, const Machine&, const Design& design) { return why_no_operation(graph, design); }};

const Supported kDeviceGraphLaunchSupported{[](const Design& design) { return design.driver == Driver::kDeviceGraphLaunch; },
                                            kDeviceGraphAxes,
                                            {.blocks = false, .spawned = true, .footprints = Footprints::kAlike}};

const Supported kDynamicParallelismSupported{[](const Design& design) { return design.driver == Driver::kDynamicParallelism; },
                                             kDeviceKernelAxes,
                                             {.blocks = true, .spawned = true, .footprints = Footprints::kPlain}};

}  // namespace tasktwin::gpu
