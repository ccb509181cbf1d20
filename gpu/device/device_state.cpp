#include "gpu/device/device_state.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include "gpu/cuda/clock_rate.hpp"
#include "gpu/cuda/cuda_error.hpp"

namespace tasktwin::gpu {

namespace {

/// As nvml.h declares them (NVML API Reference); the toolkit's packages that the build asks for do not have it.
struct ProcessInfo {
  unsigned pid;
  unsigned long long used_memory;
  unsigned gpu_instance;
  unsigned compute_instance;
};
using Device = void*;

/// The functions of the management library that are of use, where the driver brings it; none else.
class ManagementLibrary {
 public:
  ManagementLibrary() {
    void* const library = ::dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return;
    const auto find = [library](auto& function, const char* name) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(library, name));
    };
    int (*begin)() = nullptr;
    int (*handle)(const char*, Device*) = nullptr;
    find(begin, "nvmlInit_v2");
    find(handle, "nvmlDeviceGetHandleByPciBusId_v2");
    find(reasons_, "nvmlDeviceGetCurrentClocksThrottleReasons");
    find(processes_, "nvmlDeviceGetComputeRunningProcesses_v3");
    std::array<char, 32> bus{};
    check(cudaDeviceGetPCIBusId(bus.data(), static_cast<int>(bus.size()), 0), "asking for the GPU's place");
    if (begin == nullptr || handle == nullptr || begin() != 0 || handle(bus.data(), &device_) != 0) device_ = nullptr;
  }

  /// Bits of nvmlClocksThrottleReason*; 0 where they are not known.
  unsigned long long reasons() const {
    unsigned long long bits = 0;
    return device_ != nullptr && reasons_ != nullptr && reasons_(device_, &bits) == 0 ? bits : 0;
  }

  /// With this one; in a container it may see none, not even itself.
  int processes() const {
    std::vector<ProcessInfo> found(64);
    auto count = static_cast<unsigned>(found.size());
    return device_ != nullptr && processes_ != nullptr && processes_(device_, &count, found.data()) == 0 ? static_cast<int>(count) : 0;
  }

 private:
  Device device_ = nullptr;
  int (*reasons_)(Device, unsigned long long*) = nullptr;
  int (*processes_)(Device, unsigned*, ProcessInfo*) = nullptr;
};

/// Those that slow the clock down beyond what it was set to.
std::string words_of(unsigned long long reasons) {
  constexpr std::array<std::pair<unsigned long long, const char*>, 5> kReasons{{{0x4, "its power limit"},
                                                                                {0x8, "a hardware slowdown"},
                                                                                {0x20, "its temperature"},
                                                                                {0x40, "its temperature, in hardware"},
                                                                                {0x80, "a power brake"}}};
  std::string words;
  for (const auto& [bit, word] : kReasons) {
    if ((reasons & bit) != 0) words += (words.empty() ? "" : ", ") + std::string(word);
  }
  return words;
}

}  // namespace

DeviceState device_state() {
  static const ManagementLibrary management;
  const double clock = measure_cycles_per_ns();
  return {clock, words_of(management.reasons()), std::max(0, management.processes() - 1)};
}

}  // namespace tasktwin::gpu
