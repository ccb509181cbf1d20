#pragma once

#include <cstdint>

#include "models/base/units.hpp"

namespace tasktwin::gpu {

/// How long after so many bytes of device memory were given out or given back the memory may still be slower than later. On H200s (driver
/// 580) all cores together read 4.1 TB/s in place of 4.6 for up to 9 ms after 4.8 GB had been freed and allocated anew, as if what was
/// freed were cleared meanwhile.
Duration settling_time(std::int64_t bytes);

/// The device memory that a run takes, from before it is allocated until after it was freed. One at a time.
class MemoryOfRun {
 public:
  MemoryOfRun();
  MemoryOfRun(const MemoryOfRun&) = delete;
  MemoryOfRun& operator=(const MemoryOfRun&) = delete;
  /// For the next run to wait for.
  ~MemoryOfRun();

  /// To be called when all is allocated and nothing has been timed: waits as long as that and what the run before gave back may disturb.
  void settle();

 private:
  static inline std::int64_t given_back_ = 0;  ///< by the run before, in bytes
  std::int64_t free_before_ = 0;
  std::int64_t taken_ = 0;
};

}  // namespace tasktwin::gpu
