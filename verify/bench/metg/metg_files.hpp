#pragma once

#include <string>

#include "verify/bench/bench_provenance.hpp"
#include "verify/bench/metg/metg_benchmark.hpp"
#include "verify/bench/metg/plot.hpp"

namespace tasktwin::verify {

/// executor,pattern,workers,metg50_us: a row a cell; the last field is empty where no METG was found.
std::string metg_csv(const MetgResult& result);

/// executor,pattern,workers,length_us,granularity_us,efficiency,predicted_granularity_us: a row a length visited; the last
/// field is empty where the simulator has no wiring of the design.
std::string metg_curves_csv(const MetgResult& result);

/// All of it, with designs, reasons, chains and the hardware's hops.
Json metg_json(const MetgResult& result, const HopTimes& hops, const BenchProvenance& provenance);

/// Efficiency over granularity, a panel a pattern; predictions dashed.
Plot metg_plot(const MetgResult& result, const std::string& device);

}  // namespace tasktwin::verify
