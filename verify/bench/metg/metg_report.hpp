#pragma once

#include <optional>
#include <string>

#include "verify/bench/bench_provenance.hpp"
#include "verify/bench/metg/metg_benchmark.hpp"

namespace tasktwin::verify {

/// METG in nanoseconds, of a cell that was measured in order and whose curve crosses 50 %.
std::optional<double> metg_of(const MetgCell& cell);

/// The tables: designs, METG, ratios of the host-launched executors to the others, chains, hops, and what was refused or failed.
std::string metg_text(const MetgResult& result, const HopTimes& hops, const BenchProvenance& provenance);

}  // namespace tasktwin::verify
