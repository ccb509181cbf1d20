#pragma once

#include "gpu/device/capability.hpp"
#include "models/machine/machine.hpp"

namespace tasktwin::gpu {

/// The GPU of this process as reported by the driver: name, cores, limits; no mechanism. What it does not report is as published for
/// its compute capability, or as assumed, which provenance says. Contract: !why_no_gpu().
Machine device_machine();

/// Kilobytes that a multiprocessor of that compute capability can set apart as shared memory (CUDA C++ Programming Guide, "Compute
/// Capabilities"), ascending; the nearest earlier capability's for one that is not known. Known without CUDA.
std::vector<int> carveouts_of(const Capability& gpu);

/// "NVIDIA H100 80GB HBM3" as a machine is called: "nvidia-h100-80gb-hbm3".
std::string machine_name(std::string_view device);

}  // namespace tasktwin::gpu
