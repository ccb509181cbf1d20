#pragma once

#include <cstdint>
#include <string>

#include "scenarios/importers/trace/selected_run.hpp"

namespace tasktwin::scenarios {

/// "0.42 ms".
std::string in_ms(std::int64_t ns);

/// What the host did before the first call of a whole trace that counts, where that is long: making the device's context, say. It is left
/// out, and a remark says how long it was and which call took longest.
void remark_on_begin(const TraceRun& run, Imported& imported);

/// Kernels of collectives in a trace, which is of one rank: they take in it what they have waited for others.
void remark_on_ranks(const TraceRun& run, Imported& imported);

}  // namespace tasktwin::scenarios
