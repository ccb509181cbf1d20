#pragma once

#include <string_view>

#include "scenarios/load/scenario.hpp"
#include "verify/output/text/json.hpp"

namespace tasktwin::verify {

/// MachineData of page/src/data.ts: what a machine file says, a row a number. Constants of 0 without a source are left out.
Json machine_data(const scenarios::Scenario& scenario);

/// What the numbers of a constant count, by its name: "ns", "ns/MiB", "GB/s".
std::string_view unit_of(std::string_view constant);

}  // namespace tasktwin::verify
