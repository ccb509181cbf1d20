#include "tests/verify/support/strict_json.hpp"

#include <set>
#include <stdexcept>

namespace tasktwin::tests {

nlohmann::json strict_json(std::string_view text) {
  using Event = nlohmann::json::parse_event_t;
  std::vector<std::set<std::string>> open;
  return nlohmann::json::parse(text, [&open](int, Event event, nlohmann::json& value) {
    if (event == Event::object_start) open.emplace_back();
    if (event == Event::object_end) open.pop_back();
    if (event == Event::key && !open.back().insert(value.get<std::string>()).second) {
      throw std::runtime_error("the key " + value.dump() + " stands twice");
    }
    return true;
  });
}

std::vector<std::string> keys(const nlohmann::json& object) {
  std::vector<std::string> names;
  for (const auto& item : object.items()) names.push_back(item.key());
  return names;
}

}  // namespace tasktwin::tests
