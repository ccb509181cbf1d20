#include "scenarios/generators/parts/generator.hpp"

#include <algorithm>

#include "models/base/names.hpp"

namespace tasktwin::scenarios {

std::string_view ParameterTable::choice(std::string_view name, std::string_view meaning, std::string_view preset,
                                        std::vector<std::string_view> words) {
  const Parameter& parameter =
      declared_.emplace_back(Parameter{.name = name, .meaning = meaning, .words = std::move(words), .word = preset});
  const auto found = given_.find(name);
  if (found == given_.end()) return preset;
  const auto* word = std::get_if<std::string>(&found->second);
  if (!word) throw ParameterError(name, "must be a word");
  if (std::ranges::find(parameter.words, *word) == parameter.words.end())
    throw ParameterError(name, "unknown value '" + *word + "'" + suggest(*word, parameter.words));
  return *word;
}

std::int64_t ParameterTable::whole(const Parameter& parameter) {
  declared_.push_back(parameter);
  const auto found = given_.find(parameter.name);
  if (found == given_.end()) return parameter.value;
  const auto* number = std::get_if<std::int64_t>(&found->second);
  if (!number) throw ParameterError(parameter.name, "must be a whole number");
  const std::string is = "is " + std::to_string(*number) + "; must be ";
  if (*number < parameter.min || *number > parameter.max)
    throw ParameterError(parameter.name, is + std::to_string(parameter.min) + " to " + std::to_string(parameter.max));
  if (*number % parameter.multiple_of != 0)
    throw ParameterError(parameter.name, is + "a multiple of " + std::to_string(parameter.multiple_of));
  return *number;
}

void ParameterTable::check_all_known() const {
  std::vector<std::string_view> names;
  for (const Parameter& parameter : declared_) names.push_back(parameter.name);
  for (const auto& [name, value] : given_) {
    if (std::ranges::find(names, name) == names.end()) throw ParameterError(name, "unknown parameter" + suggest(name, names));
  }
}

}  // namespace tasktwin::scenarios
