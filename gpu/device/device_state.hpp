#pragma once

#include <string>

namespace tasktwin::gpu {

/// What may spoil a measurement, as the SM clock and the driver's management library (NVML) tell.
struct DeviceState {
  double cycles_per_ns = 0;  ///< of the SM clock, under load
  std::string slowed;        ///< why the driver holds the clock back, in words; empty where it does not, or does not report it
  int other_processes = 0;   ///< that compute on the GPU; 0 where the driver does not report it
};

/// Takes about 20 ms. Contract: there is a GPU, and this process uses it.
DeviceState device_state();

}  // namespace tasktwin::gpu
