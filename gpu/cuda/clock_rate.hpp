#pragma once

namespace tasktwin::gpu {

/// Whether this build has code that the GPU can run. Contract: there is one.
bool has_code_here();

/// Cycles of the SM clock per nanosecond, measured under load against the device's global timer over about 20 ms.
double measure_cycles_per_ns();

}  // namespace tasktwin::gpu
