#pragma once

#include <string>

namespace tasktwin::gpu {

/// The GPU this process would run on.
struct DeviceInfo {
  std::string name;
  std::string driver;   ///< version
  std::string runtime;  ///< CUDA version
  int multiprocessors = 0;
};

/// Contract: !why_no_gpu().
DeviceInfo device_info();

}  // namespace tasktwin::gpu
