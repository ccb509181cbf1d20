#pragma once

#include "verify/explain/explanation.hpp"
#include "verify/output/text/json.hpp"

namespace tasktwin::verify {

/// RunData of page/src/data.ts: one run under `design`, predicted or measured, and where its time went.
/// Contract: path and idle are of `timeline`.
Json run_data(const Design& design, const Timeline& timeline, const Metrics& metrics, const ObservedPath& path, const IdleTime& idle);

}  // namespace tasktwin::verify
