#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/design.hpp"
#include "models/timeline.hpp"

namespace tasktwin::sim {

/// One kernel as the host launches it.
struct Launch {
  TaskId task;
  std::uint32_t stream;
  TimePoint begin;              ///< of the launch call
  TimePoint end;                ///< of the launch call
  std::uint32_t first_awaited;  ///< position in HostProgram::awaited
};

/// What the host does, and when.
struct HostProgram {
  std::vector<Launch> launches;
  std::vector<std::uint32_t> awaited;  ///< launches that a launch's stream waits for, ascending by stream
  TimePoint end{};                     ///< of the last call

  std::span<const std::uint32_t> awaited_by(std::size_t launch) const {
    const std::size_t first = launches[launch].first_awaited;
    const std::size_t last = launch + 1 < launches.size() ? launches[launch + 1].first_awaited : awaited.size();
    return std::span(awaited).subspan(first, last - first);
  }
};

/// The host under driver `streams`: a serial loop from 0 over the tasks in topological order, the i-th into stream
/// i modulo the number of streams. For each: a stream_wait for every other stream that holds a predecessor (for the one
/// launched last there), the launch, and an event_record if a successor is in another stream. No call waits for the device.
/// The times of one task's calls are rounded once, as sums.
HostProgram host_program(const TaskGraph& graph, const Machine& machine, const Design& design);

/// The core type of each stream's first task; of the machine's first cores where a stream has none.
std::vector<CoreType> stream_types(const TaskGraph& graph, const Machine& machine, const Design& design);

}  // namespace tasktwin::sim
