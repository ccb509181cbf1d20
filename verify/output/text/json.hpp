#pragma once

#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "models/design/design.hpp"
#include "models/explain/metrics.hpp"
#include "models/run/timeline.hpp"
#include "scenarios/load/scenario.hpp"

namespace tasktwin::verify {

/// Keys keep the order in which they are written.
using Json = nlohmann::ordered_json;

/// Every axis of a design, under its own name.
Json design_to_json(const Design& design);

/// Its bytes, not its time.
Json memory_to_json(const MemorySample& sample);

/// What every result carries: version, seed, machine, and the machine file with its hash.
void add_provenance(Json& object, const scenarios::Scenario& scenario, std::uint64_t seed);

/// null where there is no value or it is not finite.
Json optional_number(std::optional<double> value);

/// As one process hands it to another.
std::string to_bytes(const Json& json);

/// Indented text with a final newline; bytes that are not UTF-8 are replaced.
std::string to_text(const Json& json);

}  // namespace tasktwin::verify
