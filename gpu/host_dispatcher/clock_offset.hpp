#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "gpu/host_dispatcher/host_dispatchers.hpp"
#include "gpu/run/phase_record.hpp"
#include "models/run/timeline.hpp"

namespace tasktwin::gpu {

/// What is to be added to the host's stamps of a run to have them on the timeline's clock: no task can be received before it was handed
/// over, nor be seen completed before that was written, which bounds it from both sides; the middle is right where the quickest
/// message took as long in either direction. Absent where no task has all the stamps.
inline std::optional<std::int64_t> clock_offset(std::span<const HostStamps> host, std::span<const TaskTimes> device) {
  std::optional<std::int64_t> most;
  std::optional<std::int64_t> least;
  for (std::size_t i = 0; i < host.size(); ++i) {
    if (host[i].dispatched != 0 && is_present(device[i].received)) {
      const std::int64_t bound = to_ns(device[i].received) - host[i].dispatched;
      most = most ? std::min(*most, bound) : bound;
    }
    if (host[i].seen != 0 && is_present(device[i].published)) {
      const std::int64_t bound = to_ns(device[i].published) - host[i].seen;
      least = least ? std::max(*least, bound) : bound;
    }
  }
  if (!most || !least) return std::nullopt;
  return *least + (*most - *least) / 2;
}

}  // namespace tasktwin::gpu
