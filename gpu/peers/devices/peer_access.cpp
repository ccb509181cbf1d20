#include "gpu/peers/devices/peer_access.hpp"

#include <cuda_runtime_api.h>

#include "gpu/cuda/cuda_error.hpp"
#include "gpu/cuda/on_device.hpp"

namespace tasktwin::gpu {

int visible_devices() {
  int devices = 0;
  return cudaGetDeviceCount(&devices) == cudaSuccess ? devices : 0;
}

std::optional<std::string> why_no_peers(int devices) {
  if (const int seen = visible_devices(); seen < devices)
    return "it needs " + std::to_string(devices) + " GPUs of one host, but there " + (seen == 1 ? "is 1" : "are " + std::to_string(seen));
  cudaDeviceProp first{};
  check(cudaGetDeviceProperties(&first, 0), "asking for the GPU's properties");
  for (int device = 1; device < devices; ++device) {
    cudaDeviceProp properties{};
    check(cudaGetDeviceProperties(&properties, device), "asking for the GPU's properties");
    if (std::string(properties.name) != first.name || properties.multiProcessorCount != first.multiProcessorCount) {
      return "GPU " + std::to_string(device) + " is '" + properties.name + "' with " + std::to_string(properties.multiProcessorCount) +
             " multiprocessors, but GPU 0 '" + first.name + "' with " + std::to_string(first.multiProcessorCount) +
             "; executors over several GPUs need them alike";
    }
  }
  for (int from = 0; from < devices; ++from) {
    for (int to = 0; to < devices; ++to) {
      int reaches = 1;
      if (from != to) check(cudaDeviceCanAccessPeer(&reaches, from, to), "asking for peer access");
      if (reaches == 0) {
        return "GPU " + std::to_string(from) + " cannot reach the memory of GPU " + std::to_string(to) +
               " (peer access); executors over several GPUs need that both ways";
      }
    }
  }
  return std::nullopt;
}

void allow_peer_access(int devices) {
  for (int from = 0; from < devices; ++from) {
    const OnDevice on(from);
    for (int to = 0; to < devices; ++to) {
      if (from == to) continue;
      const cudaError_t status = cudaDeviceEnablePeerAccess(to, 0);
      if (status == cudaErrorPeerAccessAlreadyEnabled) {
        static_cast<void>(cudaGetLastError());  // else the next call that asks for errors finds it
        continue;
      }
      check(status, "letting GPU " + std::to_string(from) + " reach the memory of GPU " + std::to_string(to));
    }
  }
}

}  // namespace tasktwin::gpu
