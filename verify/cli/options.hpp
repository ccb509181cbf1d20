#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <CLI/App.hpp>

#include "models/base/names.hpp"
#include "verify/output/text/terminal.hpp"

namespace tasktwin::verify {

/// Options that several commands share. Wrong values are usage errors that name the valid ones.

/// --help, --quiet and --color, for `app` and all commands below it, so that they can be anywhere on the command line.
void add_terminal(CLI::App& app, TerminalSettings& settings);

/// Scenario files or shipped names, as positional arguments.
CLI::Option* add_scenarios(CLI::App& app, std::vector<std::string>& scenarios);
void add_designs(CLI::App& app, std::string& designs);

/// --machine, for load_selections.
void add_machine(CLI::App& app, std::string& machine);

/// --policy, for apply_policy.
void add_policy(CLI::App& app, std::string& file);

/// --plan, for follow_plan.
void add_plan(CLI::App& app, std::string& file);

/// --format text|json.
void add_format(CLI::App& app, bool& json);
/// --format with words of the command's own, of which `format` holds the default.
void add_format(CLI::App& app, std::string& format, const std::vector<std::string>& words);

/// An option that takes one of an enumeration's words; `value` holds the default.
template <class E>
void add_words(CLI::App& app, const std::string& name, E& value, const std::string& help) {
  constexpr auto words = all_words<E>();
  std::string listed;
  for (const std::string_view word : words) listed += (listed.empty() ? "" : "|") + std::string(word);
  app.add_option_function<std::string>(
         name, [&value](const std::string& word) { value = *from_word<E>(word); }, help)
      ->type_name(listed)
      ->check([words](const std::string& word) {
        return from_word<E>(word) ? std::string() : "unknown value '" + word + "'" + suggest(word, words);
      });
}

/// A decimal whole number from `low` to `high`.
void add_whole(CLI::App& app, const std::string& name, std::uint64_t& value, std::uint64_t low, std::uint64_t high,
               const std::string& help);

/// --jobs: processes side by side; `jobs` holds the default, 0 for one a processor.
void add_jobs(CLI::App& app, std::uint64_t& jobs);

/// A finite number of at least 0, in per cent; stored as a fraction.
void add_percent(CLI::App& app, const std::string& name, double& fraction, const std::string& help);

}  // namespace tasktwin::verify
