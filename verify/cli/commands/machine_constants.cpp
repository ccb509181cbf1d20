#include "verify/cli/commands/machine_constants.hpp"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "models/base/error.hpp"
#include "models/base/names.hpp"
#include "models/machine/machine.hpp"
#include "verify/cli/options.hpp"
#include "verify/output/text/json.hpp"
#include "verify/output/text/result_json.hpp"
#include "verify/output/text/terminal.hpp"
#include "verify/reference/machine_reference.hpp"

namespace tasktwin::verify {

namespace {

const MachineSection& section_named(const std::string& name) {
  if (const MachineSection* const found = find_section(name)) return *found;
  std::vector<std::string_view> names;
  for (const MachineSection& section : machine_sections()) names.push_back(section.name);
  throw InputError(fmt::format("unknown mechanism '{}'{}", name, suggest(name, names)));
}

class MachineConstants : public Command {
 public:
  explicit MachineConstants(CLI::App& app) {
    app.add_option("MECHANISM", names_, "sections of machine files; all by default");
    add_format(app, format_, {"text", "json", "md"});
    app.footer(
        "What a machine file may say under each mechanism, whatever the machine. --format md is docs/reference/constants.md, with what\n"
        "kernels and limits take.\n"
        "Example: tasktwin machine constants streams\nExample: tasktwin machine constants --format md");
  }

  int run() override {
    std::vector<const MachineSection*> sections;
    for (const std::string& name : names_) sections.push_back(&section_named(name));
    if (format_ == "md") {
      if (!names_.empty())
        throw InputError("--format md is of all mechanisms and excludes MECHANISM; see 'tasktwin machine constants --help'");
      print(constants_to_markdown());
      return 0;
    }
    for (const MachineSection& section : machine_sections()) {
      if (names_.empty()) sections.push_back(&section);
    }
    print(format_ == "json" ? result_to_text(constants_to_json(sections)) : constants_to_text(sections));
    return 0;
  }

 private:
  std::vector<std::string> names_;
  std::string format_ = "text";
};

}  // namespace

std::unique_ptr<Command> make_machine_constants(CLI::App& app) { return std::make_unique<MachineConstants>(app); }

}  // namespace tasktwin::verify
