#pragma once

#include <string>
#include <vector>

#include <CLI/App.hpp>

#include "verify/report/design_review.hpp"

namespace tasktwin::verify {

/// --report and what goes with it, in a group of its own in the help.
class ReportOptions {
 public:
  /// Contract: this lives as long as `app`.
  void add(CLI::App& app);

  /// Throws InputError for options that do not go together, or a folder that is not there.
  void check_usage() const;

  bool wanted() const { return !file_.empty(); }
  const std::string& file() const { return file_; }

  /// `command` is what reproduces the results, word by word; the page's own options come last. `jobs` processes simulate.
  ReviewOptions review(std::vector<std::string> command, std::size_t jobs) const;

 private:
  CLI::App* app_ = nullptr;
  std::string file_;
  std::string measured_;
  bool sensitivity_ = false;
  bool no_sensitivity_ = false;
};

}  // namespace tasktwin::verify
