#include "gpu/device/hardware_queues.hpp"

#include <cstdlib>

namespace tasktwin::gpu {

namespace {

constexpr const char* kVariable = "CUDA_DEVICE_MAX_CONNECTIONS";

/// What this process asked for: what the variable said when CUDA was first called.
std::optional<std::string>& asked_for() {
  static std::optional<std::string> queues;
  return queues;
}

}  // namespace

void ask_for_hardware_queues(int queues) {
  if (asked_for()) return;
  if (queues > 0) {
    ::setenv(kVariable, std::to_string(queues).c_str(), 1);
  } else {
    ::setenv(kVariable, std::to_string(kMostHardwareQueues).c_str(), 0);
  }
  asked_for() = std::getenv(kVariable);
}

std::optional<std::string> why_no_hardware_queues(int queues) {
  const std::string wanted = std::to_string(queues);
  if (queues > kMostHardwareQueues)
    return "hardware_queues is " + wanted + ", but a process gets " + std::to_string(kMostHardwareQueues) + " of them at most";
  if (queues == 0 || !asked_for() || *asked_for() == wanted) return std::nullopt;
  return "hardware_queues is " + wanted + ", but this process has asked the GPU for " + *asked_for() +
         ", once and for all; run designs with other numbers by themselves, or with " + kVariable + "=" + wanted + " in the environment";
}

}  // namespace tasktwin::gpu
