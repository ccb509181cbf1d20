#include "verify/cli/options.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <string_view>

#include <fmt/format.h>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "models/base/names.hpp"

namespace tasktwin::verify {

namespace {

template <class Number>
bool parse_number(std::string_view text, Number& value) {
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && rest == text.data() + text.size();
}

}  // namespace

void add_terminal(CLI::App& app, TerminalSettings& settings) {
  const char* const group = "On the terminal";
  app.set_help_flag("-h,--help", "print this and exit")->group(group);
  app.add_flag("-q,--quiet", settings.quiet, "print results and errors, no progress and no notes")->group(group);
  add_words(app, "--color", settings.colour,
            "auto by default: where standard output is a terminal and NO_COLOR is not set in the environment");
  app.get_option("--color")->group(group);
  for (CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) add_terminal(*command, settings);
}

CLI::Option* add_scenarios(CLI::App& app, std::vector<std::string>& scenarios) {
  return app.add_option("SCENARIO", scenarios, "scenario files, or names of shipped scenarios")->type_name("");
}

void add_designs(CLI::App& app, std::string& designs) {
  app.add_option("--designs", designs, "designs, comma-separated: the scenario's own or named ones; all of the scenario's by default")
      ->type_name("A,B,..")
      ->check([](const std::string& text) { return text.empty() ? std::string("names no design") : std::string(); });
}

void add_machine(CLI::App& app, std::string& machine) {
  app.add_option("--machine", machine,
                 "machine file, or name of a shipped machine, in place of the one that a scenario names; what it changes of that one stays")
      ->type_name("FILE")
      ->check([](const std::string& text) { return text.empty() ? std::string("names no machine") : std::string(); });
}

void add_policy(CLI::App& app, std::string& file) {
  app.add_option("--policy", file, "take ready tasks in the order of the policy in this shared object (docs/library.md)")
      ->type_name("FILE");
}

void add_plan(CLI::App& app, std::string& file) {
  app.add_option("--plan", file,
                 "in place of designs, what this plan says: each worker's tasks in order, and what they wait for (docs/plan.md)")
      ->type_name("FILE")
      ->check([](const std::string& text) { return text.empty() ? std::string("names no plan") : std::string(); });
}

namespace {

CLI::Option* add_format_words(CLI::App& app, const std::vector<std::string>& words, std::function<void(const std::string&)> take) {
  return app.add_option_function<std::string>("--format", std::move(take), "how to print results; text by default")
      ->type_name(fmt::format("{}", fmt::join(words, "|")))
      ->check([words](const std::string& word) {
        if (std::ranges::find(words, word) != words.end()) return std::string();
        return fmt::format("unknown format '{}'{}", word, suggest(word, std::vector<std::string_view>(words.begin(), words.end())));
      });
}

}  // namespace

void add_format(CLI::App& app, bool& json) {
  add_format_words(app, {"text", "json"}, [&json](const std::string& word) { json = word == "json"; });
}

void add_format(CLI::App& app, std::string& format, const std::vector<std::string>& words) {
  add_format_words(app, words, [&format](const std::string& word) { format = word; });
}

void add_whole(CLI::App& app, const std::string& name, std::uint64_t& value, std::uint64_t low, std::uint64_t high,
               const std::string& help) {
  app.add_option_function<std::string>(
         name, [&value](const std::string& text) { parse_number(text, value); }, help)
      ->type_name("N")
      ->check([low, high](const std::string& text) {
        std::uint64_t parsed = 0;
        if (parse_number(text, parsed) && parsed >= low && parsed <= high) return std::string();
        return fmt::format("'{}' is not a whole number from {} to {}", text, low, high);
      });
}

void add_jobs(CLI::App& app, std::uint64_t& jobs) {
  constexpr std::uint64_t kMostJobs = 1024;
  add_whole(app, "--jobs", jobs, 0, kMostJobs, "so many processes side by side, 0 for one a processor; 1 by default");
}

void add_percent(CLI::App& app, const std::string& name, double& fraction, const std::string& help) {
  constexpr double kHundred = 100;
  const auto read = [](std::string_view text, double& percent) {
    if (text.ends_with('%')) text.remove_suffix(1);
    return parse_number(text, percent) && std::isfinite(percent) && percent >= 0;
  };
  app.add_option_function<std::string>(
         name,
         [&fraction, read](const std::string& text) {
           double percent = 0;
           if (read(text, percent)) fraction = percent / kHundred;
         },
         help)
      ->type_name("PERCENT")
      ->check([read](const std::string& text) {
        double percent = 0;
        if (read(text, percent)) return std::string();
        return fmt::format("'{}' is not a number of at least 0, in per cent", text);
      });
}

}  // namespace tasktwin::verify
