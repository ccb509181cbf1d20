#pragma once

#include <functional>
#include <string>
#include <vector>

#include <CLI/App.hpp>

#include "verify/output/text/json.hpp"

namespace tasktwin::verify {

/// What `tasktwin scenario` and `tasktwin machine` do with files of their kind.
struct FileActions {
  CLI::App* list;
  CLI::App* show;
  CLI::App* validate;
  CLI::App* schema;
};

/// Adds them to `app`, one of which must be chosen; all but `schema` have --format. `kind` is what such a file holds, the others say what
/// the actions do that differ.
FileActions add_file_actions(CLI::App& app, const std::string& kind, const std::string& show, const std::string& validate, bool& json);

/// What there is to say of a file without faults.
struct ValidFile {
  std::string text;  ///< after its name and ": valid"
  Json facts = Json::object();
};

/// Goes through all of `files`, each of which `validate` reads, or throws InputError. Returns the exit code.
int validate_files(const std::vector<std::string>& files, bool json, const std::function<ValidFile(const std::string&)>& validate);

}  // namespace tasktwin::verify
