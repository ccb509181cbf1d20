#pragma once

#include <optional>
#include <string>

namespace tasktwin::gpu {

/// The most that CUDA_DEVICE_MAX_CONNECTIONS may ask for.
inline constexpr int kMostHardwareQueues = 32;

/// Asks for that many hardware queues, 0 for what the environment says, else for all; the first call in a process decides, because
/// the driver reads CUDA_DEVICE_MAX_CONNECTIONS once. Contract: before the process's first call of CUDA.
void ask_for_hardware_queues(int queues);

/// Why this process cannot run a design with that many of them, or nullopt; 0 is any number.
std::optional<std::string> why_no_hardware_queues(int queues);

}  // namespace tasktwin::gpu
