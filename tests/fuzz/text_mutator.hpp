#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace tasktwin::fuzz {

/// Words of the format, which take the places of others in texts beside those of the text itself. None where a fuzzer has no words.
std::span<const std::string> words();

/// Every key and word that a JSON schema lets stand in a file.
inline std::vector<std::string> words_of(const nlohmann::json& schema) {
  std::set<std::string> found;
  const auto collect = [&found](const auto& self, const nlohmann::json& part) -> void {
    for (const auto& [key, value] : part.items()) {
      if (key == "enum" || key == "const") {
        for (const nlohmann::json& word : value.is_array() ? value : nlohmann::json::array({value})) {
          if (word.is_string()) found.insert(word.get<std::string>());
        }
      }
      if (key == "properties") {
        for (const auto& [name, of_name] : value.items()) found.insert(name);
      }
      if (value.is_structured()) self(self, value);
    }
  };
  collect(collect, schema);
  return {found.begin(), found.end()};
}

}  // namespace tasktwin::fuzz
