#include "gpu/device/device_info.hpp"

#include <fstream>
#include <iterator>
#include <regex>

#include <cuda_runtime_api.h>

#include "gpu/cuda/cuda_error.hpp"

namespace tasktwin::gpu {

namespace {

std::string version_text(int version) { return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10); }

/// The kernel driver's own version, such as 580.159.04; the CUDA version it supports where it does not report it.
std::string driver_version() {
  std::ifstream file("/proc/driver/nvidia/version");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  std::smatch match;
  if (std::regex_search(text, match, std::regex(R"((\d{3,}\.\d+(\.\d+)?))"))) return match[1];
  int cuda = 0;
  check(cudaDriverGetVersion(&cuda), "asking for the driver's version");
  return "CUDA " + version_text(cuda);
}

}  // namespace

DeviceInfo device_info() {
  cudaDeviceProp properties{};
  int runtime = 0;
  check(cudaGetDeviceProperties(&properties, 0), "asking for the GPU's properties");
  check(cudaRuntimeGetVersion(&runtime), "asking for the runtime's version");
  return {properties.name, driver_version(), version_text(runtime), properties.multiProcessorCount};
}

}  // namespace tasktwin::gpu
