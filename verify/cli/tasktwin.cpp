#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <new>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "gpu/run/unended_run.hpp"
#include "models/base/error.hpp"
#include "models/base/names.hpp"
#include "scenarios/document/fault_messages.hpp"
#include "scenarios/files/files_read.hpp"
#include "verify/cli/commands.hpp"
#include "verify/cli/completion.hpp"
#include "verify/cli/help.hpp"
#include "verify/cli/options.hpp"
#include "verify/output/text/terminal.hpp"
#include "verify/system/interrupt.hpp"
#include "verify/system/policy_guard.hpp"
#include "verify/system/version.hpp"

namespace {

using tasktwin::InputError;
using tasktwin::RunError;
using tasktwin::verify::full_name;

constexpr int kFailed = 1;
constexpr int kBadUsage = 2;
constexpr int kInternal = 3;

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
  std::vector<std::string> of_letter;  // "--output" for "-o"
  for (const CLI::Option* option : app.get_options()) {
    if (option->check_name(word)) return *option;
    for (const std::string& name : option->get_lnames()) {
      names.push_back("--" + name);
      if (word.size() == 2 && name.front() == word[1]) of_letter.push_back(names.back());
    }
  }
  if (of_letter.size() == 1) throw InputError(fmt::format("unknown option '{}'; did you mean '{}'?", word, of_letter.front()));
  throw InputError(fmt::format("unknown option '{}'{}", word, suggest_from(word, names)));
}

/// Whether it takes words of its own in addition to its commands.
bool takes_words(const CLI::App& app) {
  return std::ranges::any_of(app.get_options(), [](const CLI::Option* option) { return option->get_positional(); });
}

/// What was meant by an unknown command, `words[at]`: one that follows it, one a level further down, or the nearest.
std::string command_hint(const CLI::App& app, const std::vector<std::string>& names, const std::vector<std::string>& words,
                         std::size_t at) {
  for (std::size_t i = at + 1; i < words.size(); ++i) {
    if (std::ranges::find(names, words[i]) != names.end()) return fmt::format("; the command, '{}', comes first", words[i]);
  }
  std::error_code ignored;
  if (app.get_parent() == nullptr && std::filesystem::is_regular_file(words[at], ignored))
    return fmt::format("; a command comes first, such as 'tasktwin simulate {}'", words[at]);
  std::vector<std::string> below;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    const std::vector<std::string> actions = command_names(*command);
    if (std::ranges::find(actions, words[at]) != actions.end()) below.push_back(fmt::format("'{} {}'", command->get_name(), words[at]));
  }
  return below.empty() ? suggest_from(words[at], names) : fmt::format("; did you mean {}?", fmt::join(below, " or "));
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
      if (option.get_items_expected_max() == 0) continue;
      const std::size_t equals = word.find('=');
      const bool apart = equals == std::string::npos;
      if (apart ? i + 1 < words.size() && words[i + 1].empty() : equals + 1 == word.size())  // such as "$FILE" with no FILE
        throw InputError(fmt::format("{}: its value is empty; see '{} --help'", word.substr(0, equals), full_name(*app)));
      if (apart) ++i;
      continue;
    }
    const std::vector<std::string> names = command_names(*app);
    if (names.empty()) continue;
    const bool known = std::ranges::find(names, word) != names.end();
    if (!known && takes_words(*app)) continue;
    if (!known) throw InputError(fmt::format("unknown command '{}'{}", word, command_hint(*app, names, words, i)));
    app = app->get_subcommand(word);
  }
  if (const auto names = command_names(*app); !names.empty() && !takes_words(*app)) {
    throw InputError(fmt::format("a command is missing after '{}'; valid: {}; see '{} --help'", full_name(*app), fmt::join(names, ", "),
                                 full_name(*app)));
  }
}

/// The words of the command line, first to last; "help" asks what "--help" after the same words asks.
std::vector<std::string> words_of(int argc, char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  if (words.empty() || words.front() != "help") return words;
  words.erase(words.begin());
  words.emplace_back("--help");
  return words;
}

const CLI::App& innermost(const CLI::App& app) {
  const auto parsed = app.get_subcommands();
  return parsed.empty() ? app : innermost(*parsed.front());
}

