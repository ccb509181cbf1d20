#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <CLI/App.hpp>
#include <CLI/FormatterFwd.hpp>

namespace tasktwin::verify {

/// "tasktwin scenario list".
std::string full_name(const CLI::App& app);

/// What a footer says: lines that start with "Example: " or with "Exit 1: " go where these belong, the others are the description,
/// in paragraphs that an empty line ends.
struct Footer {
  std::vector<std::string> paragraphs;
  std::vector<std::string> examples;
  std::string failure;  ///< when the exit code is 1

  explicit Footer(std::string_view text);
};

/// Help as a manual page has it: name, usage, description (the footer), arguments, options, commands, exit codes, examples.
/// No line is wider than the page but an example.
class ManualPage : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override;
};

/// What the executable is for, on one screen: printed where no command is given.
std::string short_help(const CLI::App& root);

}  // namespace tasktwin::verify
