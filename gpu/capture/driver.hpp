#pragma once

#include <cstddef>

#include <cuda.h>

#include "gpu/capture/spool.hpp"

namespace tasktwin::gpu::capture {

/// The driver's own functions, of the copy that the process has loaded; null where that has none.
struct Driver {
  CUresult (*func_get_param_info)(CUfunction, std::size_t, std::size_t*, std::size_t*) = nullptr;
  CUresult (*kernel_get_param_info)(CUkernel, std::size_t, std::size_t*, std::size_t*) = nullptr;
  CUresult (*stream_get_priority)(CUstream, int*) = nullptr;
  CUresult (*stream_get_flags)(CUstream, unsigned int*) = nullptr;
  CUresult (*device_get_attribute)(int*, CUdevice_attribute, CUdevice) = nullptr;
  CUresult (*device_get_name)(char*, int, CUdevice) = nullptr;
  CUresult (*device_total_mem)(std::size_t*, CUdevice) = nullptr;
  CUresult (*driver_get_version)(int*) = nullptr;
  CUresult (*graph_node_get_type)(CUgraphNode, CUgraphNodeType*) = nullptr;

  static const Driver& get();
};

/// What the driver says of a device.
DeviceRecord describe_device(CUdevice device);

}  // namespace tasktwin::gpu::capture
