#pragma once

#include "gpu/capture/recorder.hpp"

namespace tasktwin::gpu::capture {

/// Has CUPTI hand over the device's records: kernels, copies and memsets, those of graphs by node.
void start_device_records(Recorder& recorder);

/// Waits for what is still in flight, and takes it.
void finish_device_records(Recorder& recorder);

}  // namespace tasktwin::gpu::capture
