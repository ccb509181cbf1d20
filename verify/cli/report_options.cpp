#include "verify/cli/report_options.hpp"

#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "models/base/error.hpp"
#include "verify/output/text/shell_word.hpp"
#include "verify/recordings/recorded.hpp"

namespace tasktwin::verify {

namespace fs = std::filesystem;

void ReportOptions::add(CLI::App& app) {
  app_ = &app;
  const char* const group = "Design review";
  const auto not_empty = [](const char* what) {
    return [what](const std::string& text) { return text.empty() ? fmt::format("names no {}", what) : std::string(); };
  };
  app.add_option("--report", file_, "write the design review as one HTML file, which needs no network")
      ->type_name("FILE")
      ->check(not_empty("file"))
      ->group(group);
  app.add_option("--measured", measured_, "show measurements kept in DIR, as 'run --record DIR' does; the shipped ones by default")
      ->type_name("DIR")
      ->check(not_empty("folder"))
      ->group(group);
  CLI::Option* with = app.add_flag("--sensitivity", sensitivity_,
                                   "halve each constant of the machine, one at a time, and show what that changes; by default for graphs "
                                   "of at most 20 000 tasks")
                          ->group(group);
  app.add_flag("--no-sensitivity", no_sensitivity_, "do not")->excludes(with)->group(group);
}

void ReportOptions::check_usage() const {
  for (const char* option : {"--measured", "--sensitivity", "--no-sensitivity"}) {
    if (!wanted() && app_->get_option(option)->count() > 0)
      throw InputError(fmt::format("{} requires --report; see 'tasktwin compare --help'", option));
  }
  std::error_code ignored;
  if (!measured_.empty() && !fs::is_directory(measured_, ignored))
    throw InputError(fmt::format("--measured: there is no folder '{}'", measured_));
}

ReviewOptions ReportOptions::review(std::vector<std::string> command, std::size_t jobs) const {
  if (!measured_.empty()) command.insert(command.end(), {"--measured", measured_});
  if (sensitivity_) command.emplace_back("--sensitivity");
  if (no_sensitivity_) command.emplace_back("--no-sensitivity");
  // Without its folder: where a page is written must not change it.
  command.insert(command.end(), {"--report", fs::path(file_).filename().string()});
  std::string text;
  for (const std::string& word : command) text += (text.empty() ? "" : " ") + shell_word(word);
  ReviewOptions options;
  options.file = file_;
  options.recordings = measured_.empty() ? recordings_folder() : fs::path(measured_);
  if (sensitivity_ || no_sensitivity_) options.sensitivity = sensitivity_;
  options.command = std::move(text);
  options.jobs = jobs;
  return options;
}

}  // namespace tasktwin::verify
