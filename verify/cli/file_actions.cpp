#include "verify/cli/file_actions.hpp"

#include "models/base/error.hpp"
#include "scenarios/document/fault_messages.hpp"
#include "verify/cli/options.hpp"
#include "verify/output/text/result_json.hpp"
#include "verify/output/text/terminal.hpp"

namespace tasktwin::verify {

FileActions add_file_actions(CLI::App& app, const std::string& kind, const std::string& show, const std::string& validate, bool& json) {
  app.require_subcommand(1);
  const FileActions actions{.list = app.add_subcommand("list", "name the shipped " + kind + "s"),
                            .show = app.add_subcommand("show", show),
                            .validate = app.add_subcommand("validate", validate),
                            .schema = app.add_subcommand("schema", "print the JSON Schema of " + kind + " files")};
  for (CLI::App* action : {actions.list, actions.show, actions.validate}) add_format(*action, json);
  return actions;
}

int validate_files(const std::vector<std::string>& files, bool json, const std::function<ValidFile(const std::string&)>& validate) {
  Json results = Json::array();
  bool all_valid = true;
  for (const std::string& file : files) {
    Json row{{"file", file}};
    ValidFile valid;
    std::string fault;
    std::string told;
    try {
      valid = validate(file);
    } catch (const InputError& error) {
      fault = error.what();
      told = scenarios::fault_messages(error);
    }
    row["valid"] = fault.empty();
    row["message"] = fault;
    row.update(valid.facts);
    results.push_back(std::move(row));
    all_valid = all_valid && fault.empty();
    if (json) continue;
    if (fault.empty()) {
      print(file + ": valid" + valid.text + "\n");
    } else {
      note(told);
    }
  }
  if (json) print(result_to_text(results));
  return all_valid ? 0 : 2;
}

}  // namespace tasktwin::verify
