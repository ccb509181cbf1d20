#pragma once

#include <string>
#include <vector>

#include "verify/bench/bench_provenance.hpp"
#include "verify/bench/launch_costs/launch_costs.hpp"

namespace tasktwin::verify {

/// A table a quantity, with measured and predicted side by side by shape and size, and what failed.
std::string launch_costs_text(const std::vector<LaunchCostRow>& rows, const BenchProvenance& provenance);

/// shape,nodes,edges,roots,quantity,measured_us,predicted_us: a row a quantity; fields are empty where there is no figure.
std::string launch_costs_csv(const std::vector<LaunchCostRow>& rows);

/// The same with what the quantities mean, faults and where it was measured.
Json launch_costs_json(const std::vector<LaunchCostRow>& rows, const BenchProvenance& provenance);

}  // namespace tasktwin::verify
