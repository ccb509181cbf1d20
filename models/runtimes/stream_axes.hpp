#pragma once

#include <array>

#include "models/runtimes/shared_axes.hpp"

namespace tasktwin {

// What the two runtimes have alike that launch a kernel a task into streams.

inline constexpr std::array kStreamAxes{
    AxisUse{.axis = "ready_queue", .peers = kRead},
    AxisUse{.axis = "placement", .peers = kRead},
    AxisUse{.axis = "streams", .peers = kRead, .when = &condition::kSeveralStreams},
    AxisUse{.axis = "stream_granularity", .peers = kRead},
    AxisUse{.axis = "hardware_queues"},
    AxisUse{.axis = "stream_wait"},
    AxisUse{.axis = "default_stream"},
    AxisUse{.axis = "stream_priorities"},
    AxisUse{.axis = "programmatic_launch"},
    AxisUse{.axis = "programmatic_trigger", .gpu = kNotRead, .when = &condition::kProgrammatic},
    AxisUse{.axis = "replays", .peers = kRead},
    AxisUse{.axis = "partition", .when = &condition::kOneKernelAStream},
    AxisUse{.axis = "allocator"},
    AxisUse{.axis = "release_threshold", .when = &condition::kPool},
    AxisUse{.axis = "pool_reuse", .when = &condition::kPool},
    AxisUse{.axis = "record_stream", .gpu = kNotRead, .when = &condition::kCache},
    AxisUse{.axis = "segments", .gpu = kNotRead, .when = &condition::kCache},
    AxisUse{.axis = "max_split_mib", .gpu = kNotRead, .when = &condition::kCache},
    AxisUse{.axis = "device_placement", .gpu = kNotRead, .peers = kRead},
    AxisUse{.axis = "peer_data", .gpu = kNotRead, .peers = kRead},
    AxisUse{.axis = "collective", .gpu = kNotRead, .peers = kRead},
    AxisUse{.axis = "collective_blocks", .gpu = kNotRead, .peers = kNotRead},
    AxisUse{.axis = "launching", .gpu = kNotRead, .peers = kRead},
};

inline constexpr std::array kStreamSections{SectionUse{"memory"}, SectionUse{"host_calls"}, SectionUse{"streams"},
                                            SectionUse{"launched_kernels"}};

inline constexpr TaskSupport kStreamTasks{.blocks = true,
                                          .spawned = true,
                                          .numbered_blocks = true,
                                          .operations = true,
                                          .footprints = Footprints::kAll,
                                          .own = OwnBodies::kLaunched};

}  // namespace tasktwin
