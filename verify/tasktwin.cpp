#include <algorithm>
#include <csignal>
#include <exception>
#include <new>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "models/error.hpp"
#include "models/names.hpp"
#include "verify/commands.hpp"
#include "verify/output/terminal.hpp"
#include "verify/version.hpp"

namespace {

using tasktwin::InputError;
using tasktwin::RunError;

constexpr int kFailed = 1;
constexpr int kBadUsage = 2;

std::string suggest_from(std::string_view word, const std::vector<std::string>& names) {
  return tasktwin::suggest(word, std::vector<std::string_view>(names.begin(), names.end()));
}

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) names.push_back(command->get_name());
  return names;
}

/// The option of `app` that `word` ("--name" or "-n", without "=value") names. Throws InputError with the nearest one if there is none.
const CLI::Option& option_named(const CLI::App& app, const std::string& word) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    if (option->check_name(word)) return *option;
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  throw InputError(fmt::format("unknown option '{}'{}", word, suggest_from(word, names)));
}

/// Walks the arguments as the parser will; throws InputError with the nearest valid word for an unknown command or option.
void check_words(const CLI::App& root, const std::vector<std::string>& words) {
  const CLI::App* app = &root;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "--") break;
    if (word.size() > 1 && word.starts_with('-')) {
      const CLI::Option& option = option_named(*app, word.substr(0, word.find('=')));
      if (&option == root.get_option("--version") || &option == app->get_help_ptr()) return;
      if (option.get_items_expected_max() > 0 && word.find('=') == std::string::npos) ++i;
      continue;
    }
    const std::vector<std::string> names = command_names(*app);
    if (names.empty()) continue;
    if (std::ranges::find(names, word) == names.end())
      throw InputError(fmt::format("unknown command '{}'{}", word, suggest_from(word, names)));
    app = app->get_subcommand(word);
  }
  if (const auto names = command_names(*app); !names.empty()) {
    throw InputError(fmt::format("a command is missing after '{}'; valid: {}", app->get_name(), fmt::join(names, ", ")));
  }
}

const CLI::App& innermost(const CLI::App& app) {
  const auto parsed = app.get_subcommands();
  return parsed.empty() ? app : innermost(*parsed.front());
}

int run(int argc, char** argv) {
  CLI::App app("Predicts how a task graph runs under a schedule design, runs it on a GPU, and compares the two.", "tasktwin");
  app.set_version_flag("--version", fmt::format("tasktwin {} ({})", tasktwin::verify::version(), tasktwin::verify::commit()));
  app.require_subcommand(1);
  std::vector<std::unique_ptr<tasktwin::verify::Command>> commands;
  for (const auto& entry : tasktwin::verify::commands()) {
    commands.push_back(entry.make(*app.add_subcommand(std::string(entry.name), std::string(entry.summary))));
  }
  try {
    check_words(app, {argv + 1, argv + argc});
    app.parse(argc, argv);
  } catch (const CLI::Success& wanted) {  // --help, --version
    app.exit(wanted);
    tasktwin::verify::finish_output();
    return 0;
  } catch (const CLI::ParseError& error) {
    const CLI::App& command = innermost(app);
    const std::string name = command.get_parent() == nullptr ? "tasktwin" : "tasktwin " + command.get_name();
    throw InputError(fmt::format("{}; see '{} --help'", error.what(), name));
  }
  int code = 0;
  for (std::size_t i = 0; i < commands.size(); ++i) {
    if (app.got_subcommand(std::string(tasktwin::verify::commands()[i].name))) code = commands[i]->run();
  }
  tasktwin::verify::finish_output();
  return code;
}

int fail(int code, std::string_view message) {
  tasktwin::verify::note(fmt::format("error: {}", message));
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // a file-size limit is then an ordinary write error
  try {
    return run(argc, argv);
  } catch (const InputError& error) {
    return fail(kBadUsage, error.what());
  } catch (const RunError& error) {
    return fail(kFailed, error.what());
  } catch (const std::bad_alloc&) {
    return fail(kFailed, "not enough memory");
  } catch (const std::system_error& error) {
    return fail(kFailed, error.what());
  } catch (const std::exception& error) {
    return fail(kFailed, fmt::format("internal error: {}", error.what()));
  }
}
