#pragma once

#include <span>
#include <vector>

#include "verify/compare/standings.hpp"
#include "verify/explain/explanation.hpp"
#include "verify/output/text/json.hpp"
#include "verify/report/measured_pairs.hpp"

namespace tasktwin::verify {

/// PairData of page/src/data.ts for each verdict. `varies`: any design's runs differ from each other. `accounts` are of the designs' first
/// runs; `measured` of the designs that were measured.
Json pair_data(const std::vector<PairVerdict>& verdicts, bool varies, std::span<const DesignAccount> accounts,
               std::span<const MeasuredTimes> measured);

}  // namespace tasktwin::verify
