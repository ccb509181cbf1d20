#pragma once

#include <string>

#include "models/machine/machine.hpp"
#include "scenarios/document/document.hpp"
#include "scenarios/schema/schema_parts.hpp"

namespace tasktwin::scenarios {

/// What a machine file says of several devices beside constants: `devices`, how many there are and how they are linked, and
/// `collective_times`.
namespace schema {
Json devices();
Json collective_times();
}  // namespace schema

/// `devices` of the machine that a file starts from, with what `map` states. Throws InputError, naming the place, for what contradicts
/// itself.
Devices read_devices(const Document& document, const Node& map, const std::string& path, Devices devices);
CollectiveTimes read_collective_times(const Document& document, const Node& map, const std::string& path);

/// In machine.provenance.
inline constexpr const char* kDevicesKey = "devices";
std::string collective_times_key(const CollectiveTimes& times);

/// As a machine file has them, with `source` after the other keys.
std::string devices_text(const Devices& devices, const std::string& source);
std::string collective_times_text(const CollectiveTimes& times, const std::string& source);

}  // namespace tasktwin::scenarios
