#include "scenarios/scenario_writer/scenario_text.hpp"

#include <algorithm>
#include <system_error>

#include "models/base/error.hpp"
#include "scenarios/document/characters.hpp"
#include "scenarios/files/data_folder.hpp"
#include "scenarios/files/quoted.hpp"
#include "scenarios/formats/json_file.hpp"

namespace tasktwin::scenarios {

namespace fs = std::filesystem;

std::string yaml_quoted(const std::string& text) { return JsonValue(text).dump(); }

std::string named_from(const fs::path& folder, const fs::path& file) {
  std::error_code failure;
  const fs::path from = fs::weakly_canonical(folder.empty() ? "." : folder, failure);
  const fs::path relative = fs::weakly_canonical(file, failure).lexically_relative(from);
  return relative.empty() ? fs::absolute(file, failure).string() : relative.string();
}

std::string machine_named_from(const fs::path& folder, const std::string& machine) {
  return std::ranges::count(shipped_machines(), machine) > 0 ? machine : named_from(folder, machine);
}

void check_scenario_name(const std::string& name) {
  if (!is_name(name))
    throw InputError("a scenario cannot be called " + in_quotes(name) + "; it takes " + std::string(kNameForm) + ", at most 100 of them");
}

}  // namespace tasktwin::scenarios
