#pragma once

#include "verify/calibration/mechanisms.hpp"

namespace tasktwin::verify {

/// A step of calibrate_device_launches(): what launches do to each other, to bodies that start meanwhile, and to the ends of kernels, each
/// by how much longer it takes. `beyond`: what bodies take longer than they spin where nobody launches. Contract: what a launch and a
/// release take alone has been found.
void calibrate_launches_beside(Probes& probes, const Design& design, const mechanism::ResidentCores& cores, double beyond,
                               DeviceLaunches& found);

}  // namespace tasktwin::verify
