#pragma once

namespace tasktwin::gpu {

/// Cycles of the SM clock per nanosecond, measured under load against the device's global timer over about 20 ms.
double measure_cycles_per_ns();

}  // namespace tasktwin::gpu
