#pragma once

#include "verify/calibration/mechanisms/calibrated_mechanisms.hpp"

namespace tasktwin::verify {

/// A step of calibrate_device_launches(): what launches do to each other. Contract: what a launch takes alone has been found.
void calibrate_launches_beside(Probes& probes, const Design& design, DeviceLaunches& found);

}  // namespace tasktwin::verify
