#include "gpu/supported.hpp"

#include "gpu/hardware_queues.hpp"
#include "gpu/operations/operation_support.hpp"
#include "gpu/task_support.hpp"

namespace tasktwin::gpu {

// Executors that launch a kernel, or a graph's node, a task.

const Supported kCudaStreamsSupported{[](const Design& design) { return design.driver == Driver::kStreams; },
                                      [](const TaskGraph& graph, const Machine&, const Design& design) {
                                        if (auto why = why_no_hardware_queues(design.hardware_queues)) return why;
                                        if (auto why = why_no_operation(graph, design)) return why;
                                        return why_no_task(graph,
                                                           {.blocks = true, .spawned = true, .numbered_blocks = true, .operations = true});
                                      }};

const Supported kCudaGraphSupported{[](const Design& design) { return design.driver == Driver::kCudaGraph; },
                                    [](const TaskGraph& graph, const Machine&, const Design& design) {
                                      if (auto why = why_no_operation(graph, design)) return why;
                                      return why_no_task(graph,
                                                         {.blocks = true, .spawned = false, .numbered_blocks = true, .operations = true});
                                    }};

const Supported kDeviceGraphLaunchSupported{
    [](const Design& design) { return design.driver == Driver::kDeviceGraphLaunch; },
    [](const TaskGraph& graph, const Machine&, const Design&) { return why_no_task(graph, {.blocks = false, .spawned = true}); }};

const Supported kDynamicParallelismSupported{[](const Design& design) { return design.driver == Driver::kDynamicParallelism; },
                                             [](const TaskGraph& graph, const Machine&, const Design&) {
                                               return why_no_task(graph, {.blocks = true, .spawned = true});
                                             }};

}  // namespace tasktwin::gpu
