#include "verify/output/text/json.hpp"

#include <cmath>

#include "scenarios/designs/stated_parts.hpp"
#include "scenarios/designs/stated_sets.hpp"
#include "verify/system/version.hpp"

namespace tasktwin::verify {

Json design_to_json(const Design& design) {
  Json axes = Json::object();
  for (const AxisField& field : axis_fields()) {
    if (field.is_word()) {
      axes[std::string(field.name)] = field.text(design);
    } else {
      axes[std::string(field.name)] = design.*field.number;
    }
  }
  if (!design.replay.empty()) axes["replay"] = design.replay;
  if (!design.parts.empty()) axes["parts"] = scenarios::design_parts_to_json(design.parts);
  if (!design.sets.empty()) axes["sets"] = scenarios::design_sets_to_json(design.sets);
  return axes;
}

Json memory_to_json(const MemorySample& sample) { return {{"used_bytes", sample.used}, {"reserved_bytes", sample.reserved}}; }

void add_provenance(Json& object, const scenarios::Scenario& scenario, std::uint64_t seed) {
  object["scenario"] = scenario.name;
  object["machine"] = scenario.machine.name;
  object["machine_file"] = scenario.machine_file;
  object["machine_hash"] = scenario.machine_hash;
  object["seed"] = seed;
  object["version"] = version();
}

Json optional_number(std::optional<double> value) {
  if (!value || !std::isfinite(*value)) return nullptr;
  return *value;
}

std::string to_bytes(const Json& json) {
  std::string bytes;
  Json::to_cbor(json, bytes);
  return bytes;
}

std::string to_text(const Json& json) { return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + '\n'; }

}  // namespace tasktwin::verify
