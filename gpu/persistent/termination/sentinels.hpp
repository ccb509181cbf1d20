#pragma once

#include <cstdint>

#include "gpu/persistent/termination/outstanding.hpp"

namespace tasktwin::gpu {

/// The worker that completes the last task leaves a stop entry for every worker, each in a place of the worker's own, which it looks at
/// together with its queue. In the queue itself a worker that had drawn several tickets would take others' entries.
struct Sentinels {
  Outstanding outstanding;
  std::uint32_t* stops;  ///< a worker's `stride` words after the one before
  std::uint32_t stride;
  std::uint32_t workers;

  /// Contract: outstanding.count() said that it was the last. Of `lanes` threads that call, this is number `lane`.
  TASKTWIN_HOST_DEVICE void push(std::uint32_t lane, std::uint32_t lanes) const {
    for (std::uint32_t worker = lane; worker < workers; worker += lanes) DeviceWord(stops[worker * stride]).store(1, kRelaxed);
  }

  TASKTWIN_HOST_DEVICE bool over(std::uint32_t worker) const { return DeviceWord(stops[worker * stride]).load(kRelaxed) != 0; }
};

}  // namespace tasktwin::gpu
