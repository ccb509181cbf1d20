#pragma once

#include <string>
#include <vector>

#include "verify/capture/capture_writer.hpp"
#include "verify/capture/json_stream.hpp"

namespace tasktwin::verify {

/// Everything ahead of the events, up to "traceEvents":[. `kernels` are the names for people, by id.
void write_head(JsonStream& out, const CaptureIndex& index, const std::vector<CapturedGraph>& graphs, const CaptureSummary& summary,
                const CaptureFacts& facts, const std::vector<std::string>& kernels);

}  // namespace tasktwin::verify
