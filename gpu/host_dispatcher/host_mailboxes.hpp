#pragma once

#include <cstdint>

#include "models/base/host_device.hpp"

namespace tasktwin::gpu {

inline constexpr std::uint32_t kHostMailboxEntries = 16;
inline constexpr std::uint32_t kMostHostWorkers = 256;
inline constexpr std::uint32_t kMostHostThreads = 64;

/// What threads of the host and the workers say to each other, in host memory that both read and write.
struct HostMailboxes {
  std::uint64_t* entries;      ///< per worker one line of 128 bytes; entry n % kHostMailboxEntries holds (n + 1) << 32 | task
  std::uint32_t* completions;  ///< tasks that a worker has completed, at host_completion_word()
};

/// A worker's completions: in a cache line of the host, of 64 bytes, that no other worker writes to while a dispatcher reads.
TASKTWIN_HOST_DEVICE constexpr std::uint32_t host_completion_word(std::uint32_t worker) { return 64 / sizeof(std::uint32_t) * worker; }
inline constexpr std::uint32_t kHostCompletionWords = host_completion_word(kMostHostWorkers);

TASKTWIN_HOST_DEVICE constexpr std::uint64_t host_entry(std::uint32_t n, std::uint32_t task) { return std::uint64_t{n + 1} << 32 | task; }

/// In place of a task: the worker is to end.
inline constexpr std::uint32_t kHostStop = 0xffffffffu;

}  // namespace tasktwin::gpu
