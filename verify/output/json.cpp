#include "verify/output/json.hpp"

#include <cmath>

#include "verify/version.hpp"

namespace tasktwin::verify {

Json design_to_json(const Design& design) {
  return {{"driver", to_word(design.driver)},  {"release", to_word(design.release)},     {"ready_queue", to_word(design.ready_queue)},
          {"order", to_word(design.order)},    {"placement", to_word(design.placement)}, {"streams", design.streams},
          {"dispatchers", design.dispatchers}, {"mailbox_depth", design.mailbox_depth},  {"fill", to_word(design.fill)}};
}

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

std::string to_text(const Json& json) { return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + '\n'; }

}  // namespace tasktwin::verify