/// Declares everything that the command line can say.
std::vector<std::unique_ptr<tasktwin::verify::Command>> declare(CLI::App& app, tasktwin::verify::TerminalSettings& settings) {
  app.formatter(std::make_shared<tasktwin::verify::ManualPage>());
  app.set_version_flag("--version", fmt::format("tasktwin {} ({})", tasktwin::verify::version(), tasktwin::verify::commit()),
                       "print the version and its commit, and exit");
  app.require_subcommand(1);
  app.footer(
      "Everything is simulated, run and compared from scenario files: a task graph, a machine, and the designs to hold against each\n"
      "other. 'tasktwin help COMMAND', or COMMAND --help, explains a command. Times are in ns where a name ends in _ns, else each\n"
      "number says its unit.\n"
      "\n"
      "TASKTWIN_DATA in the environment names another folder of shipped scenarios.\n"
      "Exit 1: a comparison, check or run failed, or something outside the input did, such as a full disk\n"
      "Exit 3: what was worked out contradicts itself, which is a fault of tasktwin; no figure is printed\n"
      "Example: tasktwin scenario list\n"
      "Example: tasktwin simulate example --gantt\n"
      "Example: tasktwin help compare");
  std::vector<std::unique_ptr<tasktwin::verify::Command>> commands;
  for (const auto& entry : tasktwin::verify::commands()) {
    commands.push_back(entry.make(*app.add_subcommand(std::string(entry.name), std::string(entry.summary))));
  }
  add_terminal(app, settings);
  return commands;
}

int run(int argc, char** argv) {
  CLI::App app("predict how a task graph runs under a schedule design, run it on a GPU, compare the two", "tasktwin");
  tasktwin::verify::TerminalSettings settings;
  const auto commands = declare(app, settings);
  const std::vector<std::string> words = words_of(argc, argv);
  if (words.empty()) {
    tasktwin::verify::note(tasktwin::verify::short_help(app));
    return kBadUsage;
  }
  if (words.front() == tasktwin::verify::kCompleteCommand) {
    tasktwin::verify::print(tasktwin::verify::complete(app, {words.begin() + 1, words.end()}));
    tasktwin::verify::finish_output();
    return 0;
  }
  try {
    check_words(app, words);
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::Success& wanted) {  // --help, --version
    std::ostringstream text;
    app.exit(wanted, text, text);
    tasktwin::verify::print(text.str());
    tasktwin::verify::finish_output();
    return 0;
  } catch (const CLI::ExtrasError& error) {
    const std::vector<std::string> left = app.remaining(true);
    const std::string what = left.size() > 1 ? fmt::format("The following arguments were not expected: {}", fmt::join(left, " "))
                                             : std::string(error.what());  // CLI11 names several from the last to the first
    throw InputError(fmt::format("{}; see '{} --help'", what, full_name(innermost(app))));
  } catch (const CLI::ParseError& error) {
    throw InputError(fmt::format("{}; see '{} --help'", error.what(), full_name(innermost(app))));
  }
  tasktwin::verify::set_terminal(settings);
  int code = 0;
  for (std::size_t i = 0; i < commands.size(); ++i) {
    if (app.got_subcommand(std::string(tasktwin::verify::commands()[i].name))) code = commands[i]->run();
  }
  tasktwin::verify::finish_output();
  if (tasktwin::verify::interrupt_asked()) tasktwin::verify::end_by_interrupt();
  return code;
}

int fail(int code, std::string_view message) {
  tasktwin::verify::note(fmt::format("error: {}", message));
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  tasktwin::verify::open_standard_streams();
  tasktwin::scenarios::remember_files_read();
  std::signal(SIGXFSZ, SIG_IGN);  // a file-size limit is then an ordinary write error
  std::signal(SIGPIPE, SIG_DFL);  // a reader that has seen enough ends the process quietly, even if the parent ignores the signal
  tasktwin::verify::clean_up_on_interrupt();
  tasktwin::verify::guard_policies();
  try {
    return run(argc, argv);
  } catch (const InputError& error) {
    tasktwin::verify::note(tasktwin::scenarios::fault_messages(error));
    return kBadUsage;
  } catch (const RunError& error) {
    return fail(kFailed, error.what());
  } catch (const tasktwin::gpu::UnendedRun& error) {
    fail(kFailed, error.what());
    std::fflush(stdout);
    std::_Exit(kFailed);  // an orderly end would wait for the GPU
  } catch (const tasktwin::verify::Interrupted&) {
    tasktwin::verify::end_by_interrupt();
  } catch (const std::bad_alloc&) {
    return fail(kFailed, "not enough memory");
  } catch (const std::system_error& error) {
    return fail(kFailed, error.what());
  } catch (const std::exception& error) {
    return fail(kInternal, fmt::format("internal error: {}\nThis is a fault of tasktwin, whatever the input: please report it with the "
                                       "command and its files",
                                       error.what()));
  }
}
