#include "verify/cli/help.hpp"

#include <algorithm>
#include <sstream>

#include <fmt/format.h>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "verify/output/text/text_table.hpp"

namespace tasktwin::verify {

namespace {

constexpr std::size_t kIndent = 2;
constexpr std::size_t kLeftColumn = 28;  ///< of a name and its value, the indent included

/// `name`, followed by its meaning, on the next line where it is too long.
std::string entry(const std::string& name, std::string_view meaning) {
  return beside(std::string(kIndent, ' ') + name, meaning, kLeftColumn);
}

std::string heading(std::string_view text) {
  std::string upper;
  for (const char c : text) upper += static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  return '\n' + upper + '\n';
}

bool takes_many(const CLI::Option& option) { return option.get_items_expected_max() >= CLI::detail::expected_max_vector_size; }

std::vector<const CLI::App*> shown_commands(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App* command) { return !command->get_group().empty(); });
}

std::string usage(const CLI::App& app) {
  std::string text = full_name(app) + " [OPTIONS]";
  for (const CLI::Option* option : app.get_options([](const CLI::Option* one) { return one->get_positional(); })) {
    const std::string word = option->get_name(true) + (takes_many(*option) ? "..." : "");
    text += option->get_required() ? " " + word : " [" + word + "]";
  }
  if (shown_commands(app).empty()) return text;
  return text + (app.get_require_subcommand_min() > 0 ? " COMMAND" : " [COMMAND]");
}

std::string arguments(const CLI::App& app) {
  std::string text;
  for (const CLI::Option* option : app.get_options([](const CLI::Option* one) { return one->get_positional(); })) {
    const std::string words = option->get_type_name().find('|') != std::string::npos ? " " + option->get_type_name() : "";
    text += entry(option->get_name(true) + (takes_many(*option) ? "..." : "") + words, option->get_description());
  }
  return text.empty() ? text : heading("arguments") + text;
}

std::string option_groups(const CLI::App& app) {
  std::string text;
  for (const std::string& group : app.get_groups()) {
    std::string entries;
    for (const CLI::Option* option :
         app.get_options([&](const CLI::Option* one) { return one->nonpositional() && one->get_group() == group; })) {
      const std::string value = option->get_items_expected_max() > 0 ? " " + option->get_type_name() : "";
      std::string name = option->get_name(false, true);
      if (const std::size_t comma = name.find(','); comma != std::string::npos) name.insert(comma + 1, " ");
      entries += entry(name + value, option->get_description() + (option->get_required() ? "; required" : ""));
    }
    if (!group.empty() && !entries.empty()) text += heading(group) + entries;
  }
  return text;
}

std::string commands_of(const CLI::App& app) {
  std::string text;
  for (const CLI::App* command : shown_commands(app)) text += entry(command->get_name(), command->get_description());
  return text.empty() ? text : heading("commands") + text;
}

std::string exit_codes(const Footer& footer) {
  const std::string failure = footer.failure.empty() ? "something outside the input failed, such as a full disk" : footer.failure;
  return heading("exit codes") + entry("0", "fine") + entry("1", failure) + entry("2", "bad input or usage") +
         entry("130", "interrupted with Ctrl-C; no file is left half written");
}

}  // namespace

std::string full_name(const CLI::App& app) {
  return app.get_parent() == nullptr ? app.get_name() : full_name(*app.get_parent()) + " " + app.get_name();
}

Footer::Footer(std::string_view text) {
  constexpr std::string_view kExample = "Example: ";
  constexpr std::string_view kExit = "Exit 1: ";
  std::istringstream lines{std::string(text)};
  bool open = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(kExample)) {
      examples.push_back(line.substr(kExample.size()));
    } else if (line.starts_with(kExit)) {
      failure = line.substr(kExit.size());
    } else if (line.starts_with("  ")) {
      paragraphs.push_back(line);  // an entry of a list
    } else if (!line.empty()) {
      if (open) {
        paragraphs.back() += ' ' + line;
      } else {
        paragraphs.push_back(line);
      }
      open = true;
      continue;
    }
    open = false;
  }
}

std::string ManualPage::make_help(const CLI::App* app, std::string /*name*/, CLI::AppFormatMode /*mode*/) const {
  const Footer footer(app->get_footer());
  std::string text = "NAME\n" + indented(full_name(*app) + " – " + app->get_description(), kIndent);
  text += heading("usage") + indented(usage(*app), kIndent);
  std::string description;
  for (const std::string& paragraph : footer.paragraphs)
    description += (description.empty() || paragraph.starts_with("  ") ? "" : "\n") + indented(paragraph, kIndent);
  if (!description.empty()) text += heading("description") + description;
  text += commands_of(*app) + arguments(*app) + option_groups(*app) + exit_codes(footer);
  if (!footer.examples.empty()) text += heading("examples");
  for (const std::string& example : footer.examples) text += std::string(kIndent, ' ') + example + '\n';
  return text;
}

std::string short_help(const CLI::App& root) {
  std::string names;
  for (const CLI::App* command : shown_commands(root)) names += (names.empty() ? "" : ", ") + command->get_name();
  return "tasktwin: " + root.get_description() +
         "\n\n"
         "  design offline       tasktwin simulate example --gantt\n"
         "  verify on a GPU      tasktwin verify cholesky\n"
         "  decide in a review   tasktwin compare example --designs shared-queue,static-queues\n\n" +
         wrap("commands: " + names) +
         "\n"
         "'tasktwin help COMMAND' explains one; 'tasktwin scenario list' names what is there to try\n";
}

}  // namespace tasktwin::verify
