#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "models/run/timeline.hpp"

namespace tasktwin {

/// In ns, the latest time, before or after 0, that a timeline of that many tasks may have, so that what is summed over tasks or over
/// dispatchers stays within 64 bits.
std::int64_t latest_time_ns(std::size_t tasks);

/// Why no task can have these times, or nullopt: it is ready and received before it starts, ends after that and is then published, and one
/// that starts ends; the start of a copy is not always observed.
std::optional<std::string> phase_fault(const TaskTimes& times);

}  // namespace tasktwin
