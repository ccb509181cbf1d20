#pragma once

#include <span>
#include <string_view>

#include "models/design/design.hpp"
#include "scenarios/load/scenario.hpp"
#include "verify/output/text/json.hpp"

namespace tasktwin::verify {

/// MachineData of page/src/data.ts: what a machine file says, a row a number. Constants of 0 without a source are left out.
/// `designs` are those that the page compares.
Json machine_data(const scenarios::Scenario& scenario, std::span<const Design* const> designs);

/// What the numbers of a constant count, by its name: "ns", "ns/MiB", "GB/s".
std::string_view unit_of(std::string_view constant);

}  // namespace tasktwin::verify
